/**
 * `node database-limits.js URL [ROWS]`: what docs/capacity.md says of one PostgreSQL, measured with
 * the code of the server on an empty database: the question about keys, one key that many processes
 * use, the first leases of a day, and sums over the rows of `usage`.
 */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { openStorage } from '../../storage/open-storage.ts';
import type { Storage } from '../../storage/storage.ts';

const PROCESSES = 8;
const SECONDS = 5;
const DAY = '2026-11-15';
const MIDNIGHT_KEYS = 10_000;
const DAYS = 400;
const [, , url = '', rowsText = '600000'] = process.argv;

const print = (what: string, seen: string) => process.stdout.write(`${what.padEnd(64)}  ${seen}\n`);

/** How often `work` was done in a second, by all processes together. */
async function perSecond(
  storages: readonly Storage[],
  work: (storage: Storage, i: number) => Promise<unknown>,
) {
  let done = 0;
  const stop = AbortSignal.timeout(SECONDS * 1000);
  await Promise.all(
    storages.map(async (storage, i) => {
      while (!stop.aborted) {
        await work(storage, i);
        done++;
      }
    }),
  );
  return `${Math.round(done / SECONDS)} per second`;
}

async function seconds(work: () => Promise<unknown>): Promise<string> {
  const startedMs = performance.now();
  await work();
  return `${((performance.now() - startedMs) / 1000).toFixed(2)} s`;
}

const client = new pg.Client({ connectionString: url });
const storages = await Promise.all(Array.from({ length: PROCESSES }, () => openStorage(url)));
const [storage] = storages as [Storage];
try {
  await client.connect();
  const { revision } = await storage.keys.changes('');
  print(
    'questions about changes of keys, one process',
    await perSecond([storage], (one) => one.keys.changes(revision)),
  );

  const owners = storages.map(() => randomUUID());
  const request = { wanted: 1, open: 1, spent: 0, opened: 0, limit: 1_000_000_000 };
  const lease = (storage: Storage, i: number) =>
    storage.leases.take({ keyId: 'hot', day: DAY, owner: owners[i] as string }, request);
  print(`leases of one key, ${PROCESSES} processes`, await perSecond(storages, lease));

  let number = 0;
  const count = (storage: Storage, i: number) =>
    storage.usage.add(
      { writer: owners[i] as string, number: ++number },
      [{ keyId: 'hot', day: DAY, endpoint: 'ip', statusClass: 2, requests: 1 }],
      new Map(),
    );
  print(`statistics of one key, ${PROCESSES} processes`, await perSecond(storages, count));

  const midnight = () =>
    Promise.all(
      Array.from({ length: MIDNIGHT_KEYS }, (_, i) =>
        storage.leases.take(
          { keyId: `k${i}`, day: '2026-11-16', owner: owners[0] as string },
          request,
        ),
      ),
    );
  print(`first leases of a day for ${MIDNIGHT_KEYS} keys, one process`, await seconds(midnight));

  const perDay = Math.round(Number(rowsText) / DAYS / 3);
  await client.query(
    `insert into usage (key_id, day, endpoint, status_class, requests)
     select 'k' || key, to_char(date '2026-11-15' - age, 'YYYY-MM-DD'), endpoint, class, 1
     from generate_series($1::int, 0, -1) age, generate_series(1, $2::int) key,
       (values ('ip', 2), ('ip', 4), ('batch', 2)) as e (endpoint, class) on conflict do nothing`,
    [DAYS - 1, perDay],
  );
  await client.query('vacuum analyze usage');
  const range = { from: '2026-10-17', to: DAY };
  for (const by of ['endpoint', 'status', 'key'] as const)
    print(
      `30 of ${DAYS} days of usage by ${by}, ${perDay * 90} of ${perDay * 3 * DAYS} rows`,
      await seconds(() => storage.usage.sums(range, by)),
    );
} finally {
  await client.end();
  await Promise.all(storages.map((storage) => storage.close()));
}
