import assert from 'node:assert/strict';
import test from 'node:test';
import { parseAddress } from '@whence/dataset/address';
import { AFRINIC, APNIC, ARIN, LACNIC, RIPE } from '../../test/address/rdap-documents.ts';
import { parseRdapNetwork } from './rdap-network.ts';

for (const [registry, document, ip, want] of [
  [
    'ARIN: no country, times with an offset, the abuse contact inside the organisation',
    ARIN,
    '192.0.2.1',
    {
      range: '192.0.2.0/24',
      name: 'EXAMPLE',
      organization: 'Example, LLC',
      abuse_email: 'abuse@example.com',
      registered_at: '2014-03-14T20:52:05Z',
      changed_at: '2014-03-14T20:52:05Z',
    },
  ],
  [
    'RIPE: a range that is no prefix, maintainers beside the organisation',
    RIPE,
    '198.51.100.150',
    {
      range: '198.51.100.0-198.51.100.191',
      name: 'EXAMPLE-NET',
      organization: 'Beispiel GmbH',
      country: 'DE',
      abuse_email: 'abuse@example.de',
      registered_at: '2003-03-17T12:15:57Z',
      changed_at: '2017-12-04T14:42:31Z',
    },
  ],
  [
    'APNIC: the holder in a remark',
    APNIC,
    '203.0.113.9',
    {
      range: '203.0.113.0/24',
      name: 'EXAMPLE-AP',
      organization: 'Example Pty Ltd',
      country: 'AU',
      abuse_email: 'abuse@example.net.au',
      registered_at: '2011-08-10T23:12:35Z',
      changed_at: '2023-04-26T22:57:58Z',
    },
  ],
  [
    'LACNIC: no name, addresses in full',
    LACNIC,
    '2001:db8::5',
    {
      range: '2001:db8::/32',
      organization: 'Exemplo S.A.',
      country: 'BR',
      abuse_email: 'abuse@example.br',
      registered_at: '2006-05-31T00:00:00Z',
      changed_at: '2010-01-01T00:00:00Z',
    },
  ],
  [
    'AFRINIC: a maintainer without a kind',
    AFRINIC,
    '192.88.99.1',
    {
      range: '192.88.99.0/24',
      name: 'EXAMPLE-AF',
      organization: 'Example (Pty) Ltd',
      country: 'ZA',
      abuse_email: 'abuse@example.co.za',
      registered_at: '2009-05-25T00:00:00Z',
      changed_at: '2009-05-26T00:00:00Z',
    },
  ],
  ['only the range', { startAddress: '192.0.2.0', endAddress: '192.0.2.0' }, '192.0.2.0', { range: '192.0.2.0/32' }],
  [
    'all of a family',
    { startAddress: '0.0.0.0', endAddress: '255.255.255.255', name: ' A\u0000\u202e  B\n ' },
    '192.0.2.0',
    { range: '0.0.0.0/0', name: 'A B' },
  ],
  [
    'a person is not named',
    {
      ...ARIN,
      entities: [
        {
          roles: ['registrant'],
          vcardArray: [
            'vcard',
            [
              ['kind', {}, 'text', 'individual'],
              ['fn', {}, 'text', 'A Person'],
            ],
          ],
        },
      ],
      events: [{ eventAction: 'registration', eventDate: 'yesterday' }],
      country: 'Germany',
    },
    '192.0.2.1',
    { range: '192.0.2.0/24', name: 'EXAMPLE' },
  ],
  [
    'fields of other types',
    { ...ARIN, name: 7, entities: [null, 7, { roles: 'abuse', vcardArray: [[]] }], events: {}, remarks: 'none' },
    '192.0.2.1',
    { range: '192.0.2.0/24' },
  ],
] as const) {
  test(`rdap network: ${registry}`, () => {
    assert.deepEqual(parse(JSON.stringify(document), ip), { ...want, source: 'rdap.example' });
  });
}

for (const [behaviour, text] of [
  ['no JSON', '<html>'],
  ['a list', '[]'],
  ['null', 'null'],
  ['an error object', '{"errorCode":404,"title":"Not Found"}'],
  ['another range', JSON.stringify({ ...ARIN, startAddress: '192.0.3.0', endAddress: '192.0.3.255' })],
  ['a range of the other family', JSON.stringify({ ...ARIN, startAddress: '::', endAddress: 'ffff::' })],
  ['a range that is turned round', JSON.stringify({ ...ARIN, startAddress: '192.0.2.255', endAddress: '192.0.2.0' })],
] as const) {
  test(`rdap network: not an answer about the address: ${behaviour}`, () => {
    assert.equal(parse(text, '192.0.2.1'), undefined);
  });
}

test('rdap network: deeply nested entities are read in part', () => {
  let entity: object = { roles: ['abuse'], vcardArray: ['vcard', [['email', {}, 'text', 'a@example.com']]] };
  for (let i = 0; i < 10; i++) entity = { roles: [], entities: [entity] };
  assert.equal(parse(JSON.stringify({ ...RIPE, entities: [entity] }), '198.51.100.1')?.abuse_email, undefined);
});

function parse(text: string, ip: string) {
  const address = parseAddress(ip);
  assert.ok(address);
  return parseRdapNetwork(text, address, 'rdap.example');
}
