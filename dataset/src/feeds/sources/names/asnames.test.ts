import assert from 'node:assert/strict';
import test from 'node:test';
import { fixture, NO_FIXTURES } from '@whence/testing/fixtures';
import { bytesContent } from '../../../io/content.ts';
import { withGunzipped } from '../../../test/unpacked.ts';
import { parseAsnames } from './network-names.ts';

for (const [behaviour, line, want] of [
  [
    'handle, description, country',
    '7 EXAMPLE-AS Example Networks, DE',
    { name: 'Example Networks', handle: 'EXAMPLE-AS', country: 'DE' },
  ],
  [
    'commas in the description',
    '7 EXAMPLE-AS Example, Sons, and Co., Inc., US',
    { name: 'Example, Sons, and Co., Inc.', handle: 'EXAMPLE-AS', country: 'US' },
  ],
  [
    'without a description the handle is the name',
    '7 EXAMPLE-1, US',
    { name: 'EXAMPLE-1', handle: 'EXAMPLE-1', country: 'US' },
  ],
  ['no single country', '7 EXAMPLE-AS Example, EU', { name: 'Example', handle: 'EXAMPLE-AS' }],
  [
    'no country at all',
    '7 EXAMPLE-AS Example, Inc.',
    { name: 'Example, Inc.', handle: 'EXAMPLE-AS' },
  ],
  [
    'LACNIC has no handles',
    '262606 Ejemplo Redes de Datos - ME, BR',
    { name: 'Ejemplo Redes de Datos - ME', country: 'BR' },
  ],
] as const) {
  test(`asnames: ${behaviour}`, () => {
    const { names, records, skipped } = parseAsnames(bytesContent(`${line}\n`));
    assert.deepEqual([[...names.values()], records, skipped], [[want], 1, 0]);
  });
}

test('asnames: unassigned numbers are left out, rows that cannot be parsed are skipped', () => {
  const lines = [
    '0 -Reserved AS-, ZZ',
    '7 -Reserved AS-, ZZ',
    '64512 -Private Use AS-, ZZ',
    '23456 AS_TRANS; reserved',
    '',
    '7',
    'x EXAMPLE, US',
    '8 ',
  ];
  const { records, skipped } = parseAsnames(bytesContent(lines.join('\n')));
  assert.deepEqual([records, skipped], [0, 3]);
});

const path = fixture('asn-names/ripe-asn.txt.gz');
test('asnames: the real list', { skip: path === undefined && NO_FIXTURES }, () => {
  const { names, records, skipped } = withGunzipped(path as string, parseAsnames);
  // 108,406 rows, less 3,176 reserved, 1,023 for private use and AS_TRANS.
  assert.deepEqual([records, skipped], [104_206, 0]);
  assert.deepEqual(names.get(28), {
    name: 'Deutsches Zentrum fuer Luft- und Raumfahrt e.V.',
    handle: 'DFVLR-SYS',
    country: 'DE',
  });
  assert.deepEqual(names.get(1), { name: 'LVLT-1', handle: 'LVLT-1', country: 'US' });
  assert.deepEqual(names.get(278), {
    name: 'Universidad Nacional Autonoma de Mexico',
    country: 'MX',
  });
});
