import assert from 'node:assert/strict';
import test from 'node:test';
import { decodeDate, encodeDate } from './networks.ts';

for (const [behaviour, date, want] of [
  ['a date', '2000-03-30', '2000-03-30'],
  ['the first that fits', '1980-01-01', '1980-01-01'],
  ['the last that fits', '2107-12-31', '2107-12-31'],
  [
    'a day that the calendar does not have stays as the registry wrote it',
    '2014-02-31',
    '2014-02-31',
  ],
  ['unknown', undefined, undefined],
  ['before AS numbers existed', '1970-01-01', undefined],
  ['after the range', '2108-01-01', undefined],
] as const) {
  test(`networks: registration date: ${behaviour}`, () => {
    const encoded = encodeDate(date);
    assert.ok(encoded >= 0 && encoded <= 0xffff);
    assert.equal(decodeDate(encoded), want);
  });
}
