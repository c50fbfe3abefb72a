import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { flatten, Ranges } from './ranges.ts';

type Row = readonly [start: number, end: number, value: number];

for (const [behaviour, rows, want] of [
  [
    'disjoint rows are unchanged',
    [
      [0, 3, 1],
      [8, 9, 2],
    ],
    '1111....22',
  ],
  [
    'a range inside another decides',
    [
      [0, 9, 1],
      [4, 5, 2],
    ],
    '1111221111',
  ],
  [
    'a range inside another decides also when it comes first',
    [
      [4, 5, 2],
      [0, 9, 1],
    ],
    '1111221111',
  ],
  [
    'three nested ranges',
    [
      [0, 9, 1],
      [2, 7, 2],
      [4, 5, 3],
    ],
    '1122332211',
  ],
  [
    'overlapping without nesting: the narrower decides',
    [
      [0, 5, 1],
      [4, 9, 2],
      [3, 4, 3],
    ],
    '1113322222',
  ],
  [
    'of equal ranges the later row decides',
    [
      [0, 9, 1],
      [0, 9, 2],
    ],
    '2222222222',
  ],
  [
    'adjacent rows do not overlap',
    [
      [0, 4, 1],
      [5, 9, 2],
    ],
    '1111122222',
  ],
  ['no rows', [], '..........'],
] as const satisfies readonly (readonly [string, readonly Row[], string])[]) {
  test(`ranges: ${behaviour}`, () => assert.equal(show(rows), want));
}

test('ranges: flattened as if painted over each other, the widest first', () => {
  const row = fc
    .tuple(fc.nat(9), fc.nat(9), fc.nat(8))
    .map(([a, b, value]): Row => [Math.min(a, b), Math.max(a, b), value + 1]);
  fc.assert(
    fc.property(fc.array(row, { maxLength: 8 }), (rows) => {
      const canvas = Array(10).fill('.');
      const painted = rows
        .map((r, i) => ({ r, i }))
        .sort((a, b) => b.r[1] - b.r[0] - (a.r[1] - a.r[0]) || a.i - b.i);
      for (const { r } of painted) canvas.fill(String(r[2]), r[0], r[1] + 1);
      assert.equal(show(rows), canvas.join(''));
    }),
    { numRuns: 5_000 },
  );
});

test('ranges: runs of a flattened layer are in order, disjoint, and joined where the same row continues', () => {
  const { starts, ends } = flatten(
    ranges([
      [0, 9, 1],
      [4, 5, 2],
      [2, 20, 3],
    ]),
  );
  assert.deepEqual(
    [starts, ends],
    [
      [0n, 4n, 6n, 10n],
      [3n, 5n, 9n, 20n],
    ],
  );
});

function ranges(rows: readonly Row[]): Ranges {
  const result = new Ranges();
  for (const [start, end, value] of rows) result.add(BigInt(start), BigInt(end), value);
  return result;
}

function show(rows: readonly Row[]): string {
  const source = ranges(rows);
  const canvas = Array(10).fill('.');
  const { starts, ends, rows: winners } = flatten(source);
  starts.forEach((start, i) => {
    canvas.fill(String(source.values[winners[i] as number]), Number(start), Number(ends[i]) + 1);
  });
  return canvas.join('');
}
