/**
 * Creating, opening and listing keys with 10,000 and 100,000 of them, on each engine: every order, filter and search reads
 * a bounded number of rows, by indexes, which is the same for both sizes.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test, { after, type TestContext } from 'node:test';
import Database from 'better-sqlite3';
import type { CompiledQuery, KyselyPlugin } from 'kysely';
import pg from 'pg';
import type { Account } from '../../accounts/account.ts';
import { AuditLog } from '../../audit/audit-log.ts';
import { parsePosition, VisibleKeys } from '../../dashboard/keys/visible-keys.ts';
import type { KeyFilter } from '../../keys/key-list.ts';
import { Keys } from '../../keys/keys.ts';
import type { Engine } from '../../storage/engine.ts';
import { leaseStore } from '../../storage/leases/lease-store.ts';
import { openEngine, openStorage } from '../../storage/open-storage.ts';
import type { Storage } from '../../storage/storage.ts';
import { accountStore } from '../../storage/stores/account-store.ts';
import { keyListStore } from '../../storage/stores/key-list-store.ts';
import { keyStore } from '../../storage/stores/key-store.ts';
import { usageStore } from '../../storage/stores/usage-store.ts';
import { KEY_SORTS, PERMISSIONS, SORT_ORDERS } from '../../vocabulary.ts';
import { testEngines } from '../storage/engines.ts';

const SIZES = [10_000, 100_000] as const;
const LIMIT = 50;
/** The most is a page of 180 facets, which reads 51 index entries of each. */
const MAX_ROWS = 10_000;
/** SQLite does not report rows. Without a page cache, each page of the tree that a cursor moves to is read from the file. */
const MAX_PAGES = 16_000;
/** Ten times the keys: the tree is one level higher, and fewer of its pages are read twice. */
const MAX_GROWTH = 3;
const NOW = new Date('2026-11-16T12:00:00Z');
const TODAY = '2026-11-16';
const RANK = Math.floor(NOW.getTime() / 86_400_000) * 2 ** 32;
const ADMIN: Account = { id: 'admin', name: 'Ada', role: 'admin', nameKey: 'ada', passwordHash: '', createdAt: NOW };
const LARGE_TABLES = ['keys', 'key_words', 'key_counts', 'usage', 'quota'];

const FILTERS: readonly [string, Partial<KeyFilter>][] = [
  ['no filter', {}],
  ['a status', { status: 'revoked' }],
  ['all that are not revoked', { status: 'active' }],
  ['a state', { state: 'paused' }],
  ['an owner and a state', { ownerId: 'owner 1', state: 'expired' }],
  ['a tier', { tier: 'pro' }],
  ['a permission', { permission: 'email:read' }],
  ['an owner', { ownerId: 'owner 1' }],
  ['a status, a tier and a permission', { status: 'active', tier: 'free', permission: 'ip:read' }],
  ['an owner, a status and a tier', { ownerId: 'owner 1', status: 'active', tier: 'free' }],
  ['an owner and a permission', { ownerId: 'owner 1', permission: 'asn:read' }],
  ['a search with one match', { q: 'CUSTOMER 00777' }],
  ['a search with 1,500 matches', { q: 'pilot' }],
  ['a search with 1,500 matches and a tier', { q: 'pilot', tier: 'pro' }],
  ['a search that all match', { q: 'custom' }],
  ['a search that all match, and a status', { q: 'custom', status: 'revoked' }],
  ['a search that all match, and a state', { q: 'custom', state: 'expired' }],
  ['a search that all match, and an owner', { q: 'custom', ownerId: 'owner 1' }],
  ['a search that one of seven matches', { q: 'weekly', status: 'active', permission: 'ip:batch' }],
  ['a search without a match', { q: 'nothing like this' }],
  ['an id', { q: 'k00004711' }],
];

