import assert from 'node:assert/strict';
import test from 'node:test';
import { decodeCountry } from '../country-code.ts';
import { parseAsnRanges, parseCountryRanges } from './range-csv.ts';

for (const [behaviour, line, name] of [
  ['a plain name', '1.0.0.0,1.0.0.255,64496,Example Networks', 'Example Networks'],
  ['a quoted name with a comma', '1.0.0.0,1.0.0.255,64496,"Example, Inc."', 'Example, Inc.'],
  ['doubled quotes', '1.0.0.0,1.0.0.255,64496,"Example ""North"" AB"', 'Example "North" AB'],
  ['other scripts', '1.0.0.0,1.0.0.255,64496,Telefónica', 'Telefónica'],
] as const) {
  test(`range-csv: ${behaviour}`, () => {
    const { ranges, names } = parseAsnRanges([line], 4);
    assert.deepEqual([ranges.starts, ranges.ends, ranges.values], [[16777216n], [16777471n], [64496]]);
    assert.equal(names.get(64496), name);
  });
}

test('range-csv: the first name of a network stays', () => {
  const { names } = parseAsnRanges(['1.0.0.0,1.0.0.255,64496,First', '1.0.1.0,1.0.1.255,64496,Second'], 4);
  assert.equal(names.get(64496), 'First');
});

test('range-csv: countries', () => {
  const ranges = parseCountryRanges(['2001:200::,2001:200:ffff:ffff:ffff:ffff:ffff:ffff,JP'], 6);
  assert.equal(decodeCountry(ranges.values[0] as number), 'JP');
});

for (const [behaviour, line] of [
  ['an empty line', ''],
  ['a missing value', '1.0.0.0,1.0.0.255'],
  ['no addresses', 'ip_range_start,ip_range_end,country_code'],
  ['the wrong family', '2001:db8::,2001:db8::1,US'],
  ['no country', '1.0.0.0,1.0.0.255,usa'],
  ['an end before the start', '1.0.0.255,1.0.0.0,US'],
  ['HTML', '<!doctype html>'],
] as const) {
  test(`range-csv: refused with its line number: ${behaviour}`, () => {
    assert.throws(() => parseCountryRanges(['1.0.0.0,1.0.0.255,AU', line], 4), /^Error: line 2 /);
  });
}
