import assert from 'node:assert/strict';
import test from 'node:test';
import type { ZoneRecords } from '@whence/testing/servers/zone-literal';
import { zone } from '../test/zone.ts';
import { checkDestinations } from './destinations.ts';
import { parseReportUris } from './report-uris.ts';

const CONSENT = { TXT: ['v=DMARC1'] };
const NAME = 'example.com._report._dmarc.example.net';
const OUTSIDE = 'mailto:r@example.net';

const MAIL = { MX: [[10, 'mx.example.net']] } as const;
const check = (
  recordDomain: string,
  list: string,
  records: ZoneRecords,
  policy: 'none' | 'reject' = 'none',
) => {
  const resolver = zone(records);
  const uris = { aggregateUris: parseReportUris(list).uris, forensicUris: [], policy };
  return { resolver, result: checkDestinations(recordDomain, uris, resolver) };
};

for (const [behaviour, recordDomain, list, records, want] of [
  [
    'D16 the same domain needs no consent',
    'example.com',
    'mailto:r@example.com',
    { 'example.com': MAIL },
    'arrives',
  ],
  [
    'D16 nor does one of the same organization',
    'a.example.com',
    'mailto:r@mail.example.com',
    { 'mail.example.com': MAIL },
    'arrives',
  ],
  ['D16 consent', 'example.com', OUTSIDE, { [NAME]: CONSENT, 'example.net': MAIL }, 'arrives'],
  [
    'D16 consent by wildcard',
    'example.com',
    OUTSIDE,
    { '*._report._dmarc.example.net': CONSENT, 'example.net': MAIL },
    'arrives',
  ],
  [
    'D16 consent with more than the version',
    'example.com',
    OUTSIDE,
    { [NAME]: { TXT: ['v=DMARC1; x=1', 'y'] }, 'example.net': MAIL },
    'arrives',
  ],
  [
    'D16 consent twice',
    'example.com',
    OUTSIDE,
    { [NAME]: { TXT: ['v=DMARC1', 'v=DMARC1;'] }, 'example.net': MAIL },
    'arrives',
  ],
  ['D16 no consent', 'example.com', OUTSIDE, { 'example.net': MAIL }, 'not authorized'],
  [
    'D16 other text is no consent',
    'example.com',
    OUTSIDE,
    { [NAME]: { TXT: ['yes'] }, 'example.net': MAIL },
    'not authorized',
  ],
  [
    'D16 nothing is known',
    'example.com',
    OUTSIDE,
    { [NAME]: { fail: 'SERVFAIL' }, 'example.net': MAIL },
    'unknown',
  ],
  ['D15 other schemes are not used', 'example.com', 'https://example.net/r', {}, 'not mail'],
  [
    'names under a private suffix are different organizations',
    'a.github.io',
    'mailto:r@b.github.io',
    { 'b.github.io': MAIL },
    'not authorized',
  ],
  ['a host that does not exist', 'example.com', OUTSIDE, {}, 'no such host'],
  [
    'a null MX',
    'example.com',
    OUTSIDE,
    { [NAME]: CONSENT, 'example.net': { MX: [[0, '.']] } },
    'null MX',
  ],
  ['neither MX nor address', 'example.com', OUTSIDE, { [NAME]: CONSENT }, 'no mail host'],
  [
    'an address alone',
    'example.com',
    OUTSIDE,
    { [NAME]: CONSENT, 'example.net': { A: ['192.0.2.1'] } },
    'arrives',
  ],
  [
    'an IPv6 address alone',
    'example.com',
    OUTSIDE,
    { [NAME]: CONSENT, 'example.net': { AAAA: ['2001:db8::1'] } },
    'arrives',
  ],
  [
    'an MX question that failed',
    'example.com',
    OUTSIDE,
    { [NAME]: CONSENT, 'example.net': { fail: { MX: 'SERVFAIL' } } },
    'unknown',
  ],
  [
    'the default of a registrar',
    'example.com',
    'mailto:dmarc_rua@onsecureserver.net',
    { '*._report._dmarc.onsecureserver.net': CONSENT, 'onsecureserver.net': MAIL },
    'other owner',
  ],
  [
    'the registrar itself',
    'godaddy.com',
    'mailto:d@godaddy.com',
    { 'godaddy.com': MAIL },
    'arrives',
  ],
] as const satisfies readonly (readonly [string, string, string, ZoneRecords, string])[]) {
  test(`dmarc destinations: ${behaviour}`, async () => {
    const { rua } = await check(recordDomain, list, records).result;
    assert.deepEqual(
      rua.map(({ arrival }) => arrival.kind),
      [want],
    );
  });
}

test('dmarc destinations: a missing consent is reported with its name, and each host is asked once', async () => {
  const { resolver, result } = check('example.com', 'mailto:A@Example.NET,mailto:A@Example.NET', {
    'example.net': MAIL,
  });
  assert.deepEqual((await result).rua, [
    {
      uri: 'mailto:A@Example.NET',
      host: 'example.net',
      arrival: { kind: 'not authorized', name: NAME },
    },
  ]);
  assert.deepEqual(resolver.asked.sort(), [`${NAME} TXT`, 'example.net MX'].sort());
});

test('dmarc destinations: where no step follows, a host that has agreed is not asked for its mail', async () => {
  const { resolver, result } = check('example.com', OUTSIDE, { [NAME]: CONSENT }, 'reject');
  assert.equal((await result).rua[0]?.arrival.kind, 'arrives');
  assert.deepEqual(resolver.asked, [`${NAME} TXT`]);
});

test('dmarc destinations: hosts beyond the tenth are not asked', async () => {
  const list = Array.from({ length: 12 }, (_, i) => `mailto:r@example${i}.net`).join();
  const { resolver, result } = check('example.com', list, {});
  const { rua } = await result;
  assert.equal(resolver.asked.filter((question) => question.endsWith('TXT')).length, 10);
  assert.deepEqual(
    rua.filter(({ arrival }) => arrival.kind === 'unknown').map(({ uri }) => uri),
    ['mailto:r@example10.net', 'mailto:r@example11.net'],
  );
});
