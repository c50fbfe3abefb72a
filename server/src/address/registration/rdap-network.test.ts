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

for (const [email, isValid] of [
  ['abuse@example.com', true],
  ["o'neil+abuse@mail.example.co.uk", true],
  ['abuse@example', false],
  ['abuse@-example.com', false],
  ['abuse@example..com', false],
  ['abuse@192.0.2.1', false],
  ['.abuse@example.com', false],
  ['a b@example.com', false],
  ['abuse@example.com, noc@example.com', false],
  ['mailto:abuse@example.com', false],
  ['<script>@example.com', false],
  ['abuse@example.com\n', false],
  [`${'a'.repeat(65)}@example.com`, false],
  [`abuse@${'a.'.repeat(130)}com`, false],
] as const)
  test(`rdap network: abuse_email ${JSON.stringify(email.slice(0, 40))} is ${isValid ? 'an address' : 'absent'}`, () => {
    const entities = [{ roles: ['abuse'], vcardArray: ['vcard', [['email', {}, 'text', email]]] }];
    assert.equal(parse(JSON.stringify({ ...ARIN, entities }), '192.0.2.1')?.abuse_email, isValid ? email : undefined);
  });

/** Values of every type, and objects that cannot be made a text or a number. */
const HOSTILE = [
  ...[null, true, 7, -1e308, '', 'text', '\0', '\ud800', 'x'.repeat(5_000), [], [[]], {}, [null], { length: 1e9 }],
  { toString: null, valueOf: null },
  JSON.parse('{"__proto__": {"roles": ["abuse"]}, "constructor": 1}'),
  JSON.parse(`${'['.repeat(500)}${']'.repeat(500)}`),
];

test('rdap network: any value at any place of an answer is no error', () => {
  for (const [document, ip] of [
    [ARIN, '192.0.2.1'],
    [RIPE, '198.51.100.7'],
    [APNIC, '203.0.113.1'],
  ] as const)
    for (const changed of variants(document, HOSTILE)) {
      const { abuse_email = 'a@example.com', ...found } = parse(JSON.stringify(changed), ip) ?? {};
      assert.match(abuse_email, /^[^@\s]+@[^@\s]+\.[a-z]+$/i);
      for (const value of Object.values(found)) assert.equal(typeof value, 'string');
    }
});

/** The document with each of its values, at every depth, replaced by each of `values`. */
function* variants(document: unknown, values: readonly unknown[]): Generator<unknown> {
  yield* values;
  if (typeof document !== 'object' || document === null) return;
  for (const [key, value] of Object.entries(document))
    for (const changed of variants(value, values))
      yield Array.isArray(document) ? document.with(Number(key), changed) : { ...document, [key]: changed };
}

function parse(text: string, ip: string) {
  const address = parseAddress(ip);
  assert.ok(address);
  return parseRdapNetwork(text, address, 'rdap.example');
}
