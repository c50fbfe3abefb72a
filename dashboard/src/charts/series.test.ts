import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axisTop, daysBetween, seriesBy } from './series.ts';

const days = daysBetween('2026-07-30', '2026-08-01');
const rows = [
  { day: '2026-07-30', endpoint: 'ip', status_class: 2, requests: 5 },
  { day: '2026-08-01', endpoint: 'ip', status_class: 4, requests: 1 },
  { day: '2026-08-01', endpoint: 'batch', status_class: 2, requests: 9 },
];

test('usage: the days of a range, both ends included, across a month', () => {
  assert.deepEqual(days, ['2026-07-30', '2026-07-31', '2026-08-01']);
});

test('usage: by endpoint, the largest first', () => {
  assert.deepEqual(seriesBy(rows, days, 'endpoint'), [
    { id: 'batch', label: 'batch', values: [0, 0, 9] },
    { id: 'ip', label: 'ip', values: [5, 0, 1] },
  ]);
});

test('usage: by status class', () => {
  assert.deepEqual(seriesBy(rows, days, 'status'), [
    { id: '2xx', label: '2xx', values: [5, 0, 9] },
    { id: '4xx', label: '4xx', values: [0, 0, 1], tone: 'refused' },
  ]);
});

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
