import assert from 'node:assert/strict';
import test from 'node:test';
import { parseAddress } from '../address.ts';
import type { Feed } from '../feeds/feed.ts';
import { FORMATS } from '../feeds/formats.ts';
import type { IngestedFeed } from '../feeds/ingest.ts';
import type { Dataset } from '../file/read.ts';
import { bytesContent } from '../io/content.ts';
import { explain } from '../lookup/evidence.ts';
import { datasetOf, sampleInput, source } from '../test/sample-dataset.ts';
import type { CompileInput } from './input/compile-input.ts';
import { liveInput } from './live.ts';

const EMBEDDED = sampleInput({
  routes: [
    ['1.0.0.0/16', 64500, 'Example'],
    ['3.0.0.0/16', 64501, 'Second'],
  ],
  crawlers: [['1.0.1.0/24', 'OpenAI']],
  tor: [['1.0.2.0/24', 'Relay Friends']],
});

function ingested(format: string, text: string, changes: Partial<Feed>): IngestedFeed {
  const feed: Feed = {
    id: 'feed',
    url: 'https://example.com/',
    format,
    licence: 'none',
    credit: 'none',
    drives: [],
    refresh_hours: 24,
    mode: 'on',
    min_records: 0,
    max_records: 100_000,
    ...changes,
  };
  const parsed = FORMATS[format]?.parse(bytesContent(text));
  assert.ok(parsed);
  return { feed, parsed, source: source(feed.id) };
}

function answer(data: Dataset, ip: string) {
  const address = parseAddress(ip);
  assert.ok(address);
  const match = data.find(address);
  if (match === 0) return undefined;
  const { detection, threat, ...record } = data.record(address, match);
  return { ...record, ...detection, ...threat, evidence: explain(data, address, match) };
}

const live = (feeds: readonly IngestedFeed[], changes: Partial<CompileInput> = {}) =>
  datasetOf({ ...liveInput(EMBEDDED, feeds), ...changes });

test('live: a feed replaces the built-in table with the same id, and no other', () => {
  const { overlays } = EMBEDDED;
  const data = live([
    ingested('cidr-lines', '1.0.9.0/24', {
      id: 'crawler',
      drives: ['is_ai_crawler'],
      company: 'Google',
    }),
  ]);
  assert.ok(overlays.some(({ source: { id } }) => id === 'crawler'));
  assert.deepEqual(
    ['1.0.1.1', '1.0.9.1'].map((ip) => answer(data, ip)?.ai_company),
    [undefined, 'Google'],
  );
  assert.equal(answer(data, '1.0.2.1')?.is_tor_exit, true);
});

test('live: lasting blocks of Tor exits count beside a list of exits', () => {
  const data = live([
    ingested('ip-lines', '1.0.9.9', { id: 'tor-exits', drives: ['is_tor_exit'] }),
  ]);
  assert.deepEqual(
    ['1.0.2.1', '1.0.9.9'].map((ip) => answer(data, ip)?.is_tor_exit),
    [true, true],
  );
});

test('live: a routing table that drives only names adds no routes', () => {
  const csv = '1.0.0.0,1.0.255.255,7,"Other"\n5.0.0.0,5.0.255.255,7,"Other"\n';
  assert.equal(
    answer(live([ingested('range-csv-asn', csv, { drives: ['names'] })]), '5.0.0.1'),
    undefined,
  );
  assert.equal(
    answer(live([ingested('range-csv-asn', csv, { drives: ['routes', 'names'] })]), '1.0.0.1')
      ?.asn_name,
    'Other',
  );
});

