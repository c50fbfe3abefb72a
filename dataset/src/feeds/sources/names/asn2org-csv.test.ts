import assert from 'node:assert/strict';
import test from 'node:test';
import { bytesContent } from '../../../io/content.ts';
import { parseAsn2orgCsv } from './network-names.ts';

for (const [behaviour, csv, want] of [
  ['quoted names', '"asn","name","source"\n7,"Example, Inc.","PeeringDB"', 'Example, Inc.'],
  ['quotes in a name', '"asn","name","source"\n7,"The ""Seven""","RIPE"', 'The "Seven"'],
  ['columns that moved', 'source,new,name,asn\nRIPE,1,Example,7', 'Example'],
] as const) {
  test(`asn2org-csv: ${behaviour}`, () => {
    const { names, records, skipped } = parseAsn2orgCsv(bytesContent(csv));
    assert.deepEqual([[...names], records, skipped], [[[7, { name: want }]], 1, 0]);
  });
}

test('asn2org-csv: reserved numbers are left out, rows that cannot be parsed are skipped', () => {
  const rows = [
    '0,Reserved,IANA',
    'AS7,Example,RIPE',
    '7,Example, Inc.,RIPE',
    '7,Example',
    '7,,RIPE',
    '',
  ];
  const { records, skipped } = parseAsn2orgCsv(bytesContent(`asn,name,source\n${rows.join('\n')}`));
  assert.deepEqual([records, skipped], [0, 4]);
});

for (const [behaviour, text, message] of [
  ['without the number', '<!doctype html>\n', 'no column asn in the first line: "<!doctype html>"'],
  [
    'without the name',
    'asn,organisation\n',
    'no column name in the first line: "asn,organisation"',
  ],
] as const) {
  test(`asn2org-csv: a file is refused ${behaviour}`, () => {
    assert.throws(() => parseAsn2orgCsv(bytesContent(text)), { message });
  });
}
