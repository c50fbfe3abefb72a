import assert from 'node:assert/strict';
import test from 'node:test';
import { decodeCountry } from '../../../country-code.ts';
import { bytesContent } from '../../../io/content.ts';
import { rangeLines } from '../../../test/range-lines.ts';
import { parseRangeCsvAsn, parseRangeCsvCountry, refuseUnreadable } from './range-csv.ts';

for (const [behaviour, line, name] of [
  ['a plain name', '192.0.2.0,192.0.2.255,3,Example Networks', 'Example Networks'],
  ['a plain name with a comma', '192.0.2.0,192.0.2.255,3,Example, Inc.', 'Example, Inc.'],
  ['a quoted name with a comma', '192.0.2.0,192.0.2.255,3,"Example, Inc."', 'Example, Inc.'],
  ['doubled quotes', '192.0.2.0,192.0.2.255,3,"Example ""North"" AB"', 'Example "North" AB'],
  ['other scripts', '192.0.2.0,192.0.2.255,3,Telefónica', 'Telefónica'],
] as const) {
  test(`range-csv: ${behaviour}`, () => {
    const { ranges, names, records, skipped } = parseRangeCsvAsn(bytesContent(line));
    assert.deepEqual([rangeLines(ranges), records, skipped], [['192.0.2.0/24 3'], 1, 0]);
    assert.equal(names.get(3), name);
  });
}

test('range-csv: the first name of a network is kept', () => {
  const { names } = parseRangeCsvAsn(
    bytesContent('192.0.2.0,192.0.2.255,3,First\n198.51.100.0,198.51.100.255,3,Second'),
  );
  assert.equal(names.get(3), 'First');
});

test('range-csv: countries, the family by row', () => {
  const { ranges } = parseRangeCsvCountry(
    bytesContent(
      '2001:db8::,2001:db8:ffff:ffff:ffff:ffff:ffff:ffff,JP\n192.0.2.0,192.0.2.255,DE\n\n',
    ),
  );
  assert.deepEqual(rangeLines(ranges, decodeCountry), ['192.0.2.0/24 DE', '2001:db8::/32 JP']);
});

test('range-csv: a row that continues the one before in the same country extends it, and counts as a record', () => {
  const rows = [
    '192.0.2.0,192.0.2.63,DE',
    '192.0.2.64,192.0.2.127,DE',
    '192.0.2.128,192.0.2.191,FR',
    '192.0.2.193,192.0.2.193,FR',
  ];
  const { ranges, records } = parseRangeCsvCountry(bytesContent(rows.join('\n')));
  assert.deepEqual(rangeLines(ranges, decodeCountry), [
    '192.0.2.0/25 DE',
    '192.0.2.128/26 FR',
    '192.0.2.193/32 FR',
  ]);
  assert.equal(records, 4);
});

for (const [behaviour, line] of [
  ['a missing value', '192.0.2.0,192.0.2.255'],
  ['no addresses', 'ip_range_start,ip_range_end,country_code'],
  ['two families', '192.0.2.0,2001:db8::1,US'],
  ['no country', '192.0.2.0,192.0.2.255,usa'],
  ['an end before the start', '192.0.2.255,192.0.2.0,US'],
  ['HTML', '<!doctype html>'],
] as const) {
  const content = bytesContent(
    `198.51.100.0,198.51.100.255,AU\n${line}\n203.0.113.0,203.0.113.255,AU\n`,
  );
  test(`range-csv: skipped in a feed: ${behaviour}`, () => {
    const { records, skipped } = parseRangeCsvCountry(content);
    assert.deepEqual([records, skipped], [2, 1]);
  });
  test(`range-csv: refused in a pinned file, with its line number: ${behaviour}`, () => {
    assert.throws(() => parseRangeCsvCountry(content, refuseUnreadable), /^Error: line 2 /);
  });
}

for (const [behaviour, rest] of [
  ['no name', '3'],
  ['AS 0', '0,Reserved'],
  ['no number', 'AS3,Example'],
  ['a number that is too large', '4294967296,Example'],
] as const) {
  test(`range-csv: skipped in a feed of networks: ${behaviour}`, () => {
    const { records, skipped, names } = parseRangeCsvAsn(
      bytesContent(`192.0.2.0,192.0.2.255,${rest}`),
    );
    assert.deepEqual([records, skipped, names.size], [0, 1, 0]);
  });
}

test('range-csv: reserved AS numbers are left out', () => {
  const { ranges, names, skipped } = parseRangeCsvAsn(
    bytesContent('192.0.2.0,192.0.2.127,64512,Private\n192.0.2.128,192.0.2.255,3,Example\n'),
  );
  assert.deepEqual(
    [rangeLines(ranges), [...names], skipped],
    [['192.0.2.128/25 3'], [[3, 'Example']], 0],
  );
});
