import assert from 'node:assert/strict';
import test from 'node:test';
import { zone } from '../dns/zone.ts';
import { checkDestinations } from './destinations.ts';
import { parseReportUris } from './report-uris.ts';

const CONSENT = { TXT: ['v=DMARC1'] };
const NAME = 'example.com._report._dmarc.example.net';
const OUTSIDE = 'mailto:r@example.net';

for (const [behaviour, recordDomain, list, records, want] of [
  ['D16 the same domain needs no consent', 'example.com', 'mailto:r@example.com', {}, 'fine'],
  ['D16 nor does one of the same organization', 'a.example.com', 'mailto:r@mail.example.com', {}, 'fine'],
  ['D16 consent', 'example.com', OUTSIDE, { [NAME]: CONSENT }, 'fine'],
  ['D16 consent by wildcard', 'example.com', OUTSIDE, { '*._report._dmarc.example.net': CONSENT }, 'fine'],
  [
    'D16 consent with more than the version',
    'example.com',
    OUTSIDE,
    { [NAME]: { TXT: ['v=DMARC1; x=1', 'y'] } },
    'fine',
  ],
  ['D16 consent twice', 'example.com', OUTSIDE, { [NAME]: { TXT: ['v=DMARC1', 'v=DMARC1;'] } }, 'fine'],
  ['D16 no consent', 'example.com', OUTSIDE, {}, 'unauthorized'],
  ['D16 other text is no consent', 'example.com', OUTSIDE, { [NAME]: { TXT: ['yes'] } }, 'unauthorized'],
  ['D16 nothing is known', 'example.com', OUTSIDE, { [NAME]: { fail: 'SERVFAIL' } }, 'unverified'],
  ['D15 other schemes need no consent', 'example.com', 'https://example.net/r', {}, 'fine'],
  [
    'names under a private suffix are different organizations',
    'a.github.io',
    'mailto:r@b.github.io',
    {},
    'unauthorized',
  ],
] as const) {
  test(`dmarc destinations: ${behaviour}`, async () => {
    const { uris } = parseReportUris(list);
    const { unauthorized, unverified } = await checkDestinations(recordDomain, uris, zone(records));
    const got = unauthorized.length > 0 ? 'unauthorized' : unverified.length > 0 ? 'unverified' : 'fine';
    assert.equal(got, want);
  });
}

test('dmarc destinations: a missing consent is reported with its name', async () => {
  const { uris } = parseReportUris('mailto:A@Example.NET,mailto:A@Example.NET');
  const resolver = zone({});
  assert.deepEqual(await checkDestinations('example.com', uris, resolver), {
    unauthorized: [{ uri: 'mailto:A@Example.NET', host: 'example.net', name: NAME }],
    unverified: [],
  });
  assert.deepEqual(resolver.asked, [`${NAME} TXT`]);
});

test('dmarc destinations: hosts beyond the tenth are not asked', async () => {
  const { uris } = parseReportUris(Array.from({ length: 12 }, (_, i) => `mailto:r@example${i}.net`).join());
  const resolver = zone({});
  const { unauthorized, unverified } = await checkDestinations('example.com', uris, resolver);
  assert.deepEqual([resolver.asked.length, unauthorized.length], [10, 10]);
  assert.deepEqual(unverified, ['mailto:r@example10.net', 'mailto:r@example11.net']);
});
