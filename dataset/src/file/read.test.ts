import assert from 'node:assert/strict';
import test from 'node:test';
import { formatAddress, parseAddress } from '../address.ts';
import { explain } from '../lookup/evidence.ts';
import { fromBigInt } from '../prefix.ts';
import { sampleDataset } from '../test/sample-dataset.ts';
import type { Dataset } from './read.ts';

const dataset = sampleDataset({
  routes: [
    ['1.0.0.0/16', 64500, 'Exämple "Nord" \\ GmbH'],
    ['1.0.4.0/24', 64501, 'More Specific'],
    ['2.0.1.0-2.0.4.255', 64502, 'Ranges'],
    ['2.0.9.0-2.0.10.255', 64507, 'Two of One Length'],
    ['3.0.0.0/8', 16509, 'Amazon'],
    ['5.0.0.0/24', 209854, 'Surfshark'],
    ['6.0.0.0/24', 64503, 'Covered'],
    ['6.0.0.0/25', 64504, 'Lower Half'],
    ['6.0.0.128/25', 64504, 'Lower Half'],
    ['10.0.0.0/8', 64505, 'Announces Private Space'],
    ['2a00::/32', 64500, 'Exämple "Nord" \\ GmbH'],
    ['2a00:0:0:1::8/125', 64506, 'Inside a /64'],
    ['2a00:ffff::/32', 64502, 'Ranges'],
    ['2001:db8::/32', 64505, 'Announces Private Space'],
    ['4000::/16', 64505, 'Announces Private Space'],
  ],
  countries: [
    ['1.0.0.0/17', 'DE'],
    ['3.0.0.0/8', 'US'],
    ['2a00::/16', 'FR'],
  ],
  delegated: [
    ['1.0.0.0/16', 'AU'],
    ['2.0.0.0/16', 'FR'],
    ['3.0.0.0/8', 'US'],
    ['2a00::/16', 'SE'],
  ],
  crawlers: [['3.0.0.16/28', 'OpenAI']],
  tor: [['1.0.9.9/32', 'Relay Friends']],
});

for (const [behaviour, ip, want] of [
  [
    'the announced prefix',
    '1.0.1.1',
    { prefix: '1.0.0.0/16', asn: 64500, country: 'DE', rir: 'APNIC' },
  ],
  ['a name that is not ASCII', '1.0.1.1', { asn_name: 'Exämple "Nord" \\ GmbH' }],
  ['a more specific announcement decides', '1.0.4.77', { prefix: '1.0.4.0/24', asn: 64501 }],
  [
    'a country border does not change the prefix',
    '1.0.200.1',
    { prefix: '1.0.0.0/16', country: 'AU' },
  ],
  ['a range answers with its largest prefix', '2.0.3.1', { prefix: '2.0.2.0/23', country: 'FR' }],
  ['another part of the range has another prefix', '2.0.4.1', { prefix: '2.0.4.0/24' }],
  ['an overlay does not change the prefix', '3.0.0.17', { prefix: '3.0.0.0/8' }],
  ['an unknown country', '5.0.0.1', { country: 'ZZ' }],
  [
    'a short IPv6 prefix',
    '2a00:0:0:2::1',
    { prefix: '2a00::/32', asn: 64500, country: 'FR', rir: 'RIPE' },
  ],
  ['a prefix inside a /64', '2a00:0:0:1::9', { prefix: '2a00:0:0:1::8/125', asn: 64506 }],
  ['before a prefix inside a /64', '2a00:0:0:1::7', { prefix: '2a00::/32', asn: 64500 }],
  ['after a prefix inside a /64', '2a00:0:0:1::10', { prefix: '2a00::/32', asn: 64500 }],
  ['after a divided /64', '2a00:0:0:2::', { prefix: '2a00::/32', asn: 64500 }],
  ['a later first word', '2a00:ffff::1', { asn: 64502 }],
] as const) {
  test(`read: ${behaviour}`, () => {
    const record = lookup(ip);
    assert.equal(record.ip, ip);
    assert.deepEqual(
      Object.fromEntries(Object.keys(want).map((key) => [key, record[key as 'prefix']])),
      want,
    );
  });
}

