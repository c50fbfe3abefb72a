/** `wh summarize`: addresses found in text. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { gzipSync } from 'node:zlib';
import { parseAddress } from '@whence/dataset/address';
import { runCommand } from '../../test/run-command.ts';
import { TestFolder } from '../../test/test-server.ts';
import { AddressCounts } from './summarize.ts';

const folder = new TestFolder();
before(() => {
  folder.publish();
});
after(() => folder.remove());

const wh = (argv: readonly string[], input?: string) =>
  runCommand(argv, folder.environment, input === undefined ? {} : { input });
const file = (name: string, content: string | Buffer): string => {
  const path = join(folder.dataDir, name);
  writeFileSync(path, content);
  return path;
};

const LOG = [
  '8.8.8.8 - - "GET / HTTP/1.1" 200 "-" "Chrome/120.0.0.0" via 3.0.0.1',
  '8.8.8.8:4711 - - "GET /a"',
  '1.0.9.9 - - "POST /login"',
  '10.0.0.1 - - "GET /health"',
  '4000::1 - - "GET /"',
  'no address here, version 1.2.3.4.5',
  '',
].join('\n');

test('summarize: counts by country, network, type, flag and level, and the most frequent addresses', async () => {
  const { code, stdout } = await wh(['summarize', '--json', file('a.log', LOG)]);
  assert.equal(code, 0);
  const summary = JSON.parse(stdout);
  const { lines, lines_with_address, occurrences, addresses, special, not_found, dropped } =
    summary;
  assert.deepEqual(
    { lines, lines_with_address, occurrences, addresses, special, not_found, dropped },
    {
      lines: 6,
      lines_with_address: 5,
      occurrences: 5,
      addresses: 4,
      special: 1,
      not_found: 1,
      dropped: 0,
    },
  );
  assert.deepEqual(summary.countries, [
    { value: 'US', occurrences: 2, addresses: 1 },
    { value: 'AU', occurrences: 1, addresses: 1 },
    { value: 'not announced', occurrences: 1, addresses: 1 },
    { value: 'private and special-purpose', occurrences: 1, addresses: 1 },
  ]);
  assert.deepEqual(
    summary.networks.map(({ asn, asn_name, occurrences: times }: Record<string, unknown>) => [
      asn,
      asn_name,
      times,
    ]),
    [
      [15169, 'Google LLC', 2],
      [64500, 'Exämple "Nord" GmbH', 1],
      [undefined, undefined, 1],
      [undefined, undefined, 1],
    ],
  );
  assert.deepEqual(summary.flags, [
    { value: 'datacenter', occurrences: 2, addresses: 1 },
    { value: 'tor_exit', occurrences: 1, addresses: 1 },
  ]);
  assert.deepEqual(
    summary.top_addresses.map(({ ip, occurrences: times, flags }: Record<string, unknown>) => [
      ip,
      times,
      flags,
    ]),
    [
      ['8.8.8.8', 2, ['datacenter']],
      ['1.0.9.9', 1, ['tor_exit']],
      ['10.0.0.1', 1, undefined],
      ['4000::1', 1, undefined],
    ],
  );
});

test('summarize: a private address is the top talker like any other, and shares add up to 100%', async () => {
  const log = `${'10.1.2.3 GET /health\n'.repeat(6)}${'8.8.8.8 GET /\n'.repeat(2)}4000::1 x\n1.0.9.9 x\nnone\n`;
  const { stdout } = await wh(['summarize', '--limit', '2'], log);
  assert.match(
    stdout,
    /\ntop addresses\n {2}10\.1\.2\.3 +6 {2}Private use \(10\.0\.0\.0\/8\)\n {2}8\.8\.8\.8 +2 /,
  );
  assert.match(
    stdout,
    /\ncountries, 2 of 4 .*\n {2}private and special-purpose +6 +1 +60\.0%\n {2}US +2 +1 +20\.0%\n {2}others +2 +2 +20\.0%\n/,
  );
  const summary = JSON.parse((await wh(['summarize', '--json', '--limit', '2'], log)).stdout);
  assert.deepEqual([summary.lines, summary.lines_with_address, summary.occurrences], [11, 10, 10]);
  for (const list of ['countries', 'networks', 'connection_types', 'threat_levels'])
    assert.equal(
      summary[list].reduce((sum: number, row: { occurrences: number }) => sum + row.occurrences, 0),
      summary.occurrences,
      list,
    );
  assert.deepEqual(summary.top_addresses[0], {
    ip: '10.1.2.3',
    occurrences: 6,
    reason: 'Private use (10.0.0.0/8)',
  });
});

test('summarize: --all counts every address of a line, --limit the entries', async () => {
  const all = JSON.parse((await wh(['summarize', '--json', '--all'], LOG)).stdout);
  assert.deepEqual([all.occurrences, all.network_count], [6, 5]);
  const one = JSON.parse((await wh(['summarize', '--json', '--limit', '1'], LOG)).stdout);
  assert.deepEqual([one.networks.length, one.network_count, one.top_addresses.length], [2, 4, 1]);
});

test('summarize: several files are one log, plain or gzip', async () => {
  const zipped = file('b.log.gz', gzipSync('9.0.0.1\n'));
  assert.equal(
    JSON.parse((await wh(['summarize', '--json', file('c.log', LOG), zipped])).stdout).addresses,
    5,
  );
});

test('summarize: the text fits 80 columns, and says what is special, unknown and cut off', async () => {
  const { stdout } = await wh(['summarize', '--limit', '1'], LOG);
  assert.match(
    stdout,
    /^6 lines, 5 with an address\n4 distinct addresses, 5 occurrences\n1 address in private/,
  );
  assert.match(
    stdout,
    /\nnetworks, 1 of 4 +occurrences +addresses +share\n {2}AS15169 Google LLC +2 +1 +40\.0%\n/,
  );
  assert.match(
    stdout,
    /\ntop addresses\n {2}8\.8\.8\.8 +2 {2}AS15169 Google LLC, US, datacenter\n$/,
  );
  for (const line of stdout.split('\n')) assert.ok(line.length <= 80, line);
});

test('summarize: 1 if there is no address, 2 if there is no file', async () => {
  assert.equal((await wh(['summarize'], 'nothing\n')).code, 1);
  const missing = await wh(['summarize', '/nonexistent/a.log']);
  assert.equal(missing.code, 2);
  assert.match(missing.stderr, /^error: cannot read \/nonexistent\/a\.log: /);
});

test('summarize: beyond the limit of distinct addresses, occurrences are counted', () => {
  const counts = new AddressCounts(2);
  for (const text of ['8.8.8.8', '2001:db8::1', '9.9.9.9', '9.9.9.9', '8.8.8.8', '2001:db8::1']) {
    const address = parseAddress(text);
    assert.ok(address);
    counts.add(address);
  }
  assert.deepEqual([counts.size, counts.occurrences, counts.dropped], [2, 6, 2]);
  assert.deepEqual(
    [...counts.entries()].map(([, times]) => times),
    [2, 2],
  );
});

test('summarize: on a terminal it says that it waits', async () => {
  assert.equal(
    (await wh(['summarize'])).stderr,
    'reading a log from the terminal; end with Ctrl-D, or give a file\nerror: standard input is empty\n',
  );
});

test('summarize: an address is counted wherever the input is cut into chunks', async () => {
  const text = `${'x'.repeat(262_139)} 8.8.8.8 y\n`;
  const { stdout } = await wh(['summarize', '--json', file('cut', text)]);
  assert.equal(JSON.parse(stdout).top_addresses[0].ip, '8.8.8.8');
});

const trail = (count: number, space = '') =>
  `{${space}"Records":${space}[${Array.from({ length: count }, (_, i) => `{"sourceIPAddress":"8.8.8.${i % 250}","n":${i}}`).join(`,${space}`)}]}`;

for (const [behaviour, text] of [
  ['on one line', trail(30_000)],
  ['over many lines', trail(30_000, '\n  ')],
  ['followed by a line break', `${trail(30_000)}\n`],
])
  test(`summarize: every record of a JSON document ${behaviour} is counted`, async () => {
    const { stdout } = await wh(['summarize', file('trail.json', text ?? '')]);
    assert.match(
      stdout,
      /^30,000 lines, 30,000 with an address\n250 distinct addresses, 30,000 occurrences\n/,
    );
  });

for (const [behaviour, text, message] of [
  [
    'with two arrays of records',
    '{"a":[{"ip":"8.8.8.8"}],"b":[{"ip":"8.8.8.8"}]}',
    /: jq -c '\.a\[\]' FILE\n/,
  ],
  [
    'of 2 MB with records further inside',
    `{"a":{"b":[${'{"ip":"8.8.8.8"},'.repeat(130_000)}1]}}`,
    /choose the records with jq/,
  ],
] as const)
  test(`summarize: a JSON document ${behaviour} is refused with the jq that splits it`, async () => {
    const { code, stderr } = await wh(['summarize', file('document.json', text)]);
    assert.equal(code, 2);
    assert.match(stderr, message);
  });

test('summarize: a long line is one line, and its first address is counted once', async () => {
  const { stdout } = await wh([
    'summarize',
    file('long', `8.8.8.8 ${'3.0.0.17 '.repeat(500_000)}\n9.0.0.1\n`),
  ]);
  assert.match(stdout, /^2 lines, 2 with an address\n2 distinct addresses, 2 occurrences\n/);
});