/** All 15 sets of permissions, four tiers, all states, half never used: the largest number of facets. */
function filling(engine: Engine['name'], from: number, to: number): string[] {
  const digits = (count: number) =>
    engine === 'SQLite' ? `printf('%0${count}d', i)` : `lpad(cast(i as text), ${count}, '0')`;
  const permission = (bit: number, text: string) =>
    `case when ((i % 15) + 1) / ${bit} % 2 = 1 then '${text}' else '' end`;
  const numbers = `with recursive n (i) as (select ${from} union all select i + 1 from n where i < ${to - 1})`;
  const label = "case when i < 1500 then ' pilot' when i % 7 = 1 then ' weekly' else '' end";
  return [
    `insert into keys (id, name, name_key, hash, masked, permissions, tier, created_at, last_used_at, revoked_at,
      revoked_by, owner_id, day_requests, predecessor_id, paused_at, expires_at, has_expired)
    ${numbers} select 'k' || ${digits(8)}, 'Customer ' || ${digits(5)} || ${label}, 'customer 005' || ${digits(5)},
      'hash ' || i, 'whence_' || ${digits(5)} || '…' || ${digits(5)},
      trim(${permission(1, 'ip:read')} || ${permission(2, ' ip:batch')} || ${permission(4, ' asn:read')} ||
        ${permission(8, ' email:read')}),
      case i / 15 % 4 when 0 then 'free' when 1 then 'starter' when 2 then 'pro' else 'enterprise' end,
      i * cast(7919 as bigint) % 1000003, case when i % 2 = 0 then i * cast(104729 as bigint) % 1000003 end,
      case when i % 7 = 0 then 1 end, case when i % 7 = 0 then 'test' end,
      case when i % 11 < 3 then 'owner 1' when i % 11 = 4 then 'owner ' || i end,
      case when i % 3 = 0 then ${RANK} + i % 1000 else 0 end, case when i % 100 = 0 then 'k' || ${digits(8)} end,
      case when i % 5 = 1 then 1 end, case when i % 6 = 2 then 1 end, case when i % 6 = 2 then 1 else 0 end
    from n`,
    `insert into key_words (word, key_id)
    ${numbers} select 'customer ' || ${digits(5)} || ${label}, 'k' || ${digits(8)} from n
    union all select ${digits(5)} || ${label}, 'k' || ${digits(8)} from n
    union all select substr(${label}, 2), 'k' || ${digits(8)} from n where ${label} <> ''
    union all select 'k' || ${digits(8)}, 'k' || ${digits(8)} from n order by 1, 2`,
    `insert into usage (key_id, day, endpoint, status_class, requests)
    ${numbers} select 'k' || ${digits(8)}, '${TODAY}', 'ip', 2, i % 1000 from n where i % 3 = 0
    union all select 'k' || ${digits(8)}, '2026-11-15', 'ip', 2, i % 1000 from n where i % 3 = 0`,
    `insert into quota (key_id, day, granted) ${numbers} select 'k' || ${digits(8)}, '${TODAY}', 5 from n where i % 3 = 0`,
    // With larger samples, estimates do not differ from run to run.
    ...(engine === 'SQLite' ? [] : ['set default_statistics_target = 1000']),
    'analyze',
  ];
}

/** On a connection without the time-outs of the server. */
async function fill(location: string, { name, place }: Engine, from: number, to: number): Promise<void> {
  if (name === 'SQLite') {
    const database = new Database(place);
    for (const statement of filling(name, from, to)) database.exec(statement);
    database.close();
    return;
  }
  const client = new pg.Client(location);
  await client.connect();
  for (const statement of filling(name, from, to)) await client.query(statement);
  await client.end();
}

/** Records every statement that goes through it. */
function recorder({ db }: Engine, statements: CompiledQuery[]): KyselyPlugin {
  return {
    transformQuery({ node, queryId }) {
      statements.push(db.getExecutor().compileQuery(node, queryId));
      return node;
    },
    transformResult: async ({ result }) => result,
  };
}

/** The storage that the list and the page of a key read, over a connection that records its statements. */
function recordedStorage(storage: Storage, engine: Engine, statements: CompiledQuery[]): Storage {
  const db = engine.db.withPlugin(recorder(engine, statements));
  return {
    ...storage,
    keys: keyStore(db, db, engine.keyChanges),
    keyList: keyListStore({ db, name: engine.name }),
    accounts: accountStore(db),
    leases: leaseStore({ ...engine, db, statisticsReads: db }),
    usage: usageStore(db, engine.statistics, db),
  };
}

type PlanNode = {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: PlanNode[];
};

/** Rows that PostgreSQL reads, or pages that SQLite reads. Fails for a statement that reads a table without an index. */
type Meter = (statement: CompiledQuery) => Promise<number>;

