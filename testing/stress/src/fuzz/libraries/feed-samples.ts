/**
 * A short well-formed file for every feed format, and the heads of the real files where their
 * folder is there. Addresses and numbers are those for documentation.
 */

import { closeSync, openSync, readSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { cityMmdb } from '@whence/dataset/test/sample-mmdb';
import { fixtureFeeds } from '@whence/testing/fixtures';

const json = (value: unknown) => JSON.stringify(value);
const lines = (...rows: string[]) => `${rows.join('\n')}\n`;

const TEXTS: Readonly<Record<string, string>> = {
  riswhois: lines(
    '% This file was generated at Mon Mar  4 10:06:01 UTC 2019.',
    '64496\t192.0.2.0/24\t300',
    '{64497,64498}\t2001:db8::/32\t12',
  ),
  'iptoasn-tsv': lines(
    '192.0.2.0\t192.0.2.255\t64496\tUS\tEXAMPLE-AS',
    '198.51.100.0\t198.51.100.255\t0\tNone\tNot routed',
  ),
  'range-csv-asn': lines(
    '192.0.2.0,192.0.2.255,64496,"Example, Inc."',
    '2001:db8::,2001:db8::ffff,64497,Example',
  ),
  'range-csv-cc': lines('192.0.2.0,192.0.2.255,US', '2001:db8::,2001:db8::ffff,DE'),
  'delegated-ext': lines(
    '2|ripencc|20260505|3|19821213|20260505|+0000',
    'ripencc|*|ipv4|*|1|summary',
    'ripencc|DE|ipv4|192.0.2.0|256|20260101|assigned|an-opaque-id',
    'apnic|AU|ipv6|2001:db8::|32|20040701|allocated',
    'arin|US|asn|64496|2|20260101|assigned|id',
  ),
  asnames: lines('64496 EXAMPLE-AS Example Organisation e.V., DE', '64497 -Reserved AS-, ZZ'),
  'asn2org-csv': lines('"asn","name","source"', '"64496","Example, Inc.","ARIN"'),
  'asn-csv': lines('asn,name', '64496,"Example ""Inc."""', 'AS64497 # Example'),
  'ndjson-asndrop': lines(
    json({ asn: 64496, rir: 'arin', domain: 'example.com', cc: 'US', asname: 'EXAMPLE-AS' }),
    json({ type: 'metadata', timestamp: 1784798042 }),
  ),
  'named-scanners': lines('# comment', '192.0.2.1 # census1.shodan.io', '192.0.2.2'),
  'ip-lines': lines('# comment', '192.0.2.1', '2001:db8::1'),
  'cidr-lines': lines('192.0.2.0/24 ; SBL1', '198.51.100.7', '2001:db8::/32'),
  netset: lines(
    '# This File Date: Sat Aug 22 10:00:00 UTC 2026',
    '# Source File Date: Fri Aug 21 2026',
    '192.0.2.0/24',
  ),
  'ip-count': lines('# Last update: Sat, 22 Aug 2026 03:00:41 +0200', '192.0.2.1\t9', '192.0.2.2'),
  'ip-port': lines('192.0.2.1:8080', '[2001:db8::1]:3128', '192.0.2.2'),
  'json-addresses': json({
    servers: [{ ipv4: '192.0.2.1', name: 'x', nested: [['2001:db8::1']] }],
  }),
  'tor-exit-addresses': lines(
    'ExitNode 4273E6D162ED2717A1CF4207A254004CD3F5307B',
    'Published 2021-11-02 11:01:07',
    'ExitAddress 192.0.2.1 2021-11-02 23:17:02',
  ),
  onionoo: json({
    relays_published: '2026-08-22 10:00:00',
    relays: [
      {
        or_addresses: ['192.0.2.1:9001', '[2001:db8::1]:9001'],
        exit_addresses: ['192.0.2.9'],
        flags: ['Exit'],
      },
    ],
  }),
  'ndjson-drop': lines(
    json({ cidr: '192.0.2.0/24', sblid: 'SBL1', rir: 'arin' }),
    json({ type: 'metadata', timestamp: 1784798042 }),
  ),
  'dshield-block': lines(
    '# comment',
    'Start\tEnd\tNetblock\tAttacks',
    '192.0.2.0\t192.0.2.255\t24\t1234',
  ),
  'aws-json': json({
    createDate: '2026-08-22-10-00-00',
    prefixes: [
      { ip_prefix: '192.0.2.0/24', region: 'us-east-1', network_border_group: 'us-east-1-bue-1' },
    ],
    ipv6_prefixes: [{ ipv6_prefix: '2001:db8::/32', region: 'GLOBAL' }],
  }),
  'azure-tags': json({
    values: [
      { name: 'AzureCloud.eastus', properties: { addressPrefixes: ['192.0.2.0/24'] } },
      { name: 'AzureCloud', properties: { addressPrefixes: ['192.0.2.0/24', '2001:db8::/32'] } },
    ],
  }),
  'google-json': json({
    creationTime: '2026-05-05T18:01:02',
    prefixes: [{ ipv4Prefix: '192.0.2.0/24', scope: 'us-east1' }, { ipv6Prefix: '2001:db8::/32' }],
  }),
  'oci-json': json({
    last_updated_timestamp: '2026-08-22T10:00:00',
    regions: [{ region: 'eu-frankfurt-1', cidrs: [{ cidr: '192.0.2.0/24', tags: ['OCI'] }] }],
  }),
  'fastly-json': json({ addresses: ['192.0.2.0/24'], ipv6_addresses: ['2001:db8::/32'] }),
  'github-meta': json({
    hooks: ['192.0.2.0/24'],
    web: ['2001:db8::/32'],
    domains: { website: ['*.example'] },
  }),
  geofeed: lines(
    '# Last updated 2026-08-22',
    '192.0.2.0/24,US,US-NJ,"City, Town",',
    '2001:db8::/32,de,,,',
  ),
  'embedded-json-html':
    '<html><script src="a.js?v=1.2.3.4"></script><td>192.0.2.0/24</td>{&quot;creationTime&quot;:&quot;2026-08-22&quot;,&quot;prefixes&quot;:[{&quot;ip_prefix&quot;:&quot;198.51.100.0/24&quot;}]}</html>',
};

const HEAD_BYTES = 3_000;
const COMPRESSED_HEAD_BYTES = 64_000;

/** By format. Every format has at least one. */
export function feedSamples(): Map<string, Buffer[]> {
  const samples = new Map<string, Buffer[]>();
  for (const [format, text] of Object.entries(TEXTS)) samples.set(format, [Buffer.from(text)]);
  samples.set('location-mmdb', [
    cityMmdb([
      ['192.0.2.0/24', { country: 'US', region: 'California', city: 'Mountain View' }],
      ['2001:db8::/32', { country: 'DE', city: 'Frankfurt am Main', at: [50.1109, 8.68213] }],
    ]),
  ]);
  for (const feed of fixtureFeeds() ?? []) {
    // Rows of the catalogue of fixtures, which is ours.
    const { url, format } = feed as { url: string; format: string };
    const head = headOf(fileURLToPath(url));
    if (head !== undefined) samples.get(format)?.push(head);
  }
  return samples;
}

/** A JSON document without its end is a case too. */
function headOf(path: string): Buffer | undefined {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(COMPRESSED_HEAD_BYTES);
    const size = readSync(file, bytes);
    const head = bytes.subarray(0, size);
    const isGzip = head[0] === 0x1f && head[1] === 0x8b;
    // The stream goes on after the head: what there is of it is enough.
    return Buffer.from(
      (isGzip ? gunzipSync(head, { finishFlush: 2 }) : head).subarray(0, HEAD_BYTES),
    );
  } finally {
    closeSync(file);
  }
}
