/** Labels of an operator: what is read from the file, and what the comparison says. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { sampleDataset } from '../sample-dataset.ts';
import { checkLabels } from './label-file.ts';
import { LabelsError, parseLabels } from './label-rows.ts';

const parse = (text: string) => parseLabels(text.split('\n'));

for (const [behaviour, text, want] of [
  [
    'an address or a prefix, in any case',
    'Address,Country\n8.8.8.8,us\n2001:db8::/32,DE',
    ['8.8.8.8 US', '2001:db8::/32 DE'],
  ],
  [
    'comments, blank lines and empty cells say nothing',
    '# mine\n\nprefix,country\n\n8.8.8.0/24,\n9.9.9.9,US',
    ['9.9.9.9 US'],
  ],
  ['quotes and spaces', '"prefix" , "country"\n "8.8.8.0/24" , "US"', ['8.8.8.0/24 US']],
  ['other columns are left out', 'note,prefix,country\n"a,b",8.8.8.0/24,US', ['8.8.8.0/24 US']],
] as const)
  test(`labels: ${behaviour}`, () =>
    assert.deepEqual(
      parse(text).rows.map(({ subject, expected }) => [subject, ...expected.values()].join(' ')),
      want,
    ));

for (const [behaviour, row, want] of [
  ['a text that is no address', 'example.com,US,true,AS1', 'not an address or prefix: example.com'],
  ['an empty address', ',US,true,AS1', 'not an address or prefix: empty'],
  ['a country that is none', '8.8.8.8,USA,true,AS1', 'country cannot be USA'],
  ['a flag that is neither', '8.8.8.8,US,perhaps,AS1', 'is_vpn cannot be perhaps'],
  ['a number that is none', '8.8.8.8,US,true,Google', 'asn cannot be Google'],
  ['more cells than columns', '8.8.8.8,US,true,AS1,x', '5 cells, the header has 4'],
] as const)
  test(`labels: ${behaviour} is reported with its line, and the others are used`, () => {
    const { rows, bad } = parse(`ip,country,is_vpn,asn\n8.8.8.8,US,yes,AS15169\n${row}`);
    assert.deepEqual(bad, [{ line: 3, reason: want }]);
    assert.equal(rows.length, 1);
  });

for (const [behaviour, text, want] of [
  ['an empty file', '', /it is empty/],
  ['no header', '8.8.8.8,US', /no column address or prefix/],
  ['no known field', 'address,colour\n8.8.8.8,red', /no field to compare; known are asn, country/],
  ['a column twice', 'address,country,country\n8.8.8.8,US,US', /the column country twice/],
] as const)
  test(`labels: ${behaviour} is refused`, () =>
    assert.throws(
      () => parse(text),
      (error) => error instanceof LabelsError && want.test(error.message),
    ));

const dataset = sampleDataset({
  routes: [
    ['8.8.8.0/24', 15_169, 'Google LLC'],
    ['9.9.8.0/23', 64_500, 'Example'],
  ],
  countries: [
    ['8.8.8.0/24', 'US'],
    ['9.9.8.0/24', 'CH'],
    ['9.9.9.0/25', 'US'],
    ['9.9.9.128/25', 'DE'],
  ],
  tor: [['9.9.8.7/32', 'Example Relays']],
});

test('check: accuracy, precision and recall, and the labels that are wrong', () => {
  const { rows } = parse(
    [
      'address,country,is_tor_exit',
      '8.8.8.8,US,false',
      '9.9.8.7,CH,true',
      '9.9.8.8,CH,true',
      '9.9.9.9,CH,false',
      '203.0.113.1,US,false',
    ].join('\n'),
  );
  const check = checkLabels(dataset, rows, 'labels.csv');
  assert.equal(check.unanswered, 1);
  assert.deepEqual(
    check.rows.map(({ field, measure, value, n }) => [field, measure, value, n]),
    [
      ['country', 'accuracy', 0.75, 4],
      ['is_tor_exit', 'accuracy', 0.75, 4],
      ['is_tor_exit', 'precision', 1, 1],
      ['is_tor_exit', 'recall', 0.5, 2],
    ],
  );
  assert.deepEqual(check.wrong, [
    '9.9.8.8: is_tor_exit false, expected true',
    '9.9.9.9: country US, expected CH',
  ]);
});

test('check: the answer for a prefix is the one that most of its addresses have', () => {
  const { rows } = parse('prefix,country\n9.9.8.0/23,CH');
  assert.equal(checkLabels(dataset, rows, 'labels.csv').rows[0]?.value, 1);
});
