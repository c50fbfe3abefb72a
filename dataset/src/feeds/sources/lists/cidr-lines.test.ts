import assert from 'node:assert/strict';
import test from 'node:test';
import { fixture, NO_FIXTURES } from '@whence/testing/fixtures';
import { bytesContent, fileContent } from '../../../io/content.ts';
import { listed } from '../../../test/listed.ts';
import { parseCidrLines } from './line-lists.ts';

test('cidr-lines: addresses and prefixes of both families, comments, blank lines, no newline at the end', () => {
  const read = parseCidrLines(
    bytesContent(
      '# list\r\n\r\n192.0.2.1 # Tor\n  198.51.100.9/24\n; no\n// no\n2001:db8::/32 // yes\n2001:db8::1',
    ),
  );
  assert.deepEqual(listed(read), [
    '192.0.2.1/32',
    '198.51.100.0/24',
    '2001:db8::/32',
    '2001:db8::1/128',
  ]);
  assert.deepEqual([read.records, read.skipped, read.asOf], [4, 0, undefined]);
});

test('cidr-lines: an empty list', () => {
  const read = parseCidrLines(bytesContent('# nothing today\n'));
  assert.deepEqual([read.records, read.skipped], [0, 0]);
});

test('cidr-lines: the lines of an HTML page count as skipped', () => {
  const read = parseCidrLines(
    bytesContent('<!doctype html>\n<title>Sorry</title>\n<p>192.0.2.1</p>\n'),
  );
  assert.deepEqual([read.records, read.skipped], [0, 3]);
});

for (const [file, ipv4, ipv6] of [
  ['tor/torbulkexitlist.2024-02-27.txt', 1127, 619],
  ['cloud/cloudflare-ips-v4.txt', 15, 0],
  ['cloud/cloudflare-ips-v6.txt', 0, 7],
  ['hosting/x4bnet-datacenter-ipv4.txt', 42566, 0],
  ['hosting/x4bnet-datacenter-ipv6.txt', 0, 8752],
  ['vpn/x4bnet-vpn-ipv4.txt', 10862, 0],
  ['vpn/x4bnet-vpn-ipv6.txt', 0, 498],
  ['threat/spamhaus-drop.2025-04-15.txt', 1406, 0],
] as const) {
  const path = fixture(file);
  test(`cidr-lines: ${file}`, { skip: path === undefined && NO_FIXTURES }, () => {
    const read = parseCidrLines(fileContent(path as string));
    assert.deepEqual([read.ranges[4].length, read.ranges[6].length, read.skipped], [ipv4, ipv6, 0]);
    assert.deepEqual(read.labels, ['']);
  });
}
