import assert from 'node:assert/strict';
import test from 'node:test';
import { parseAddress } from '../address.ts';
import type { Dataset } from '../read.ts';
import { datasetOf, sampleInput, source } from '../test/sample-dataset.ts';
import type { CompileInput } from './compile.ts';
import type { Feed } from './feed.ts';
import { FORMATS } from './formats.ts';
import type { Reading } from './intake.ts';
import { liveInput } from './live.ts';
import { parseOverrides } from './overrides.ts';
import { bytesContent } from './sources/content.ts';

const EMBEDDED = sampleInput({
  routes: [
    ['1.0.0.0/16', 64500, 'Example'],
    ['3.0.0.0/16', 64501, 'Second'],
  ],
  crawlers: [['1.0.1.0/24', 'OpenAI']],
  tor: [['1.0.2.0/24', 'Relay Friends']],
});

function reading(format: string, text: string, changes: Partial<Feed>): Reading {
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

const live = (readings: readonly Reading[], changes: Partial<CompileInput> = {}) =>
  datasetOf({ ...liveInput(EMBEDDED, readings), ...changes });

test('live: a feed replaces the table with its id, and only that', () => {
  const { overlays } = EMBEDDED;
  const data = live([
    reading('cidr-lines', '1.0.9.0/24', { id: 'crawler', drives: ['is_ai_crawler'], company: 'Google' }),
  ]);
  assert.ok(overlays.some(({ source: { id } }) => id === 'crawler'));
  assert.deepEqual(
    ['1.0.1.1', '1.0.9.1'].map((ip) => answer(data, ip)?.ai_company),
    [undefined, 'Google'],
  );
  assert.equal(answer(data, '1.0.2.1')?.is_tor_exit, true);
});

test('live: known exits replace the table of blocks', () => {
  const data = live([reading('ip-lines', '1.0.9.9', { id: 'tor-exits', drives: ['is_tor_exit'] })]);
  assert.deepEqual(
    ['1.0.2.1', '1.0.9.9'].map((ip) => answer(data, ip)?.is_tor_exit),
    [false, true],
  );
});

test('live: a table of announcements that drives names alone announces nothing', () => {
  const csv = '1.0.0.0,1.0.255.255,7,"Other"\n5.0.0.0,5.0.255.255,7,"Other"\n';
  assert.equal(answer(live([reading('range-csv-asn', csv, { drives: ['names'] })]), '5.0.0.1'), undefined);
  assert.equal(
    answer(live([reading('range-csv-asn', csv, { drives: ['routes', 'names'] })]), '1.0.0.1')?.asn_name,
    'Other',
  );
});

for (const [behaviour, ip, score] of [
  ['private space that the operator has made its own', '10.1.2.3', 0],
  ['what a /3 of bogons covers', '3.0.0.1', 0],
  ['what is listed', '1.0.0.7', 15],
] as const) {
  test(`live: a blocklist with bogons: ${behaviour} scores ${score}`, () => {
    const overrides = parseOverrides('{"networks":[{"prefix":"10.0.0.0/8","asn":64512}]}', '2026-11-15');
    const list = reading('netset', '0.0.0.0/2\n10.0.0.0/8\n10.1.2.0/24\n1.0.0.7\n', { drives: ['blocklist'] });
    assert.equal(answer(live([list], { overrides }), ip)?.score, score);
  });
}

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
    'a region that nobody knows',
    'oci-json',
    '{"regions":[{"region":"moon-1","cidrs":[{"cidr":"1.0.3.0/24"}]}]}',
    { provider: 'Oracle Cloud' },
    'ZZ',
  ],
] as const) {
  test(`live: the country of ${behaviour}`, () => {
    const data = live([reading(format, text, { drives: ['country', 'cloud_provider'], ...changes })]);
    assert.deepEqual(
      [answer(data, '1.0.3.1')?.country, answer(data, '1.0.3.1')?.cloud_provider],
      [country, changes.provider],
    );
  });
}

test('live: an aggregate without counts is one list, and adds nothing to single ones', () => {
  const single = reading('cidr-lines', '1.0.0.7', { id: 'single', drives: ['blocklist'] });
  const aggregate = reading('netset', '1.0.0.7\n1.0.0.8', {
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
