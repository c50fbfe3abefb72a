/** Cursors that start anywhere, held against lookups. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { seededRandom } from '@whence/testing/seeded-random';
import { type Address, formatAddress, ipv4, ipv6 } from '../../address.ts';
import { sampleDataset } from '../../test/sample-dataset.ts';

const dataset = sampleDataset({
  routes: [
    ['1.0.0.0/8', 64500, 'One'],
    ['1.2.0.0/16', 64501, 'Two'],
    ['1.2.3.0/24', 64502, 'Three'],
    ['9.9.9.0/24', 64503, 'Nine'],
    ['223.255.255.0/24', 64504, 'Last'],
    ['2001:4860::/32', 64505, 'Six'],
    ['2001:4860:1::/48', 64506, 'Seven'],
    ['2001:4860:1:2:3::/80', 64507, 'Deep'],
    ['2001:4860:1:2:4::/80', 64508, 'Deeper'],
    ['2a00::/12', 64509, 'Wide'],
    ['2a00:1:2:3:8000::/65', 64510, 'Half'],
    ['3fff:8000::/20', 64511, 'End'],
  ],
});

const INTERESTING: readonly Address[] = [
  ...[0, 1, 0x01000000, 0x01020304, 0x01ffffff, 0x09090900, 0x0909ffff, 0xdfffff00, 0xffffffff].map(
    ipv4,
  ),
  ipv6(0, 0, 0, 0),
  ipv6(0x20000000, 0, 0, 0),
  ipv6(0x20014860, 0, 0, 0),
  ipv6(0x20014860, 0x00010002, 0x00030000, 5),
  ipv6(0x20014860, 0x00010002, 0x00050000, 0),
  ipv6(0x20014860, 0x00010003, 0, 0),
  ipv6(0x2a000001, 0x00020003, 0x80000000, 1),
  ipv6(0x2a000001, 0x00020003, 0, 1),
  ipv6(0x2a000001, 0x00020004, 0, 0),
  ipv6(0x3fff8000, 0, 0, 1),
  ipv6(0x40000000, 0, 0, 0),
  ipv6(0xffffffff, 0, 0, 0),
];

const random = seededRandom(26);
const word = () => Math.floor(random() * 2 ** 32);
const RANDOM = Array.from({ length: 200 }, (_, i) =>
  i % 2 === 0 ? ipv4(word()) : ipv6(0x20000000 + (word() >>> 3), word(), word(), word()),
);

test('cursor from an address: the first interval is that of the address, the next ones follow without gaps', () => {
  for (const address of [...INTERESTING, ...RANDOM]) {
    const cursor = dataset.cursorFrom(address);
    assert.ok(cursor.advance(), formatAddress(address));
    assert.equal(cursor.match, dataset.find(address), formatAddress(address));
    let previous = -1n;
    let left = 300;
    do {
      const start = toBigInt(cursor);
      assert.ok(start > previous, formatAddress(address));
      previous = start;
      const { w0, w1, w2, w3, match } = cursor;
      const at = address.version === 4 ? ipv4(w0) : ipv6(w0, w1, w2, w3);
      assert.equal(dataset.find(at), match, `${formatAddress(at)} from ${formatAddress(address)}`);
    } while (--left > 0 && cursor.advance());
  }
});

test('cursor from an address: from the beginning it has the intervals of all runs', () => {
  for (const [version, first] of [
    [4, ipv4(0)],
    [6, ipv6(0, 0, 0, 0)],
  ] as const) {
    const starts = new Set<bigint>();
    for (const cursor = dataset.cursorFrom(first); cursor.advance(); )
      starts.add(version === 4 ? BigInt(cursor.w0) : toBigInt(cursor));
    for (const { start } of dataset.runs(version)) assert.ok(starts.has(start), String(start));
  }
});

function toBigInt({ w0, w1, w2, w3 }: { w0: number; w1: number; w2: number; w3: number }): bigint {
  return (BigInt(w0) << 96n) | (BigInt(w1) << 64n) | (BigInt(w2) << 32n) | BigInt(w3);
}
