/** `whence crawlers` against a DNS server on loopback and the ranges of a small dataset. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { gzipSync } from 'node:zlib';
import { contentOf, ranges, sampleInput, source } from '@whence/dataset/test/sample-dataset';
import { publish } from '@whence/dataset/versions';
import {
  type ScriptedDnsServer,
  startScriptedDnsServer,
} from '@whence/testing/servers/scripted-dns-server';
import { runCommand } from '../../test/run-command.ts';
import { SAMPLE, TestFolder } from '../../test/test-server.ts';

const folder = new TestFolder();
let dns: ScriptedDnsServer;
let log = '';

const line = (ip: string, userAgent: string) =>
  `${ip} - - [x] "GET / HTTP/1.1" 200 1 "-" "Mozilla/5.0 (${userAgent})"`;
const LOG = [
  line('8.8.8.1', 'Googlebot/2.1'),
  line('8.8.8.1', 'Googlebot/2.1'),
  line('8.8.8.2', 'Googlebot/2.1'),
  line('8.8.8.3', 'Googlebot/2.1'),
  line('8.8.8.4', 'Googlebot/2.1'),
  line('3.0.0.17', 'GPTBot/1.2'),
  line('3.0.0.200', 'GPTBot/1.2'),
  line('8.8.8.5', 'ClaudeBot/1.0'),
  line('8.8.8.6', 'Bytespider'),
  line('10.0.0.1', 'bingbot/2.0'),
  line('8.8.8.1', 'Firefox/140'),
  line('3.0.0.77', 'zgrab/0.x'),
  line('3.0.0.78', 'CensysInspect/1.1'),
  'no entry',
].join('\n');

before(async () => {
  const input = sampleInput(SAMPLE);
  const overlay = (crawler: string, range: string) => ({
    drives: ['crawler' as const],
    crawler,
    statements: [{}],
    source: source(`crawler-example-${crawler.toLowerCase()}`),
    ranges: ranges([[range, 0]]),
  });
  const { crawler: _, ...named } = overlay('x', '3.0.0.76/30');
  const scanner = { ...named, drives: ['scanner' as const], statements: [{ label: 'Censys' }] };
  const overlays = [
    ...input.overlays,
    scanner,
    overlay('Googlebot', '8.8.8.1/32'),
    overlay('GPTBot', '3.0.0.16/28'),
  ];
  publish(folder.dataDir, contentOf({ ...input, overlays }), new Date());
  dns = await startScriptedDnsServer({
    '2.8.8.8.in-addr.arpa': { PTR: ['crawl-2.googlebot.com'] },
    'crawl-2.googlebot.com': { A: ['8.8.8.2'] },
    '3.8.8.8.in-addr.arpa': { PTR: ['crawl-3.googlebot.com'] },
    'crawl-3.googlebot.com': { A: ['8.8.8.2'] },
    '4.8.8.8.in-addr.arpa': { fail: 'SERVFAIL' },
  });
  log = join(folder.dataDir, 'access.log.gz');
  writeFileSync(log, gzipSync(LOG));
});
after(async () => {
  await dns.close();
  folder.remove();
});

const whence = (...args: string[]) =>
  runCommand(['crawlers', ...args], { ...folder.environment, WHENCE_DNS_SERVERS: dns.address });

test('crawlers: claims are verified by ranges, then by name', async () => {
  const { code, stdout } = await whence('--json', log);
  assert.equal(code, 0);
  const report = JSON.parse(stdout);
  assert.deepEqual(
    report.addresses.map((row: Record<string, unknown>) => [
      row['crawler'],
      row['ip'],
      row['requests'],
      row['status'],
      row['by'],
      row['hostname'],
    ]),
    [
      ['Googlebot', '8.8.8.1', 2, 'verified', 'ranges', undefined],
      ['bingbot', '10.0.0.1', 1, 'forged', 'network', undefined],
      ['GPTBot', '3.0.0.17', 1, 'verified', 'ranges', undefined],
      ['GPTBot', '3.0.0.200', 1, 'not_listed', undefined, undefined],
      ['Censys', '3.0.0.78', 1, 'verified', 'ranges', undefined],
      ['Googlebot', '8.8.8.2', 1, 'verified', 'name', 'crawl-2.googlebot.com'],
      ['Googlebot', '8.8.8.3', 1, 'forged', undefined, 'crawl-3.googlebot.com'],
      ['Googlebot', '8.8.8.4', 1, 'unknown', undefined, undefined],
      ['ClaudeBot', '8.8.8.5', 1, 'unknown', undefined, undefined],
      ['Bytespider', '8.8.8.6', 1, 'unverifiable', undefined, undefined],
    ],
  );
  assert.deepEqual([report.lines, report.unreadable, report.dropped], [14, 1, 0]);
  assert.deepEqual(report.scanners, [
    { operator: 'Censys', requests: 2, addresses: ['3.0.0.77', '3.0.0.78'] },
  ]);
  assert.deepEqual(report.crawlers.slice(0, 3), [
    { crawler: 'Googlebot', status: 'verified', requests: 3, addresses: 2 },
    { crawler: 'Googlebot', status: 'forged', requests: 1, addresses: 1 },
    { crawler: 'Googlebot', status: 'unknown', requests: 1, addresses: 1 },
  ]);
  assert.deepEqual(report.total, { requests: 11, addresses: 10 });
});

test('crawlers: the table lists those that are not verified', async () => {
  const { stdout } = await whence(log);
  assert.match(
    stdout,
    /^crawler +status +requests +addresses\nGooglebot +verified +3 +2\n +forged +1 +1\n/,
  );
  assert.match(stdout, /\ntotal +11 +10\n\nstatus +crawler/);
  assert.doesNotMatch(stdout, /8\.8\.8\.1 /);
  assert.match(stdout, /\nforged +Googlebot +8\.8\.8\.3 +1 +crawl-3\.googlebot\.com\n/);
  assert.match(stdout, /\nscanner +requests +addresses\nCensys +2 +2\n/);
  assert.match(stdout, /\n14 lines, 1 without an address or a user agent\n$/);
});

test('crawlers: without DNS, names are not known', async () => {
  const before = dns.queries.length;
  const { stdout } = await whence('--no-dns', '--json', log);
  const status = (text: string, address: string) =>
    JSON.parse(text).addresses.find(({ ip }: { ip: string }) => ip === address)?.status;
  assert.deepEqual([status(stdout, '8.8.8.3'), dns.queries.length], ['unknown', before]);
  assert.equal(status(stdout, '10.0.0.1'), 'forged');
  // Not networks of the operators, and one of phones.
  const elsewhere = join(folder.dataDir, 'elsewhere.log');
  const claims = [
    line('1.0.0.1', 'Googlebot/2.1'),
    line('9.0.0.1', 'ClaudeBot/1.0'),
    line('3.0.0.1', 'ClaudeBot/1.0'),
  ];
  writeFileSync(elsewhere, claims.join('\n'));
  const { stdout: forged } = await whence('--no-dns', '--json', elsewhere);
  assert.deepEqual(
    ['1.0.0.1', '9.0.0.1', '3.0.0.1'].map((ip) => status(forged, ip)),
    ['forged', 'forged', 'unknown'],
  );
});

test('crawlers: --status selects what is listed, --all lists everything', async () => {
  const { stdout } = await whence('--json', '--status', 'forged', log);
  const { addresses, total } = JSON.parse(stdout) as { addresses: { ip: string }[]; total: object };
  assert.deepEqual(addresses.map(({ ip }) => ip).sort(), ['10.0.0.1', '8.8.8.3']);
  assert.deepEqual(total, { requests: 11, addresses: 10 });
  assert.match((await whence('--all', log)).stdout, /\nverified +Googlebot +8\.8\.8\.1 +2/);
  const { code, stderr } = await whence('--status', 'fake', log);
  assert.equal(code, 2);
  assert.match(
    stderr,
    /It must be a list of verified, forged, not_listed, unverifiable, unknown\./,
  );
});

test('crawlers: a log without crawlers', async () => {
  const empty = join(folder.dataDir, 'empty.log');
  writeFileSync(empty, line('8.8.8.1', 'Firefox/140'));
  assert.match((await whence(empty)).stdout, /^no crawlers\n1 line, /);
});