for (const [behaviour, format, text, changes, country] of [
  ['a geofeed', 'geofeed', '1.0.3.0/24,NZ,,,', { provider: 'Example' }, 'NZ'],
  [
    'a region of a cloud',
    'oci-json',
    '{"regions":[{"region":"eu-frankfurt-1","cidrs":[{"cidr":"1.0.3.0/24"}]}]}',
    { provider: 'Oracle Cloud' },
    'DE',
  ],
  [
    'an unknown region of a cloud',
    'oci-json',
    '{"regions":[{"region":"moon-1","cidrs":[{"cidr":"1.0.3.0/24"}]}]}',
    { provider: 'Oracle Cloud' },
    'ZZ',
  ],
] as const) {
  test(`live: the country of ${behaviour}`, () => {
    const data = live([
      ingested(format, text, { drives: ['country', 'cloud_provider'], ...changes }),
    ]);
    assert.deepEqual(
      [answer(data, '1.0.3.1')?.country, answer(data, '1.0.3.1')?.cloud_provider],
      [country, changes.provider],
    );
  });
}

test('live: an aggregate without counts counts as one list, and adds nothing to a single list', () => {
  const single = ingested('cidr-lines', '1.0.0.7', { id: 'single', drives: ['blocklist'] });
  const aggregate = ingested('netset', '1.0.0.7\n1.0.0.8', {
    id: 'aggregate',
    drives: ['blocklist'],
    is_aggregate: true,
  });
  const data = live([single, aggregate]);
  assert.deepEqual(
    ['1.0.0.7', '1.0.0.8'].map((ip) => answer(data, ip)?.score),
    [15, 15],
  );
});

const EXITS = { id: 'tor-exits', drives: ['is_tor_exit'], fallback_for: 'tor-onionoo' } as const;
const onionoo = (...addresses: string[]) =>
  ingested(
    'onionoo',
    JSON.stringify({ relays: [{ exit_addresses: addresses, contact: 'url:relays.example' }] }),
    {
      id: 'tor-onionoo',
      drives: ['is_tor_exit'],
    },
  );

for (const [behaviour, feeds, want] of [
  [
    'lasting blocks count beside a list of IPv4 exits',
    [ingested('ip-lines', '1.0.9.9', EXITS)],
    '1.0.2.1 1.0.9.9 2a00:2::1',
  ],
  [
    'lasting blocks count beside a list of both families',
    [onionoo('1.0.9.9', '2a00:9::9')],
    '1.0.2.1 1.0.9.9 2a00:2::1 2a00:9::9',
  ],
  [
    'the fallback adds nothing to families that the first list has',
    [onionoo('1.0.8.8', '2a00:9::9'), ingested('ip-lines', '1.0.9.9', EXITS)],
    '1.0.2.1 1.0.8.8 2a00:2::1 2a00:9::9',
  ],
  [
    'the fallback is used for a family that the first list lacks',
    [onionoo('2a00:9::9'), ingested('ip-lines', '1.0.9.9', EXITS)],
    '1.0.2.1 1.0.9.9 2a00:2::1 2a00:9::9',
  ],
  ['without a list the table decides', [], '1.0.2.1 2a00:2::1'],
] as const) {
  test(`live: Tor exits: ${behaviour}`, () => {
    const embedded = sampleInput({
      routes: [
        ['1.0.0.0/16', 64500, 'Example'],
        ['2a00::/16', 64500, 'Example'],
      ],
      tor: [
        ['1.0.2.0/24', 'Relay Friends'],
        ['2a00:2::/48', 'Relay Friends'],
      ],
    });
    const data = datasetOf(liveInput(embedded, feeds));
    const addresses = ['1.0.2.1', '1.0.8.8', '1.0.9.9', '2a00:2::1', '2a00:9::9'];
    assert.equal(addresses.filter((ip) => answer(data, ip)?.is_tor_exit).join(' '), want);
  });
}

const GEOFEED = `
1.0.3.0/24,NZ,,,
1.0.0.0/8,KP,,,
3.0.0.0/24,KP,,,
8.8.8.0/24,KP,,,
1.0.3.128/25,,,,
`;

