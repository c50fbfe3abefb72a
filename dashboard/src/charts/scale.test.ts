import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axisTop } from './scale.ts';

for (const [largest, top] of [
  [0, 1],
  [1, 1],
  [3, 5],
  [412, 500],
  [1000, 1000],
  [1001, 2000],
  [0.3, 0.5],
] as const) {
  test(`axis: ${largest} fits below ${top}`, () => assert.equal(axisTop(largest), top));
}
