import assert from 'node:assert/strict';
import test from 'node:test';
import { seededRandom } from '@whence/testing/seeded-random';
import { DatasetError } from '../dataset-error.ts';
import { BitCursor, BitWriter } from './bit-lists.ts';

for (const seed of [1, 2, 3, 4]) {
  test(`bit-lists: everything that is written is read again, one after the other (seed ${seed})`, () => {
    const random = seededRandom(seed);
    const below = (limit: number) => Math.floor(random() * limit);
    const writer = new BitWriter();
    const checks: ((cursor: BitCursor) => void)[] = [];
    for (let i = 0; i < 400; i++) {
      const number = below(2 ** below(24));
      const range = 1 + below(2 ** below(14));
      const share = random() ** 3;
      const list = Array.from({ length: range }, (_, value) => value).filter(
        () => random() < share,
      );
      if (below(2) === 0) {
        writer.gamma(number + 1);
        checks.push((cursor) => assert.equal(cursor.gamma(), number + 1));
      } else {
        writer.ascending(list, range);
        checks.push((cursor) => assert.deepEqual(readList(cursor, list.length, range), list));
      }
    }
    const cursor = new BitCursor(writer.finish(), 0);
    for (const check of checks) check(cursor);
  });
}

for (const [behaviour, list, range] of [
  ['no element', [], 10],
  ['one element of one', [0], 1],
  ['all elements', [0, 1, 2, 3, 4, 5, 6, 7, 8], 9],
  ['a large gap after a dense start', [0, 1, 2, 3, 1_000_000], 1_000_001],
  ['the last of a large range', [2 ** 26 - 1], 2 ** 26],
] as const) {
  test(`bit-lists: ${behaviour}`, () => {
    const writer = new BitWriter();
    writer.ascending([...list], range);
    assert.deepEqual(readList(new BitCursor(writer.finish(), 0), list.length, range), [...list]);
  });
}

test('bit-lists: a gamma code without an end is an error, not an endless loop', () => {
  assert.throws(() => new BitCursor(new Uint8Array(8), 0).gamma(), DatasetError);
});

function readList(cursor: BitCursor, count: number, range: number): number[] {
  const target = new Uint32Array(count);
  cursor.ascending(count, range, target);
  return [...target];
}
