import assert from 'node:assert/strict';
import test from 'node:test';
import type { KeyUse, UsageRow } from '../storage/statistics-changes.ts';
import type { UsageStore } from '../storage/stores/usage-store.ts';
import type { RefusalReason } from '../vocabulary.ts';
import { Usage } from './usage.ts';

const HOUR = Date.UTC(2026, 10, 15, 12);
const at = (second: number) => new Date(Date.UTC(2026, 10, 15, 12, 0, second));
const first = (second: number) => ({ at: at(second), from: '192.0.2.1', status: 200 });

/** One request of 192.0.2.1. */
const refusedOnce = (reason: RefusalReason, lastAt: Date): KeyUse => ({
  refused: { requests: 1, lastAt, lastFrom: '192.0.2.1' },
  refusals: [
    { hour: Date.UTC(2026, 10, 15, 12), reason, requests: 1, lastAt, detail: '192.0.2.1' },
  ],
});

function writtenBy(): { usage: Usage; written: Map<string, KeyUse>[]; state: { isDown: boolean } } {
  const written: Map<string, KeyUse>[] = [];
  const state = { isDown: false };
  const store: Pick<UsageStore, 'add'> = {
    async add(_batch, _rows, uses) {
      if (state.isDown) throw new Error('storage is down');
      written.push(new Map(uses));
    },
  };
  return { usage: new Usage(store as UsageStore), written, state };
}

test('usage: a key that was read twice before a write has the earliest request as its first use', async () => {
  const { usage, written } = writtenBy();
  usage.recordFirstUse({ id: 'one' }, first(1));
  usage.recordFirstUse({ id: 'one' }, first(2));
  usage.recordFirstUse({ id: 'two' }, first(2));
  usage.recordFirstUse({ id: 'two' }, first(1));
  await usage.flush();
  assert.deepEqual(
    written.flatMap((uses) => [...uses].map(([id, { firstUse }]) => [id, firstUse?.at])),
    [
      ['one', at(1)],
      ['two', at(1)],
    ],
  );
});

test('usage: the first use of a key is taken once, and never of a key that was used', () => {
  const { usage } = writtenBy();
  const key = { id: 'one' };
  assert.ok(usage.isFirstUse(key));
  usage.recordFirstUse(key, first(1));
  assert.ok(!usage.isFirstUse(key));
  assert.ok(!usage.isFirstUse({ id: 'two', lastUsedAt: at(0) }));
});

test('usage: refused requests that storage did not take are written before those that follow', async () => {
  const { usage, written, state } = writtenBy();
  usage.countUnauthorized('one', 'paused', '192.0.2.1', at(1).getTime());
  state.isDown = true;
  await assert.rejects(usage.flush(), /storage is down/);
  usage.countUnauthorized('one', 'paused', '192.0.2.1', at(2).getTime());
  state.isDown = false;
  await usage.flush();
  assert.deepEqual(
    written,
    [at(1), at(2)].map((lastAt) => new Map([['one', refusedOnce('paused', lastAt)]])),
  );
});

test('usage: the first use of a key can be written ahead of everything else', async () => {
  const { usage, written } = writtenBy();
  const today = '2026-11-15';
  const count = (id: string, second: number) => usage.count(id, 'ip', 200, at(second).getTime());
  count('used', 1);
  count('new', 1);
  usage.recordFirstUse({ id: 'new' }, first(1));
  usage.countUnauthorized('revoked', 'revoked', '192.0.2.1', at(1).getTime());
  await usage.flushFirstUses();
  await usage.flushFirstUses();
  count('used', 2);
  assert.equal(
    await usage.flush(),
    8,
    'two counters by day and by hour, what is new of three keys, and a reason',
  );
  assert.deepEqual(written, [
    new Map<string, KeyUse>([['new', { lastUsedAt: at(1), firstUse: first(1) }]]),
    new Map<string, KeyUse>([
      [
        'used',
        { lastUsedAt: at(1), lastDay: { day: today, requests: 2 }, hours: new Map([[HOUR, 2]]) },
      ],
      ['revoked', refusedOnce('revoked', at(1))],
      ['new', { lastDay: { day: today, requests: 1 }, hours: new Map([[HOUR, 1]]) }],
    ]),
  ]);
});

test('usage: a refused key has one counter for each reason and hour, however many requests', async () => {
  const { usage, written } = writtenBy();
  const hour = Date.UTC(2026, 10, 15, 12);
  for (let i = 0; i < 1_000; i++) usage.countRefused('one', 'rate', hour + i);
  usage.countRefused('one', 'permission', hour + 5, 'asn:read');
  usage.countRefused('one', 'rate', hour + 3_600_000);
  await usage.flush();
  assert.deepEqual(written[0]?.get('one')?.refusals, [
    { hour, reason: 'rate', requests: 1_000, lastAt: new Date(hour + 999) },
    { hour, reason: 'permission', requests: 1, lastAt: new Date(hour + 5), detail: 'asn:read' },
    { hour: hour + 3_600_000, reason: 'rate', requests: 1, lastAt: new Date(hour + 3_600_000) },
  ]);
});

test('usage: requests over the change of an hour and of a day are counted in each', async () => {
  const added: { rows: readonly UsageRow[]; uses: ReadonlyMap<string, KeyUse> }[] = [];
  const store: Pick<UsageStore, 'add'> = {
    add: async (_batch, rows, uses) => void added.push({ rows, uses }),
  };
  const usage = new Usage(store as UsageStore);
  const midnight = Date.UTC(2026, 10, 16);
  const hour = 3_600_000;
  for (const [before, times] of [
    [hour + 1, 2],
    [1, 3],
    [0, 4],
  ] as const)
    for (let i = 0; i < times; i++)
      usage.count('one', i === 0 ? 'asn' : 'ip', 200, midnight - before);
  await usage.flush();
  const [{ rows, uses } = assert.fail('nothing was written')] = added;
  assert.deepEqual(
    rows.map(({ day, endpoint, requests }) => [day, endpoint, requests]),
    [
      ['2026-11-15', 'asn', 2],
      ['2026-11-15', 'ip', 3],
      ['2026-11-16', 'asn', 1],
      ['2026-11-16', 'ip', 3],
    ],
  );
  assert.deepEqual(
    uses.get('one')?.hours,
    new Map([
      [midnight - 2 * hour, 2],
      [midnight - hour, 3],
      [midnight, 4],
    ]),
  );
});
