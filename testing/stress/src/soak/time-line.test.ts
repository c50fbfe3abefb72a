import assert from 'node:assert/strict';
import test from 'node:test';
import { seededWords } from '@whence/testing/seeded-random';
import { makeTimeLine } from './time-line.ts';

function counts(minutes: number): Record<string, number> {
  const result: Record<string, number> = {};
  for (const { kind } of makeTimeLine(minutes, seededWords(1)))
    result[kind] = (result[kind] ?? 0) + 1;
  return result;
}

for (const [minutes, want] of [
  [
    10,
    {
      swap: 100,
      kill: 30,
      'hostile zone': 20,
      'never-reading client': 500,
      'half-closing client': 300,
      'statistics export': 20,
      '/8 summaries': 20,
      lock: 1,
    },
  ],
  [
    1,
    {
      swap: 10,
      kill: 3,
      'hostile zone': 5,
      'never-reading client': 50,
      'half-closing client': 30,
      'statistics export': 2,
      '/8 summaries': 2,
      lock: 1,
    },
  ],
] as const)
  test(`time line: ${minutes} min have ${JSON.stringify(want)}`, () =>
    assert.deepEqual(counts(minutes), want));

test('time line: events are in order, inside the run, and the same for the same seed', () => {
  const events = makeTimeLine(10, seededWords(5));
  assert.deepEqual(makeTimeLine(10, seededWords(5)), events);
  assert.notDeepEqual(makeTimeLine(10, seededWords(6)), events);
  const times = events.map(({ atMs }) => atMs);
  assert.deepEqual(
    times,
    [...times].sort((a, b) => a - b),
  );
  assert.ok(times.every((atMs) => atMs > 0 && atMs < 600_000));
});