for (const [behaviour, asns, ip, country] of [
  ['decides for a network of its operator', [64500], '1.0.3.1', 'NZ'],
  ['withdraws a part by an empty country', [64500], '1.0.3.129', 'ZZ'],
  ['decides nothing for the network of another operator', [64500], '3.0.0.1', 'ZZ'],
  ['decides nothing for a network that is announced inside its row', [64500], '1.0.4.1', 'ZZ'],
  ['decides nothing for a prefix that another network announces', [64500], '8.8.8.8', 'US'],
  ['of the user decides everywhere without a scope', undefined, '3.0.0.1', 'KP'],
] as const) {
  test(`live: a geofeed ${behaviour}`, () => {
    const embedded = sampleInput({
      routes: [
        ['1.0.0.0/16', 64500, 'Example'],
        ['1.0.4.0/24', 64501, 'Customer'],
        ['3.0.0.0/16', 64501, 'Second'],
        ['8.8.8.0/24', 15169, 'Google'],
      ],
      countries: [['8.8.8.0/24', 'US']],
    });
    const feed = ingested('geofeed', GEOFEED, {
      drives: ['country'],
      ...(asns === undefined ? {} : { asns }),
    });
    const data = datasetOf(liveInput(embedded, [feed]));
    assert.equal(answer(data, ip)?.country, country);
    const named = answer(data, ip)?.evidence.some(
      ({ field, source: id }) => field === 'country' && id === 'feed',
    );
    assert.equal(named, country === 'NZ' || country === 'KP');
  });
}

test('live: an operator of a Tor exit is named by its web address', () => {
  const evidence = answer(live([onionoo('1.0.9.9')]), '1.0.9.9')?.evidence ?? [];
  assert.deepEqual(
    evidence
      .filter(({ field }) => field === 'tor_operator')
      .map(({ value, source: id }) => [value, id]),
    [['relays.example', 'tor-onionoo']],
  );
});

for (const [format, text] of [
  ['geofeed', '1.0.7.0/31,NZ,NZ-AUK,Auckland,\n2a00:7::/64,NZ,,,'],
  ['cidr-lines', '1.0.7.0/31\n2a00:7::/64'],
  ['json-addresses', '{"egress":["1.0.7.0/31","2a00:7::/64"]}'],
  ['google-json', '{"prefixes":[{"ipv4Prefix":"1.0.7.0/31"},{"ipv6Prefix":"2a00:7::/64"}]}'],
  ['netset', '#\n1.0.7.0/31\n2a00:7::/64'],
] as const) {
  test(`live: a relay list as ${format} overrides VPN lists, and is named`, () => {
    const embedded = sampleInput({
      routes: [
        ['1.0.0.0/16', 64500, 'Example'],
        ['2a00:7::/32', 64500, 'Example'],
      ],
    });
    const vpn = { drives: ['is_vpn'] } as const;
    const data = datasetOf(
      liveInput(embedded, [
        ingested('cidr-lines', '1.0.7.0/28\n2a00:7::/64', {
          id: 'generic',
          is_generic: true,
          ...vpn,
        }),
        ingested('cidr-lines', '1.0.7.1', { id: 'service', operator: 'Example VPN', ...vpn }),
        ingested(format, text, { id: 'relay', operator: 'Example Relay', is_relay: true, ...vpn }),
      ]),
    );
    const relay = (ip: string) =>
      answer(data, ip)?.evidence.find(({ field }) => field === 'relay')?.value;
    assert.deepEqual(
      ['1.0.7.0', '1.0.7.1', '2a00:7::1', '1.0.7.2'].map((ip) => [
        answer(data, ip)?.is_vpn,
        relay(ip),
      ]),
      [
        [false, 'Example Relay'],
        [false, 'Example Relay'],
        [false, 'Example Relay'],
        [true, undefined],
      ],
    );
  });
}

test('live: addresses of a CDN on a generic VPN list are not a VPN without the list of the relay', () => {
  const embedded = sampleInput({ routes: [['1.0.0.0/16', 36183, 'Akamai']] });
  const generic = ingested('cidr-lines', '1.0.7.0/27', {
    id: 'generic',
    drives: ['is_vpn'],
    is_generic: true,
  });
  const { is_vpn, score } = answer(datasetOf(liveInput(embedded, [generic])), '1.0.7.7') ?? {};
  assert.deepEqual([is_vpn, score], [false, 0]);
});
