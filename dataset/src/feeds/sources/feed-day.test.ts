import assert from 'node:assert/strict';
import test from 'node:test';
import { dayOfSeconds, dayOfText } from './feed-day.ts';

for (const [text, want] of [
  ['2025-07-24T19:16:28.780563', '2025-07-24'],
  ['2026-08-20T14:46:21Z', '2026-08-20'],
  ['2025-07-24-20-23-14', '2025-07-24'],
  ['# Last modified: 2025-07-24 10:00:06.525037', '2025-07-24'],
  ['# Source File Date: Sat Aug 22 05:54:02 UTC 2026', '2026-08-22'],
  ['# Source File Date: Sun Mar  1 05:54:02 UTC 2026', '2026-03-01'],
  ['# Last update: Sat, 22 Aug 2026 03:00:29 +0200', '2026-08-22'],
  ['Tue, 1 Sep 2026 03:00:29 +0200', '2026-09-01'],
  ['2026-02-30', undefined],
  ['2026-13-01', undefined],
  ['0000-00-00T00:00:00', undefined],
  ['22 Foo 2026', undefined],
  ['12025-07-24', undefined],
  ['20250724', undefined],
  ['', undefined],
] as const) {
  test(`feed-day: ${JSON.stringify(text)} is ${want ?? 'not a date'}`, () => assert.equal(dayOfText(text), want));
}

for (const [seconds, want] of [
  [1744682874, '2025-04-15'],
  [0, undefined],
  [-1, undefined],
  [Number.NaN, undefined],
  [1e300, undefined],
  ['1744682874', undefined],
  [undefined, undefined],
] as const) {
  test(`feed-day: ${seconds} seconds are ${want ?? 'not a date'}`, () => assert.equal(dayOfSeconds(seconds), want));
}