for (const [behaviour, ip] of [
  ['unrouted space', '7.0.0.1'],
  ['just before a prefix', '0.255.255.255'],
  ['just after a prefix', '1.1.0.0'],
  ['private space that is announced', '10.0.0.1'],
  ['documentation space that is announced', '2001:db8::1'],
  ['space outside global unicast that is announced', '4000::1'],
  ['between IPv6 prefixes', '2a00:1::'],
  ['after the last IPv6 prefix', '2a01::'],
  ['the highest IPv6 address', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['the highest IPv4 address', '255.255.255.255'],
] as const) {
  test(`read: no match for ${behaviour}`, () => assert.equal(dataset.find(address(ip)), 0));
}

test('read: a record has every field of the specification and nothing else', () => {
  assert.deepEqual(lookup('3.0.0.17'), {
    ip: '3.0.0.17',
    prefix: '3.0.0.0/8',
    asn: 16509,
    asn_name: 'Amazon',
    country: 'US',
    rir: 'ARIN',
    connection_type: 'datacenter',
    detection: {
      is_datacenter: true,
      is_tor_exit: false,
      is_proxy: false,
      is_vpn: false,
      is_residential: false,
      is_mobile: false,
      is_ai_crawler: true,
      ai_company: 'OpenAI',
      cloud_provider: 'AWS',
    },
    threat: { score: 0, level: 'low' },
  });
});

test('read: the scores of a Tor exit, a VPN operator and a network without contributions', () => {
  assert.deepEqual(lookup('1.0.9.9').threat, {
    score: 45,
    level: 'medium',
    explanation: ['Tor exit of Relay Friends (tor, 2026-11-01): +45'],
  });
  assert.deepEqual(lookup('5.0.0.1').threat, {
    score: 15,
    level: 'low',
    explanation: ['VPN operator Surfshark (networks, 2026-11-01): +15'],
  });
  assert.deepEqual(lookup('1.0.1.1').threat, { score: 0, level: 'low' });
});

test('read: the JSON text is ASCII', () => {
  const at = address('1.0.1.1');
  assert.match(dataset.json(at, dataset.find(at)), /^[\x20-\x7e]+$/);
});

test('read: an AS with its counts', () => {
  assert.deepEqual(dataset.asn(64500), {
    asn: 64500,
    asn_name: 'Exämple "Nord" \\ GmbH',
    country: 'AU',
    rir: 'APNIC',
    connection_type: 'business',
    is_announced: true,
    prefix_count: { ipv4: 1, ipv6: 1 },
    address_count: { ipv4: 65536 - 256 },
  });
  assert.equal(dataset.asn(64499), undefined);
  assert.equal(dataset.asn(0), undefined);
});

for (const [behaviour, asn, want] of [
  ['a prefix with a hole', 64500, { ipv4: ['1.0.0.0/16'], ipv6: ['2a00::/32'] }],
  [
    'a range',
    64502,
    { ipv4: ['2.0.1.0/24', '2.0.2.0/23', '2.0.4.0/24'], ipv6: ['2a00:ffff::/32'] },
  ],
  ['neighbours of one length', 64507, { ipv4: ['2.0.9.0/24', '2.0.10.0/24'], ipv6: [] }],
  ['a prefix cut by an overlay', 16509, { ipv4: ['3.0.0.0/8'], ipv6: [] }],
  ['a prefix that more specific ones cover', 64503, { ipv4: ['6.0.0.0/24'], ipv6: [] }],
  ['a prefix inside a /64', 64506, { ipv4: [], ipv6: ['2a00:0:0:1::8/125'] }],
  ['special-purpose space is not announced', 64505, { ipv4: [], ipv6: [] }],
  ['an unknown AS', 64499, { ipv4: [], ipv6: [] }],
] as const) {
  test(`read: prefixes of an AS: ${behaviour}`, () => {
    const prefixes = dataset.prefixesOf(asn);
    assert.deepEqual(prefixes, want);
    const counts = dataset.asn(asn)?.prefix_count ?? { ipv4: 0, ipv6: 0 };
    assert.deepEqual(counts, { ipv4: prefixes.ipv4.length, ipv6: prefixes.ipv6.length });
  });
}

test('evidence: one row per decided field, with source, prefix and date', () => {
  const at = address('3.0.0.17');
  const rows = explain(dataset, at, dataset.find(at)).map(({ field, value, source, prefix }) => [
    field,
    value,
    source,
    prefix,
  ]);
  assert.deepEqual(rows, [
    ['prefix', '3.0.0.0/8', 'routes', '3.0.0.0/8'],
    ['asn', 16509, 'routes', '3.0.0.0/8'],
    ['asn_name', 'Amazon', 'routes', '3.0.0.0/8'],
    ['country', 'US', 'countries', '3.0.0.0/8'],
    ['rir', 'ARIN', 'iana-tables', '3.0.0.0/8'],
    ['connection_type', 'datacenter', 'networks', '3.0.0.0/8'],
    ['connection_type_source', 'table', 'networks', '3.0.0.0/8'],
    ['cloud_provider', 'AWS', 'networks', '3.0.0.0/8'],
    ['ai_company', 'OpenAI', 'crawler', '3.0.0.16/28'],
    ['is_ai_crawler', true, 'crawler', '3.0.0.16/28'],
  ]);
});

for (const [behaviour, ip, field, source, prefix] of [
  [
    'the country of a source, up to the end of its range',
    '1.0.1.1',
    'country',
    'countries',
    '1.0.0.0/17',
  ],
  [
    'the country of registration where no other is known',
    '1.0.200.1',
    'country',
    'delegated',
    '1.0.0.0/16',
  ],
  ['IPv6', '2a00::1', 'country', 'countries', '2a00::/32'],
  ['IPv6 inside a /64', '2a00:0:0:1::9', 'asn', 'routes', '2a00:0:0:1::8/125'],
] as const) {
  test(`evidence: ${behaviour}`, () => {
    const at = address(ip);
    const row = explain(dataset, at, dataset.find(at)).find((evidence) => evidence.field === field);
    assert.deepEqual([row?.source, row?.prefix], [source, prefix]);
  });
}

function address(text: string) {
  const parsed = parseAddress(text);
  assert.ok(parsed);
  return parsed;
}

function lookup(ip: string): ReturnType<Dataset['record']> {
  const at = address(ip);
  const match = dataset.find(at);
  assert.notEqual(match, 0, `${ip} is not found`);
  return dataset.record(at, match);
}

test('runs: every announced address once, in ascending order, divided where the prefix or the record changes', () => {
  const runs = ([4, 6] as const).flatMap((version) =>
    [...dataset.runs(version)].map(({ start, end, match }) => {
      const first = fromBigInt(start, version);
      const { prefix, country, detection } = dataset.record(first, match);
      const flag = detection.is_tor_exit ? 'tor' : (detection.ai_company ?? '');
      return [formatAddress(first), formatAddress(fromBigInt(end, version)), prefix, country, flag]
        .join(' ')
        .trim();
    }),
  );
  assert.deepEqual(runs, [
    '1.0.0.0 1.0.3.255 1.0.0.0/16 DE',
    '1.0.4.0 1.0.4.255 1.0.4.0/24 DE',
    '1.0.5.0 1.0.9.8 1.0.0.0/16 DE',
    '1.0.9.9 1.0.9.9 1.0.0.0/16 DE tor',
    '1.0.9.10 1.0.127.255 1.0.0.0/16 DE',
    '1.0.128.0 1.0.255.255 1.0.0.0/16 AU',
    '2.0.1.0 2.0.1.255 2.0.1.0/24 FR',
    '2.0.2.0 2.0.3.255 2.0.2.0/23 FR',
    '2.0.4.0 2.0.4.255 2.0.4.0/24 FR',
    '2.0.9.0 2.0.9.255 2.0.9.0/24 FR',
    '2.0.10.0 2.0.10.255 2.0.10.0/24 FR',
    '3.0.0.0 3.0.0.15 3.0.0.0/8 US',
    '3.0.0.16 3.0.0.31 3.0.0.0/8 US OpenAI',
    '3.0.0.32 3.255.255.255 3.0.0.0/8 US',
    '5.0.0.0 5.0.0.255 5.0.0.0/24 ZZ',
    '6.0.0.0 6.0.0.127 6.0.0.0/25 ZZ',
    '6.0.0.128 6.0.0.255 6.0.0.128/25 ZZ',
    '2a00:: 2a00:0:0:1::7 2a00::/32 FR',
    '2a00:0:0:1::8 2a00:0:0:1::f 2a00:0:0:1::8/125 FR',
    '2a00:0:0:1::10 2a00:0:ffff:ffff:ffff:ffff:ffff:ffff 2a00::/32 FR',
    '2a00:ffff:: 2a00:ffff:ffff:ffff:ffff:ffff:ffff:ffff 2a00:ffff::/32 FR',
  ]);
});
