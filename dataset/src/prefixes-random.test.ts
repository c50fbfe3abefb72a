/**
 * The prefixes of a network compared with the routes that it was given, over random nested
 * prefixes.
 */
import assert from 'node:assert/strict';
import test from 'node:test';
import { seededRandom } from '@whence/testing/seeded-random';
import { type Address, ipv4, ipv6, truncateAddress } from './address.ts';
import { formatPrefix, toBigInt } from './prefix.ts';
import { sampleDataset } from './test/sample-dataset.ts';

const NETWORKS = 12;

type Announced = { readonly base: Address; readonly length: number; readonly asn: number };

for (const seed of [1, 2, 3, 4, 5, 6]) {
  test(`prefixes of a network: all that it announces, in numerical order, once (seed ${seed})`, () => {
    const random = seededRandom(seed);
    const below = (limit: number) => Math.floor(random() * limit);
    const announced = new Map<string, Announced>();
    // Few bases and many lengths: prefixes that contain each other, and some that others cover.
    for (let i = 0; i < 600; i++) {
      const length = random() < 0.5 ? 8 + below(25) : 20 + below(108);
      const address =
        length <= 32 && random() < 0.6
          ? ipv4(((1 + below(3)) << 24) | (below(4) << 14) | below(1 << 14))
          : ipv6(
              0x2a000000 + below(3),
              random() < 0.5 ? 0 : below(4) << 30,
              below(2),
              random() < 0.7 ? 0 : below(8),
            );
      const base = truncateAddress(address, length);
      announced.set(formatPrefix(base, length), { base, length, asn: 64_496 + below(NETWORKS) });
    }
    const dataset = sampleDataset({
      routes: [...announced].map(([prefix, { asn }]) => [prefix, asn, `Network ${asn}`] as const),
      tor: [...announced.keys()]
        .filter(() => random() < 0.1)
        .map((prefix) => [prefix, 'Relay'] as const),
    });
    for (let asn = 64_496; asn < 64_496 + NETWORKS; asn++) {
      const texts = (version: 4 | 6) =>
        [...announced.values()]
          .filter((prefix) => prefix.asn === asn && prefix.base.version === version)
          .sort((a, b) => compareBigInts(toBigInt(a.base), toBigInt(b.base)) || a.length - b.length)
          .map(({ base, length }) => formatPrefix(base, length));
      const want = { ipv4: texts(4), ipv6: texts(6) };
      assert.deepEqual(dataset.prefixesOf(asn), want, `AS${asn}`);
      assert.deepEqual(JSON.parse(dataset.prefixesJson(asn).toString()), want, `AS${asn}`);
    }
  });
}

function compareBigInts(a: bigint, b: bigint): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
