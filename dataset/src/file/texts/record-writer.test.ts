import assert from 'node:assert/strict';
import test from 'node:test';
import { seededRandom } from '@whence/testing/seeded-random';
import { ipv4, ipv6 } from '../../address.ts';
import { sampleDataset } from '../../test/sample-dataset.ts';
import { recordBytes, writeRecord } from './record-writer.ts';

/** More than the cache has slots, so that many records share a slot. */
const NETWORKS = 20_000;

const dataset = sampleDataset({
  routes: Array.from({ length: NETWORKS }, (_, i) => [
    i % 10 === 0
      ? `2a00:${(i >> 8).toString(16)}:${(i & 255).toString(16)}::/48`
      : `${11 + (i >> 16)}.${(i >> 8) & 255}.${i & 255}.0/24`,
    100_000 + i,
    i % 1_000 === 7
      ? `A name of many bytes, ${'très long '.repeat(60)}${i}`
      : `Network "${i}" \\ ${'x'.repeat(i % 40)}`,
  ]),
  tor: [['11.0.1.9/32', 'Relay']],
});

const SEED = 20261115;

for (const [behaviour, networks, lookups] of [
  ['a few frequent records', 50, 10_000],
  ['records that share a place', NETWORKS, 60_000],
] as const) {
  test(`record writer: the text of Dataset.json, for ${behaviour} (seed ${SEED})`, () => {
    const random = seededRandom(SEED);
    const below = (count: number) => Math.floor(random() * count);
    const buffer = Buffer.alloc(8_192);
    let i = 0;
    for (let lookup = 0; lookup < lookups; lookup++) {
      // Sometimes the same record again, or another record of the same slot.
      const step = below(4);
      if (step === 0) i = below(networks);
      else if (step === 1) i = (i + (1 << 14)) % networks;
      const host = below(256);
      const address =
        i % 10 === 0
          ? ipv6((0x2a00 << 16) | (i >> 8), (i & 255) << 16, 0, host)
          : ipv4((((11 + (i >> 16)) << 24) | ((i & 0xffff) << 8) | host) >>> 0);
      const match = dataset.find(address);
      assert.notEqual(match, 0);
      const end = writeRecord(dataset, address, match, buffer, 3);
      const text = dataset.json(address, match);
      assert.equal(buffer.toString('latin1', 3, end), text);
      assert.ok(recordBytes(dataset, match) >= text.length);
    }
  });
}
