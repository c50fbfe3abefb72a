import assert from 'node:assert/strict';
import test from 'node:test';
import { formatAddress, ipv6 } from '@whence/dataset/address';
import { fromBigInt, lastAddress, type Range } from '@whence/dataset/prefix';
import { seededRandom } from '@whence/testing/seeded-random';
import { Reader, type Response } from 'maxmind';
import { DataSection, uint16, uint32, uint64, type Value } from './mmdb-data.ts';
import { encodeMetadata, insertRange, MmdbValues } from './mmdb-file.ts';
import { NO_DATA, recordBitsFor, SEPARATOR_BYTES, SearchTree } from './mmdb-tree.ts';

const METADATA = {
  databaseType: 'Test',
  description: 'a test',
  builtAt: new Date('2026-11-15T00:00:00Z'),
};

class MmdbFile {
  readonly tree = new SearchTree();
  readonly #values = new MmdbValues();
  addValue = (value: Value) => this.#values.add(value);
  add = (range: Range, value: number) => insertRange(this.tree, range, value);
  encode = (metadata: typeof METADATA, tree = this.tree) => this.#values.encode(tree, metadata);
}

const read = (parts: Buffer[]) => new Reader<Response>(Buffer.concat(parts));
const answer = (reader: Reader<Response>, ip: string): unknown => reader.get(ip);

const SEED = 20261115;
test(`mmdb: random ranges of both families match a linear search (seed ${SEED})`, () => {
  const random = seededRandom(SEED);
  const ranges = [...randomRanges(4, 500, random), ...randomRanges(6, 500, random)];
  const file = new MmdbFile();
  const values = Array.from({ length: 40 }, (_, i) =>
    file.addValue(new Map<string, Value>([['n', uint32(i)]])),
  );
  for (const { range, value } of ranges) file.add(range, values[value] ?? 0);
  const reader = read(file.encode(METADATA));
  const slow = (version: 4 | 6, at: bigint) => {
    const found = ranges.find(
      ({ range: r }) => r.version === version && r.start <= at && at <= r.end,
    );
    return found === undefined ? null : { n: found.value };
  };
  const ask = (version: 4 | 6, at: bigint) => {
    const text = formatAddress(fromBigInt(at, version));
    assert.deepEqual(answer(reader, text), slow(version, at), text);
    if (version === 4)
      assert.deepEqual(answer(reader, `::ffff:${text}`), slow(version, at), `::ffff:${text}`);
  };
  for (const { range } of ranges) {
    const { version, start, end } = range;
    for (const at of [start - 1n, start, end, end + 1n])
      if (at >= 0n && at >> BigInt(bitsOf(version)) === 0n) ask(version, at);
  }
  for (let i = 0; i < 2000; i++) ask(4, randomBits(32, random));
});

for (const [recordBits, dataBytes] of [
  [24, 1],
  [28, 2 ** 24],
  [32, 2 ** 28],
] as const)
  test(`mmdb: records of ${recordBits} bits`, () => {
    const tree = new SearchTree();
    const data = new DataSection();
    const offsets = [data.place('left'), data.place('right')];
    tree.insert(ipv6(0x20000000, 0, 0, 0), 8, 0);
    tree.insert(ipv6(0x21000000, 0, 0, 0), 8, 1);
    const { bytes, recordBits: got } = tree.encode(offsets, dataBytes);
    assert.equal(got, recordBits);
    const reader = read([
      bytes,
      Buffer.alloc(SEPARATOR_BYTES),
      data.bytes,
      encodeMetadata(METADATA, tree.nodeCount, got),
    ]);
    assert.deepEqual(
      ['2000::1', '21ff::1', '2200::'].map((ip) => answer(reader, ip)),
      ['left', 'right', null],
    );
  });

test('mmdb: a tree that needs more than 32 bits is rejected', () => {
  assert.equal(recordBitsFor(2 ** 32 - 1), 32);
  assert.throws(() => recordBitsFor(2 ** 32), /too large for a MaxMind DB/);
});

test('mmdb: values of every type and size are read back', () => {
  const texts = [0, 1, 2, 3, 28, 29, 284, 285, 65_820, 65_821, 70_000].map(
    (length) => 'ä'.repeat(length / 2) + 'x'.repeat(length % 2),
  );
  const value = new Map<string, Value>([
    ['texts', texts],
    ['many', new Map(Array.from({ length: 300 }, (_, i) => [`key ${i}`, uint16(i)]))],
    ['numbers', [uint32(0), uint32(255), uint32(256), uint32(0xffffffff), uint64(2 ** 40)]],
    ['booleans', [true, false]],
    ['nothing', new Map()],
  ]);
  const file = new MmdbFile();
  file.add({ version: 4, start: 0n, end: 255n }, file.addValue(value));
  const found = answer(read(file.encode(METADATA)), '0.0.0.7') as Record<string, unknown>;
  assert.deepEqual(found['texts'], texts);
  assert.deepEqual(Object.entries(found['many'] as object)[299], ['key 299', 299]);
  assert.deepEqual((found['numbers'] as unknown[]).map(Number), [0, 255, 256, 0xffffffff, 2 ** 40]);
  assert.deepEqual(found['booleans'], [true, false]);
  assert.deepEqual(found['nothing'], {});
});

