import assert from 'node:assert/strict';
import test from 'node:test';
import { bytesContent } from '../../../io/content.ts';
import { parseDbipCityCsv } from './dbip-city-csv.ts';

const parse = (...lines: string[]) => parseDbipCityCsv(bytesContent(`${lines.join('\n')}\n`));
const V4 = '192.0.2.0,192.0.2.255';
const GOOGLE = { country: 'US', region: 'California', city: 'Mountain View' };

for (const [behaviour, row, want] of [
  [
    'a row',
    `${V4},NA,US,California,"Mountain View",37.4224,-122.085`,
    { ...GOOGLE, latitude: 37_422_400, longitude: -122_085_000 },
  ],
  ['IPv6', '2001:db8::,2001:db8::ffff,NA,US,California,Mountain View,,', GOOGLE],
  [
    'a comma and quotes in a name',
    `${V4},EU,DE,"Hesse, ""Süd""",Frankfurt am Main,50.1109,8.68213`,
    { country: 'DE', region: 'Hesse, "Süd"', city: 'Frankfurt am Main', latitude: 50_110_900, longitude: 8_682_130 },
  ],
  [
    'no city',
    `${V4},EU,DE,Hesse,,50.1,8.6`,
    { country: 'DE', region: 'Hesse', city: '', latitude: 50_100_000, longitude: 8_600_000 },
  ],
  ['coordinates of the null island are unknown ones', `${V4},EU,DE,,,0,0`, { country: 'DE', region: '', city: '' }],
  ['coordinates that are none', `${V4},EU,DE,,Berlin,91,13`, { country: 'DE', region: '', city: 'Berlin' }],
  ['a control character in a name', `${V4},EU,DE,,Ber\u0007lin,,`, { country: 'DE', region: '', city: 'Ber lin' }],
  ['a name that is too long to be one', `${V4},EU,DE,,${'x'.repeat(101)},,`, { country: 'DE', region: '', city: '' }],
] as const) {
  test(`dbip-city-csv: ${behaviour}`, () => {
    const read = parse(row);
    assert.deepEqual([read.places, read.records, read.skipped], [[want], 1, 0]);
    assert.equal(read.rows[4].length + read.rows[6].length, 1);
  });
}

test('dbip-city-csv: a range in quotes', () => {
  const read = parse('"192.0.2.0", "192.0.2.255",EU,DE,Berlin,Berlin,52.52,13.405');
  assert.deepEqual([read.rows[4].length, read.places[0]?.city], [1, 'Berlin']);
});

test('dbip-city-csv: a place is stored once', () => {
  const read = parse(
    '192.0.2.0,192.0.2.127,EU,DE,Berlin,Berlin,52.52,13.405',
    '192.0.2.128,192.0.2.255,EU,DE,Berlin,Berlin,52.52,13.405',
    '198.51.100.0,198.51.100.255,EU,DE,Berlin,Mitte,52.52,13.405',
  );
  assert.deepEqual([read.places.length, [...read.rows[4].values]], [2, [0, 0, 1]]);
});

for (const [behaviour, row] of [
  ['no range', 'x,y,EU,DE,,Berlin,52.5,13.4'],
  ['families that differ', '192.0.2.0,2001:db8::,EU,DE,,Berlin,52.5,13.4'],
  ['too few columns', `${V4},EU,DE,,Berlin,52.5`],
  ['a range alone', V4],
  ['no comma', 'x'],
  ['a range that ends before it starts', '192.0.2.9,192.0.2.0,EU,DE,,Berlin,52.5,13.4'],
] as const) {
  test(`dbip-city-csv: skipped: ${behaviour}`, () => {
    const read = parse(row);
    assert.deepEqual([read.records, read.skipped, read.rows[4].length], [0, 1, 0]);
  });
}

test('dbip-city-csv: a row that overlaps an earlier one is skipped', () => {
  const read = parse(`${V4},EU,DE,,Berlin,,`, '192.0.2.255,192.0.3.255,EU,FR,,Paris,,');
  assert.deepEqual([read.records, read.skipped, read.rows[4].length], [1, 1, 1]);
});

test('dbip-city-csv: unknown space has no place', () => {
  const read = parse(`${V4},ZZ,ZZ,,,0,0`);
  assert.deepEqual([read.records, read.skipped, read.places], [1, 0, []]);
});
