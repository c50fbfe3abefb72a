import assert from 'node:assert/strict';
import test from 'node:test';
import { parseAddress } from '../address.ts';
import type { Feed } from '../feeds/feed.ts';
import { FORMATS } from '../feeds/formats.ts';
import type { IngestedFeed } from '../feeds/ingest.ts';
import { bytesContent } from '../feeds/sources/content.ts';
import type { Dataset } from '../file/read.ts';
import { datasetOf, sampleInput, source } from '../test/sample-dataset.ts';
import type { CompileInput } from './compile-input.ts';
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
  return { ...record, ...detection, ...threat };
}

const live = (feeds: readonly IngestedFeed[], changes: Partial<CompileInput> = {}) =>
  datasetOf({ ...liveInput(EMBEDDED, feeds), ...changes });

test('live: a feed replaces the built-in table with the same id, and no other', () => {
  const { overlays } = EMBEDDED;
  const data = live([
    ingested('cidr-lines', '1.0.9.0/24', { id: 'crawler', drives: ['is_ai_crawler'], company: 'Google' }),
  ]);
  assert.ok(overlays.some(({ source: { id } }) => id === 'crawler'));
  assert.deepEqual(
    ['1.0.1.1', '1.0.9.1'].map((ip) => answer(data, ip)?.ai_company),
    [undefined, 'Google'],
  );
  assert.equal(answer(data, '1.0.2.1')?.is_tor_exit, true);
});

test('live: a list of Tor exits replaces the built-in table of blocks', () => {
  const data = live([ingested('ip-lines', '1.0.9.9', { id: 'tor-exits', drives: ['is_tor_exit'] })]);
  assert.deepEqual(
    ['1.0.2.1', '1.0.9.9'].map((ip) => answer(data, ip)?.is_tor_exit),
    [false, true],
  );
});

test('live: a routing table that drives only names adds no routes', () => {
  const csv = '1.0.0.0,1.0.255.255,7,"Other"\n5.0.0.0,5.0.255.255,7,"Other"\n';
  assert.equal(answer(live([ingested('range-csv-asn', csv, { drives: ['names'] })]), '5.0.0.1'), undefined);
  assert.equal(
    answer(live([ingested('range-csv-asn', csv, { drives: ['routes', 'names'] })]), '1.0.0.1')?.asn_name,
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
    const data = live([ingested(format, text, { drives: ['country', 'cloud_provider'], ...changes })]);
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
