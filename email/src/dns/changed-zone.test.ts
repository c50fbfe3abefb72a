import assert from 'node:assert/strict';
import test from 'node:test';
import type { ZoneRecords } from '@whence/testing/servers/zone-literal';
import { examineDomain } from '../check.ts';
import { zone } from '../test/zone.ts';
import {
  changeRecords,
  type KnownAnswers,
  rememberAnswers,
  type TriedRecords,
} from './changed-zone.ts';

const ZONE: ZoneRecords = {
  'example.com': {
    MX: [[10, 'mx.example.com']],
    TXT: ['v=spf1 include:spf.example.net ~all', 'some-site-verification=1'],
  },
  'mx.example.com': { A: ['192.0.2.25'] },
  'spf.example.net': { TXT: ['v=spf1 ip4:198.51.100.0/24 -all'] },
  'other.example.net': { TXT: ['v=spf1 ip4:203.0.113.0/24 -all'] },
  '_dmarc.example.com': { TXT: ['v=DMARC1; p=none'] },
  'key.example.net': {
    TXT: ['v=DKIM1; k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo='],
  },
  'example.org': { TXT: ['v=spf1 -all'] },
  '_dmarc.example.org': { CNAME: 'dmarc.example.net' },
  'dmarc.example.net': { TXT: ['v=DMARC1; p=none'] },
};
const SENTINEL = 'whence-0123456789abcdef';

/**
 * The check of the zone as it is, then of the changed one; `asked` are the questions of the second.
 */
async function tryChange(tried: TriedRecords, domain = 'example.com') {
  const dns = zone(ZONE);
  const known: KnownAnswers = new Map();
  const options = {
    sentinel: SENTINEL,
    ...(tried.dkim && { moreSelectors: [tried.dkim.selector] }),
  };
  await examineDomain(domain, { resolver: rememberAnswers(dns, known), ...options });
  const before = dns.asked.length;
  const again = zone(ZONE);
  const resolver = changeRecords(domain, rememberAnswers(again, known), tried);
  const { report } = await examineDomain(domain, { resolver, ...options });
  assert.ok(before > 10);
  return { report, asked: again.asked };
}

for (const [behaviour, tried, want] of [
  ['nothing changed asks nothing', {}, []],
  ['another policy asks nothing', { dmarc: 'v=DMARC1; p=reject' }, []],
  ['another end of the record asks nothing', { spf: 'v=spf1 include:spf.example.net -all' }, []],
  [
    'a new include asks for its record',
    { spf: 'v=spf1 include:spf.example.net include:other.example.net -all' },
    ['other.example.net TXT'],
  ],
  [
    'a report address asks whether its domain takes reports, and is registered',
    { dmarc: 'v=DMARC1; p=none; rua=mailto:d@example.net' },
    [
      'example.com._report._dmarc.example.net TXT',
      'example.net MX',
      'example.net A',
      'example.net AAAA',
      'example.net TXT',
    ],
  ],
] as const)
  test(`changed zone: ${behaviour}`, async () =>
    assert.deepEqual((await tryChange(tried)).asked, want));

test('changed zone: the report is that of a zone with the records', async () => {
  const tried = {
    spf: 'v=spf1 ip4:198.51.100.7 include:other.example.net -all',
    dmarc: 'v=DMARC1; p=reject; rua=mailto:d@example.com',
  };
  const { report } = await tryChange(tried);
  const published = zone({
    ...ZONE,
    'example.com': { ...ZONE['example.com'], TXT: ['some-site-verification=1', tried.spf] },
    '_dmarc.example.com': { TXT: [tried.dmarc] },
  });
  const { report: want } = await examineDomain('example.com', {
    resolver: published,
    sentinel: SENTINEL,
  });
  assert.deepEqual(report, want);
});

