import assert from 'node:assert/strict';
import test from 'node:test';
import { dayOfComment, dayOfFileName, dayOfSeconds, dayOfText } from './feed-day.ts';

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
  test(`feed-day: ${JSON.stringify(text)} is ${want ?? 'not a date'}`, () =>
    assert.equal(dayOfText(text), want));
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
  test(`feed-day: ${seconds} seconds are ${want ?? 'not a date'}`, () =>
    assert.equal(dayOfSeconds(seconds), want));
}

for (const [url, want] of [
  ['https://download.example/ServiceTags_Public_20250721.json', '2025-07-21'],
  ['https://publicdata.example/2026/01/routeviews-rv2-20260101-1200.pfx2as.gz', '2026-01-01'],
  ['https://publicdata.example/peeringdb_2_dump_2026_08_20.json', '2026-08-20'],
  ['https://asdb.example/data/2026-03_categorized_ases.csv', '2026-03-01'],
  ['https://archive.example/rib.20261114.0000.bz2?x=20200101', '2026-11-14'],
  ['https://example.net/2026/01/01/latest.csv', undefined],
  ['https://example.net/list-20261399.txt', undefined],
  ['https://example.net/AS20260101999.txt', undefined],
  ['', undefined],
] as const) {
  test(`feed-day: the file name of ${url} has ${want ?? 'no date'}`, () =>
    assert.equal(dayOfFileName(url), want));
}

for (const [line, want] of [
  ['# Last update: Sat, 22 Aug 2026 03:00:29 +0200', '2026-08-22'],
  ['; Generated 2026-08-22', '2026-08-22'],
  ['// date: 2026-08-22', '2026-08-22'],
  ['# see RFC of 2026-08-22', undefined],
  ['192.0.2.1 # updated 2026-08-22', undefined],
] as const) {
  test(`feed-day: ${line} ${want === undefined ? 'is not the date of the list' : `is ${want}`}`, () =>
    assert.equal(dayOfComment(line), want));
}
