import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axisTop, withStatusTones } from './series.ts';

test('usage: refused and failed requests have a tone of their own', () => {
  const series = ['2', '4', '5'].map((id) => ({ id, label: `${id}xx`, values: [1] }));
  assert.deepEqual(
    withStatusTones(series).map(({ tone }) => tone),
    [undefined, 'refused', 'failed'],
  );
});

for (const [largest, top] of [
  [0, 1],
  [1, 1],
  [3, 3],
  [412, 500],
  [1000, 1000],
  [1001, 1200],
  [11, 12],
] as const) {
  test(`axis: ${largest} fits below ${top}`, () => assert.equal(axisTop(largest), top));
}
