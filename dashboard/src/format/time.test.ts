import assert from 'node:assert/strict';
import { test } from 'node:test';
import { duration, exactUtc, relativeTime, shortTime } from './time.ts';

const now = Date.parse('2026-08-01T12:00:00Z');
for (const [behaviour, at, want] of [
  ['a second ago', '2026-08-01T11:59:59Z', 'just now'],
  ['minutes', '2026-08-01T11:55:00Z', '5 minutes ago'],
  ['hours are not rounded up', '2026-08-01T10:01:00Z', '1 hour ago'],
  ['yesterday', '2026-07-31T10:00:00Z', 'yesterday'],
  ['months', '2026-05-20T10:00:00Z', '2 months ago'],
  ['the future', '2026-08-01T17:00:00Z', 'in 5 hours'],
  ['the near future', '2026-08-01T12:00:30Z', 'in a moment'],
] as const) {
  test(`time: ${behaviour}`, () => assert.equal(relativeTime(Date.parse(at), now, 'en'), want));
}

for (const [at, want] of [
  ['2026-08-01T11:59:30Z', 'now'],
  ['2026-08-01T11:55:00Z', '5 min'],
  ['2026-08-01T08:01:00Z', '3 h'],
  ['2026-07-20T10:00:00Z', '12 d'],
  ['2026-08-07T18:00:00Z', '6 d'],
  ['2026-05-20T10:00:00Z', '20 May'],
  ['2025-05-20T10:00:00Z', 'May 2025'],
] as const) {
  test(`time: ${at} is ${want} in a table`, () => assert.equal(shortTime(Date.parse(at), now, 'en-GB'), want));
}

for (const [seconds, want] of [
  [0, '0 s'],
  [45, '45 s'],
  [60, '1 min'],
  [5 * 3600 + 12 * 60 + 9, '5 h 12 min'],
  [3 * 86_400, '3 d'],
] as const) {
  test(`time: a duration of ${seconds} seconds is ${want}`, () => assert.equal(duration(seconds), want));
}

test('time: the exact value is in UTC, to the second', () => {
  assert.equal(exactUtc('2026-08-01T13:05:09.123Z'), '2026-08-01 13:05:09 UTC');
});
