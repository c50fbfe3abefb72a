import assert from 'node:assert/strict';
import test from 'node:test';
import { seededRandom } from '@whence/testing/seeded-random';
import { AddressRows } from '../address-rows.ts';
import { findIpv4, findIpv6, ipv4Intervals, ipv6Intervals, isIpv4Sound, isIpv6Sound } from './interval-table.ts';
import { overlay } from './intervals.ts';

type Row = readonly [start: number, end: number, value: number];

/** Small numbers at both ends of each word, so that borders between words and at the end of the space occur. */
const wordsOf = (version: 4 | 6, at: number): number[] => {
  const [high, low] = [Math.floor(at / 16), at % 16];
  const edge = (digit: number) => (digit < 8 ? digit : 0xffffffff - (15 - digit));
  if (version === 4) return [((edge(high) & 0xffff) << 16) | (edge(low) & 0xffff)].map((word) => word >>> 0);
  return [edge(high), edge(low), high === 15 && low === 15 ? 0xffffffff : 0, low % 2 === 1 ? 0xffffffff : 0];
};

/** Addresses from 0 to 255 stand for some of the family, in the same order. */
const LAST = 255;

function rowsOf(version: 4 | 6, rows: readonly Row[]): AddressRows {
  const list = new AddressRows(version);
  for (const [start, end, value] of rows)
    assert.ok(list.add(wordsOf(version, start), endOf(version, end), value), `${start}-${end}`);
  return list;
}

/** The address before the next one that is used. */
function endOf(version: 4 | 6, at: number): number[] {
  if (at === LAST) return new Array(version === 4 ? 1 : 4).fill(0xffffffff);
  const next = wordsOf(version, at + 1);
  for (let i = next.length - 1; i >= 0; i--) {
    const word = next[i] as number;
    next[i] = word === 0 ? 0xffffffff : word - 1;
    if (word !== 0) break;
  }
  return next;
}

const valueAt = (rows: readonly Row[], at: number) => rows.find(([start, end]) => start <= at && at <= end)?.[2] ?? 0;

for (const [behaviour, base, above] of [
  ['nothing', [], []],
  [
    'rows with gaps',
    [
      [3, 5, 1],
      [9, 9, 2],
    ],
    [],
  ],
  [
    'adjacent rows',
    [
      [0, 5, 1],
      [6, LAST, 2],
    ],
    [],
  ],
  [
    'rows above gaps',
    [],
    [
      [0, 4, 3],
      [LAST, LAST, 4],
    ],
  ],
  ['a row inside another', [[0, 100, 1]], [[50, 60, 2]]],
  [
    'a row over several',
    [
      [10, 19, 1],
      [20, 29, 2],
      [40, 49, 3],
    ],
    [[15, 45, 4]],
  ],
  [
    'two rows in one',
    [[0, LAST, 1]],
    [
      [5, 6, 2],
      [8, 9, 3],
    ],
  ],
  [
    'the same borders',
    [
      [10, 19, 1],
      [20, 29, 2],
    ],
    [
      [10, 19, 3],
      [20, 29, 4],
    ],
  ],
  ['the whole space', [[0, LAST, 1]], [[0, LAST, 2]]],
] as const satisfies readonly (readonly [string, readonly Row[], readonly Row[]])[]) {
  test(`intervals: ${behaviour}`, () => checkBoth(base, above));
}

const SEED = 8805;
test(`intervals: 600 generated overlays say what a naive lookup says (seed ${SEED})`, () => {
  const random = seededRandom(SEED);
  const below = (limit: number) => Math.floor(random() * limit);
  const generate = (): Row[] => {
    const rows: Row[] = [];
    for (let at = below(40); at <= LAST; at += 1 + below(30)) {
      const end = Math.min(LAST, at + below(20));
      rows.push([at, end, 1 + below(3)]);
      at = end;
    }
    return rows;
  };
  for (let i = 0; i < 300; i++) checkBoth(generate(), generate());
});

/** A row above with the value 3 is one that leaves the value below where that is 1. */
const resolve = (above: number, below: number) => (above === 3 ? (below === 1 ? 1 : 0) : above);

function checkBoth(base: readonly Row[], above: readonly Row[]): void {
  for (const version of [4, 6] as const) {
    const intervals = overlay(rowsOf(version, base), rowsOf(version, above), resolve);
    const v4 = version === 4 ? ipv4Intervals(intervals) : undefined;
    const v6 = version === 6 ? ipv6Intervals(intervals) : undefined;
    assert.ok(v4 === undefined || isIpv4Sound(v4, 5));
    assert.ok(v6 === undefined || isIpv6Sound(v6, 5));
    for (let at = 0; at <= LAST; at++) {
      const stated = valueAt(above, at);
      const want = stated === 0 ? valueAt(base, at) : resolve(stated, valueAt(base, at));
      for (const words of [wordsOf(version, at), endOf(version, at)]) {
        const [w0 = 0, w1 = 0, w2 = 0, w3 = 0] = words;
        const found = v4
          ? findIpv4(v4, w0 | 0)
          : v6 && findIpv6(v6, { w0: w0 | 0, w1: w1 | 0, w2: w2 | 0, w3: w3 | 0 });
        assert.equal(found, want, `IPv${version} ${at} in ${JSON.stringify({ base, above })}`);
      }
    }
  }
}

test('address rows: a row that is not after those before is refused', () => {
  const rows = new AddressRows(6);
  assert.deepEqual(
    [
      rows.add([1, 0, 0, 0], [1, 0, 0, 9], 1),
      rows.add([1, 0, 0, 9], [1, 0, 0, 10], 2),
      rows.add([1, 0, 0, 12], [1, 0, 0, 11], 2),
      rows.add([1, 0, 0, 10], [2, 0, 0, 0], 3),
    ],
    [true, false, false, true],
  );
  assert.deepEqual([...rows.values], [1, 3]);
});