async function postgresMeter(location: string, size: number, t: TestContext): Promise<Meter> {
  const client = new pg.Client(location);
  await client.connect();
  t.after(() => client.end());
  // PostgreSQL rightly reads a table of a few pages as a whole, which could not be compared with a large one.
  if (size === SIZES[0]) await client.query('set enable_seqscan = off');
  return async ({ sql: text, parameters }) => {
    const { rows } = await client.query<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(
      `explain (analyze, format json) ${text}`,
      [...parameters],
    );
    let read = 0;
    const visit = (node: PlanNode) => {
      const table = node['Relation Name'];
      if (table !== undefined && LARGE_TABLES.includes(table)) {
        if (table !== 'key_counts') assert.doesNotMatch(node['Node Type'], /Seq Scan/, text);
        read += (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
      }
      for (const child of node.Plans ?? []) visit(child);
    };
    for (const row of rows) for (const { Plan } of row['QUERY PLAN']) visit(Plan);
    return read;
  };
}

function sqliteMeter(path: string, t: TestContext): Meter {
  const database = new Database(path, { readonly: true });
  t.after(() => database.close());
  database.pragma('cache_size = 0');
  database.pragma('mmap_size = 0');
  const pageSize = database.pragma('page_size', { simple: true }) as number;
  const bytesRead = () => Number(/^rchar: (\d+)/.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);
  return async ({ sql: text, parameters }) => {
    const plan = database.prepare(`explain query plan ${text}`).all(...parameters) as { detail: string }[];
    // The order without a filter begins at the beginning of its index, and the limit ends it.
    const isScan = new RegExp(`^SCAN (${LARGE_TABLES.join('|')})\\b(?! USING COVERING INDEX keys_by_)`);
    for (const { detail } of plan) assert.doesNotMatch(detail, isScan, text.slice(0, 1_000));
    const statement = database.prepare(text);
    const before = bytesRead();
    statement.all(...parameters);
    return Math.round((bytesRead() - before) / pageSize);
  };
}

for (const engineUnderTest of testEngines()) {
  const { name, skip } = engineUnderTest;
  after(() => engineUnderTest.close());

  test(`100,000 keys on ${name}`, { skip }, async (t) => {
    const location = await engineUnderTest.newLocation();
    const storage = await openStorage(location);
    const engine = await openEngine(location);
    t.after(async () => {
      await engine.db.destroy();
      await storage.close();
    });
    const visible = new VisibleKeys(storage);
    const readOf = async (filter: Partial<KeyFilter>, meter: Meter) => {
      let most = 0;
      for (const sort of KEY_SORTS) {
        for (const order of SORT_ORDERS) {
          const statements: CompiledQuery[] = [];
          const recorded = new VisibleKeys(recordedStorage(storage, engine, statements));
          const wanted = { ...filter, sort, order, limit: LIMIT };
          const { next_after: next } = await recorded.page(ADMIN, wanted, NOW);
          // An index is read in both directions alike: of one order the first page is measured, of the other the second.
          if (order === 'desc' && next !== undefined) {
            statements.length = 0;
            const after = parsePosition(next, sort === 'name' ? 'string' : 'number');
            await recorded.page(ADMIN, { ...wanted, after }, NOW);
          }
          assert.ok(statements.length > 0);
          let read = 0;
          for (const statement of statements) read += await meter(statement);
          most = Math.max(most, read);
        }
      }
      return most;
    };

    const read = new Map<string, number[]>();
    let filled = 0;
    for (const size of SIZES) {
      await fill(location, engine, filled, size);
      filled = size;
      const meter = name === 'SQLite' ? sqliteMeter(engine.place, t) : await postgresMeter(location, size, t);
      for (const [filterName, filter] of FILTERS) {
        read.set(filterName, [...(read.get(filterName) ?? []), await readOf(filter, meter)]);
      }
    }

    for (const [filterName] of FILTERS) {
      await t.test(`list with ${filterName}`, () => {
        const [few = 0, many = 0] = read.get(filterName) ?? [];
        const unit = name === 'SQLite' ? 'pages' : 'rows';
        const also = `, ${many} ${unit} of 100,000 keys, ${few} of 10,000`;
        assert.ok(many <= (name === 'SQLite' ? MAX_PAGES : MAX_ROWS), also);
        assert.ok(many <= MAX_GROWTH * few + LIMIT, also);
      });
    }

    await t.test('create and open a key', async () => {
      const keys = new Keys(storage.keys, new AuditLog(storage.audit));
      for (let i = 0; i < 5; i++) {
        const newKey = { name: `Another customer ${i}`, tier: 'pro', permissions: PERMISSIONS } as const;
        const { key } = await keys.create(newKey, { name: 'test' }, NOW, 'owner 1');
        await visible.describe([key], NOW);
        const found = await visible.find(ADMIN, key.id);
        await visible.rotationOf(ADMIN, found);
        await visible.describe([found], NOW);
      }
    });
  });
}