test('mmdb: pointers of every length', () => {
  const data = new DataSection();
  const file = new MmdbFile();
  // 300 strings of 3,000 bytes cross the offsets 2,048 and 526,336, where pointers get longer.
  for (let i = 0; i < 300; i++) {
    const map = new Map([['text', String(i).padStart(3000, '.')]]);
    data.place(map);
    file.add({ version: 4, start: BigInt(i), end: BigInt(i) }, file.addValue(map));
  }
  assert.ok(data.bytes.length > 526_336);
  const reader = read(file.encode(METADATA));
  for (let i = 0; i < 300; i++)
    assert.deepEqual(answer(reader, `0.0.${i >> 8}.${i & 255}`), {
      text: String(i).padStart(3000, '.'),
    });
});

test('mmdb: equal values are stored once', () => {
  const data = new DataSection();
  const record = () =>
    new Map<string, Value>([
      ['name', 'a longer text'],
      ['inner', new Map([['name', 'a longer text']])],
    ]);
  const offset = data.place(record());
  const size = data.bytes.length;
  assert.equal(data.place(record()), offset);
  assert.equal(data.bytes.length, size);
  assert.equal(data.bytes.toString('latin1').split('a longer text').length, 2);
});

test(`mmdb: a tree with other data is the one that is built with it (seed ${SEED})`, () => {
  const random = seededRandom(SEED);
  const ranges = [...randomRanges(4, 800, random), ...randomRanges(6, 800, random)];
  // Most values become one of three or none, so that neighbours merge.
  const dataOf = Int32Array.from({ length: 40 }, () => Math.floor(random() * 4) - 1);
  const all = new SearchTree();
  const merged = new SearchTree();
  let open: { version: 4 | 6; start: bigint; end: bigint; data: number } | undefined;
  const close = () => open && insertRange(merged, open, open.data);
  for (const { range, value } of ranges) {
    insertRange(all, range, value);
    const data = dataOf[value] as number;
    if (open?.data === data && open.version === range.version && open.end + 1n === range.start)
      open.end = range.end;
    else {
      close();
      open = data === NO_DATA ? undefined : { ...range, data };
    }
  }
  close();
  const derived = all.withData(dataOf);
  assert.ok(derived.nodeCount < all.nodeCount);
  assert.equal(derived.networks, merged.networks);
  assert.deepEqual(derived.encode([1, 2, 3], 4), merged.encode([1, 2, 3], 4));
});

test('mmdb: overlapping prefixes are rejected', () => {
  const tree = new SearchTree();
  tree.insert(ipv6(0x20000000, 0, 0, 0), 16, 0);
  assert.throws(() => tree.insert(ipv6(0x20000000, 0, 0, 0), 32, 1), /overlap/);
  assert.throws(() => tree.insert(ipv6(0x20000000, 0, 0, 0), 8, 1), /overlap/);
});

test('mmdb: without IPv4 there is no alias, and IPv4 addresses are not found', () => {
  const file = new MmdbFile();
  const start = 0x20n << 120n;
  file.add({ version: 6, start, end: lastAddress(start, 32, 128) }, file.addValue('IPv6'));
  const reader = read(file.encode(METADATA));
  assert.deepEqual(
    ['192.0.2.1', '::ffff:192.0.2.1', '2000::1'].map((ip) => answer(reader, ip)),
    [null, null, 'IPv6'],
  );
});

const bitsOf = (version: 4 | 6) => (version === 4 ? 32 : 128);

function randomBits(bits: number, random: () => number): bigint {
  let value = 0n;
  for (let i = 0; i < bits; i += 32)
    value = (value << 32n) | BigInt(Math.floor(random() * 2 ** 32));
  return value;
}

/**
 * Ascending ranges, many of them adjacent, others with gaps. IPv6 only in 2000::/3, as announced.
 */
function randomRanges(
  version: 4 | 6,
  count: number,
  random: () => number,
): { range: Range; value: number }[] {
  const bits = bitsOf(version);
  const first = version === 4 ? 0n : 1n << 125n;
  const points = new Set<bigint>();
  while (points.size < count * 2) {
    const at = randomBits(bits, random) >> (version === 4 ? 0n : 3n);
    const rounding = BigInt(Math.floor(random() * (bits - 8)));
    points.add(first + ((at >> rounding) << rounding));
  }
  const sorted = [...points].sort((a, b) => (a < b ? -1 : 1));
  return sorted.slice(0, -1).flatMap((start, i) => {
    const end = (sorted[i + 1] ?? start) - 1n;
    return random() < 0.4
      ? []
      : [{ range: { version, start, end }, value: Math.floor(random() * 40) }];
  });
}
