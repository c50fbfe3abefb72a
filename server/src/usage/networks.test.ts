import assert from 'node:assert/strict';
import test from 'node:test';
import { seededRandom } from '@whence/testing/seeded-random';
import type { Batch, NetworkRow } from '../storage/statistics-changes.ts';
import { COUNTED_ALL, NetworkCounts, OTHER_NETWORKS } from './networks.ts';

const NOON = Date.parse('2026-11-15T12:00:00Z');
const SEED = 20261115;
/** An address is in the network of its last word; without one it is not announced. */
const dataset = { find: ({ w3 }: { w3: number }) => w3, asnNumber: (match: number) => match };
const addressIn = (asn: number) => ({ version: 4, w0: 0, w1: 0, w2: 0, w3: asn }) as const;

function countingTo() {
  const written: NetworkRow[] = [];
  const state = { isDown: false };
  const store = {
    async add(_batch: Batch, rows: readonly NetworkRow[]) {
      if (state.isDown) throw new Error('storage is down');
      written.push(...rows);
    },
    since: async () => [],
    prune: async () => 0,
  };
  const random = seededRandom(SEED);
  return { counts: new NetworkCounts(store, () => random()), written, state };
}

const lookupsOf = (rows: readonly NetworkRow[], asn: number) =>
  rows.filter((row) => row.asn === asn).reduce((sum, { lookups }) => sum + lookups, 0);

test('networks: up to a thousand lookups between two writes are counted exactly', async () => {
  const { counts, written } = countingTo();
  for (let round = 0; round < 2; round++) {
    for (let i = 0; i < COUNTED_ALL; i++) counts.count(dataset, addressIn(i % 4 === 0 ? 64496 : 64497));
    await counts.flush(NOON);
  }
  assert.deepEqual([lookupsOf(written, 64496), lookupsOf(written, 64497)], [500, 1500]);
  assert.deepEqual([...new Set(written.map(({ day }) => day))], ['2026-11-15']);
});

test(`networks: more are an estimate, also for clients that ask in turn (seed ${SEED})`, async () => {
  const { counts, written } = countingTo();
  const lookups = 1_000_000;
  // Every 64th is in another network: a fixed distance would see only one of them.
  for (let i = 0; i < lookups; i++) counts.count(dataset, addressIn(i % 64 === 0 ? 64496 : 64497));
  await counts.flush(NOON);
  const [rare, frequent] = [lookupsOf(written, 64496), lookupsOf(written, 64497)];
  assert.ok(Math.abs(rare / (lookups / 64) - 1) < 0.2, `${rare} of ${lookups / 64}`);
  assert.ok(Math.abs(frequent / ((lookups / 64) * 63) - 1) < 0.02, `${frequent}`);
});

test('networks: the hundred largest are written, all others as one', async () => {
  const { counts, written } = countingTo();
  for (let asn = 1; asn <= 200; asn++) {
    for (let i = 0; i < (asn <= 100 ? 3 : 1); i++) counts.count(dataset, addressIn(asn));
  }
  await counts.flush(NOON);
  assert.equal(written.length, 101);
  assert.deepEqual([lookupsOf(written, 100), lookupsOf(written, OTHER_NETWORKS)], [3, 100]);
});

test('networks: addresses of more networks than are remembered still count in the sum', async () => {
  const { counts, written } = countingTo();
  const networks = 300_000;
  for (let asn = 1; asn <= networks; asn++) counts.count(dataset, addressIn(asn));
  await counts.flush(NOON);
  const sum = written.reduce((total, { lookups }) => total + lookups, 0);
  assert.ok(Math.abs(sum / networks - 1) < 0.1, `${sum}`);
});

test('networks: what storage refuses is written the next time', async () => {
  const { counts, written, state } = countingTo();
  counts.count(dataset, addressIn(64496));
  state.isDown = true;
  await assert.rejects(counts.flush(NOON), /storage is down/);
  counts.count(dataset, addressIn(64496));
  state.isDown = false;
  await counts.flush(NOON);
  await counts.flush(NOON);
  const row = { day: '2026-11-15', asn: 64496, lookups: 1 };
  assert.deepEqual(written, [row, row]);
});
