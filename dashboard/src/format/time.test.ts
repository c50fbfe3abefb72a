import assert from 'node:assert/strict';
import { test } from 'node:test';
import { duration, exactUtc, relativeDay, relativeTime, shortTime } from './time.ts';

const now = Date.parse('2026-08-01T12:00:00Z');
for (const [behaviour, at, want] of [
  ['a second ago', '2026-08-01T11:59:59Z', 'just now'],
  ['minutes', '2026-08-01T11:55:00Z', '5 minutes ago'],
  ['hours are not rounded up', '2026-08-01T10:01:00Z', '1 hour ago'],
  ['yesterday', '2026-07-31T10:00:00Z', 'yesterday'],
  ['months', '2026-05-20T10:00:00Z', '2 months ago'],
  ['a past event by a clock that is ahead', '2026-08-01T12:02:00Z', 'just now'],
] as const) {
  test(`time: ${behaviour}`, () =>
    assert.equal(relativeTime(Date.parse(at), now, false, 'en'), want));
}

for (const [behaviour, at, want] of [
  ['the future', '2026-08-01T17:00:00Z', 'in 5 hours'],
  ['5 d 23 h', '2026-08-07T11:00:00Z', 'in 6 days'],
  ['the near future', '2026-08-01T12:00:30Z', 'in a moment'],
  ['what is due and has not been done yet', '2026-08-01T11:00:00Z', 'in a moment'],
] as const)
  test(`time ahead: ${behaviour}`, () =>
    assert.equal(relativeTime(Date.parse(at), now, true, 'en'), want));

for (const [day, want] of [
  ['2026-08-01', 'today'],
  ['2026-08-02', 'today'],
  ['2026-07-31', 'yesterday'],
  ['2026-07-31T23:59:00Z', 'yesterday'],
  ['2026-07-29', '3 days ago'],
  ['2026-05-20', '2 months ago'],
  ['2024-05-20', '2 years ago'],
] as const)
  test(`day: ${day} is ${want}, and never hours`, () =>
    assert.equal(relativeDay(day, now, 'en'), want));

for (const [at, want] of [
  ['2026-08-01T11:59:30Z', 'now'],
  ['2026-08-01T11:55:00Z', '5 min'],
  ['2026-08-01T08:01:00Z', '3 h'],
  ['2026-07-20T10:00:00Z', '12 d'],
  ['2026-08-07T18:00:00Z', '6 d'],
  ['2026-08-07T11:00:00Z', '6 d'],
  ['2026-08-01T14:50:00Z', '3 h'],
  ['2026-07-26T13:00:00Z', '5 d'],
  ['2026-05-20T10:00:00Z', '20 May'],
  ['2025-05-20T10:00:00Z', 'May 2025'],
] as const) {
  test(`time: ${at} is ${want} in a table`, () =>
    assert.equal(shortTime(Date.parse(at), now, 'en-GB'), want));
}

for (const [seconds, want] of [
  [0, '0 s'],
  [45, '45 s'],
  [60, '1 min'],
  [5 * 3600 + 12 * 60 + 9, '5 h 12 min'],
  [3 * 86_400, '3 d'],
] as const) {
  test(`time: a duration of ${seconds} seconds is ${want}`, () =>
    assert.equal(duration(seconds), want));
}

test('time: the exact value is in UTC, to the second', () => {
  assert.equal(exactUtc('2026-08-01T13:05:09.123Z'), '2026-08-01 13:05:09 UTC');
});