for (const [behaviour, tried, published] of [
  [
    'a policy',
    { dmarc: 'v=DMARC1; p=reject' },
    { '_dmarc.sub.example.com': { TXT: ['v=DMARC1; p=reject'] } },
  ],
  ['an SPF record', { spf: 'v=spf1 -all' }, { 'sub.example.com': { TXT: ['v=spf1 -all'] } }],
  ['no text', { spf: '' }, {}],
] as const)
  test(`changed zone: where a wildcard answers for the domain, ${behaviour} leaves what it really would`, async () => {
    const records: ZoneRecords = {
      'example.com': { TXT: ['v=spf1 -all'] },
      '*.example.com': { TXT: ['v=spf1 mx -all'], MX: [[10, 'mx.example.net']] },
      'mx.example.net': { A: ['192.0.2.25'] },
    };
    const options = { sentinel: SENTINEL };
    const before = await examineDomain('sub.example.com', { resolver: zone(records), ...options });
    assert.ok(before.isByWildcard);
    const resolver = changeRecords('sub.example.com', zone(records), tried, before);
    const { report } = await examineDomain('sub.example.com', { resolver, ...options });
    const want = await examineDomain('sub.example.com', {
      resolver: zone({ ...records, ...published }),
      ...options,
    });
    if (behaviour === 'no text') assert.deepEqual(report.mx, want.report.mx);
    else assert.deepEqual(report, want.report);
  });

for (const [behaviour, tried, domain, read, want] of [
  ['an empty text removes the record', { spf: ' ' }, 'example.com', ({ spf }) => spf.raw, ''],
  [
    'a record replaces an alias',
    { dmarc: 'v=DMARC1; p=reject' },
    'example.org',
    ({ dmarc }) => [dmarc.raw, dmarc.policy],
    ['v=DMARC1; p=reject', 'reject'],
  ],
  [
    'a key is found under its selector',
    {
      dkim: {
        selector: 'New',
        text: 'v=DKIM1; k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=',
      },
    },
    'example.com',
    ({ dkim }) => dkim.map(({ selector, is_valid }) => [selector, is_valid]),
    [['New', true]],
  ],
  [
    'a text outside ASCII is judged as the bytes that would be published',
    { spf: 'v=spf1 include:bücher.example -all' },
    'example.com',
    ({ spf }) => spf.is_valid,
    false,
  ],
  [
    'a host is asked for like any other',
    { mx: [{ preference: 5, exchange: 'other.example.net' }] },
    'example.com',
    ({ mx }) => [mx.records, mx.is_valid],
    [['other.example.net'], false],
  ],
  ['an empty list removes the hosts', { mx: [] }, 'example.com', ({ mx }) => mx.records, []],
  [
    'a key behind an alias is found',
    {
      records: [
        { name: 'default._domainkey.example.com', type: 'CNAME', value: 'key.example.net' },
      ],
    },
    'example.com',
    ({ dkim }) => dkim.map(({ selector, is_valid }) => [selector, is_valid]),
    [['default', true]],
  ],
  [
    'aliases that lead to each other are not followed for ever',
    {
      records: [
        {
          name: 'default._domainkey.example.com',
          type: 'CNAME',
          value: 'google._domainkey.example.com',
        },
        {
          name: 'google._domainkey.example.com',
          type: 'CNAME',
          value: 'default._domainkey.example.com',
        },
      ],
    },
    'example.com',
    ({ dkim }) => dkim.length,
    0,
  ],
  [
    'another text at the domain is no SPF record',
    { records: [{ name: 'example.com', type: 'TXT', text: 'other-verification=2' }] },
    'example.com',
    ({ spf }) => spf.raw,
    'v=spf1 include:spf.example.net ~all',
  ],
  [
    'a host that the change brings has the address that it brings',
    {
      records: [
        { name: 'example.com', type: 'MX', preference: 1, exchange: 'new.example.com' },
        { name: 'new.example.com', type: 'A', value: '192.0.2.26' },
      ],
    },
    'example.com',
    ({ mx }) => [mx.records, mx.is_valid],
    [['new.example.com'], true],
  ],
] as const satisfies readonly (readonly [
  string,
  TriedRecords,
  string,
  (report: Awaited<ReturnType<typeof examineDomain>>['report']) => unknown,
  unknown,
])[])
  test(`changed zone: ${behaviour}`, async () => {
    const { report } = await tryChange(tried, domain);
    assert.deepEqual(read(report), want);
  });
