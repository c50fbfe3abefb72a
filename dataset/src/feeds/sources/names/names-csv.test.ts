import assert from 'node:assert/strict';
import test from 'node:test';
import { bytesContent } from '../../../io/content.ts';
import { parseAsMetadataCsv, parseAsn2orgCsv } from './names-csv.ts';

test('asn2org-csv: quoted names', () => {
  const { names, records, skipped } = parseAsn2orgCsv(
    bytesContent('"asn","name","source"\n7,"Example, Inc.","PeeringDB"\n9,"The ""Nine""","RIPE"\n'),
  );
  assert.deepEqual(
    [...names],
    [
      [7, { name: 'Example, Inc.' }],
      [9, { name: 'The "Nine"' }],
    ],
  );
  assert.deepEqual([records, skipped], [2, 0]);
});

for (const [behaviour, csv, want] of [
  [
    'all columns',
    'asn,handle,description,country-code\n7,EXAMPLE-AS,"Example, Inc.",DE',
    { name: 'Example, Inc.', handle: 'EXAMPLE-AS', country: 'DE' },
  ],
  [
    'columns that moved',
    'country-code,new,description,asn,handle\nDE,1,Example,7,EXAMPLE-AS',
    { name: 'Example', handle: 'EXAMPLE-AS', country: 'DE' },
  ],
  [
    'the three columns of before 2026',
    'asn,handle,description\n7,EXAMPLE-AS,Example',
    { name: 'Example', handle: 'EXAMPLE-AS' },
  ],
  [
    'no country is known',
    'asn,handle,description,country-code\n7,EXAMPLE-AS,Example,XX',
    { name: 'Example', handle: 'EXAMPLE-AS' },
  ],
  [
    'without a description the handle is the name',
    'asn,handle,description,country-code\n7,EXAMPLE-AS,,DE',
    { name: 'EXAMPLE-AS', handle: 'EXAMPLE-AS', country: 'DE' },
  ],
  ['without a handle', 'asn,handle,description,country-code\n7,,Example,DE', { name: 'Example', country: 'DE' }],
] as const) {
  test(`as-metadata-csv: ${behaviour}`, () => {
    const { names, skipped } = parseAsMetadataCsv(bytesContent(csv));
    assert.deepEqual([names.get(7), skipped], [want, 0]);
  });
}

test('as-metadata-csv: reserved numbers are left out, rows that cannot be parsed are skipped', () => {
  const rows = [
    '0,IANA-RSVD-0,Reserved,US',
    'AS7,EXAMPLE,Example,DE',
    '7,EXAMPLE,Example, Inc.,DE',
    '7,EXAMPLE',
    '7,,,DE',
    '',
  ];
  const { records, skipped } = parseAsMetadataCsv(
    bytesContent(`asn,handle,description,country-code\n${rows.join('\n')}`),
  );
  assert.deepEqual([records, skipped], [0, 4]);
});

test('names-csv: a file without the columns is refused', () => {
  assert.throws(() => parseAsMetadataCsv(bytesContent('<!doctype html>\n')), {
    message: 'no column asn in the first line: "<!doctype html>"',
  });
  assert.throws(() => parseAsn2orgCsv(bytesContent('asn,organisation\n')), /no column name/);
});
