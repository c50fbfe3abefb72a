/**
 * `wh ip` and `wh asn` for many: arguments, files, standard input, CIDRs, ranges, and what they
 * print.
 */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { gzipSync } from 'node:zlib';
import { contentOf, sampleInput } from '@whence/dataset/test/sample-dataset';
import { publish } from '@whence/dataset/versions';
import { type Outcome, runCommand } from '../../test/run-command.ts';
import { SAMPLE, TestFolder } from '../../test/test-server.ts';

const folder = new TestFolder();
before(() => {
  folder.publish();
});
after(() => folder.remove());

const wh = (argv: readonly string[], input?: string): Promise<Outcome> =>
  runCommand(argv, folder.environment, input === undefined ? {} : { input });
const file = (name: string, content: string | Buffer): string => {
  const path = join(folder.dataDir, name);
  writeFileSync(path, content);
  return path;
};
const jsonLines = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
const addresses = ({ stdout }: Outcome) => jsonLines(stdout).map(({ ip }) => ip);

const LIST = '# servers\n8.8.8.8\n\n  1.0.0.1 \r\n9.0.0.1';

for (const [behaviour, argv, input, want] of [
  ['a CIDR stands for its addresses', ['8.8.8.8/31'], undefined, ['8.8.8.8', '8.8.8.9']],
  ['host bits of a CIDR are cleared', ['8.8.8.9/31'], undefined, ['8.8.8.8', '8.8.8.9']],
  [
    'a range includes both ends',
    ['8.8.8.254-8.8.9.1'],
    undefined,
    ['8.8.8.254', '8.8.8.255', '8.8.9.0', '8.8.9.1'],
  ],
  [
    'an IPv6 range',
    ['2001:4860::ffff-2001:4860::1:0'],
    undefined,
    ['2001:4860::ffff', '2001:4860::1:0'],
  ],
  [
    'the last address of IPv4',
    ['255.255.255.254/31'],
    undefined,
    ['255.255.255.254', '255.255.255.255'],
  ],
  ['a pipe is read without arguments', [], LIST, ['8.8.8.8', '1.0.0.1', '9.0.0.1']],
  [
    '- is standard input, among others',
    ['3.0.0.1', '-'],
    LIST,
    ['3.0.0.1', '8.8.8.8', '1.0.0.1', '9.0.0.1'],
  ],
] as const)
  test(`ip: ${behaviour}`, async () => {
    assert.deepEqual(addresses(await wh(['ip', '--json', ...argv], input)), want);
  });

test('ip: a file is read, plain or gzip; an address is never taken for a file', async () => {
  const plain = file('list.txt', LIST);
  const zipped = file('list.gz', gzipSync('3.0.0.0/31\n'));
  const { code, stdout } = await wh(['ip', '--json', plain, '9.0.0.9', zipped]);
  assert.equal(code, 0);
  assert.deepEqual(
    jsonLines(stdout).map(({ ip }) => ip),
    ['8.8.8.8', '1.0.0.1', '9.0.0.1', '9.0.0.9', '3.0.0.0', '3.0.0.1'],
  );
});

test('ip: one invalid address does not discard the others', async () => {
  const json = await wh(['ip', '--json', '1.2.3', '8.8.8.8', '10.0.0.1']);
  assert.equal(json.code, 1);
  assert.equal(json.stderr, '');
  const [invalid, found, missing] = jsonLines(json.stdout);
  assert.deepEqual(invalid, { ip: '1.2.3', error: 'invalid IP address', code: 'INVALID_IP' });
  assert.equal(found.asn, 15169);
  assert.deepEqual(missing, {
    ip: '10.0.0.1',
    error: 'no data found for IP',
    code: 'NOT_FOUND',
    details: { prefix: '10.0.0.0/8', name: 'Private use', rfc: 'RFC 1918' },
  });
  const text = await wh(['ip', '1.2.3', '8.8.8.8']);
  assert.equal(text.code, 1);
  assert.match(text.stdout, /^8\.8\.8\.8\n/);
  assert.equal(text.stderr, 'error: invalid IP address: "1.2.3"\n');
});

test('ip: --csv has a header, the address first, and the error last', async () => {
  const { code, stdout } = await wh(['ip', '--csv', '8.8.8.8', '1.0.9.9', '10.0.0.1', 'a,b']);
  assert.equal(code, 1);
  assert.equal(
    stdout,
    [
      'ip,prefix,asn,asn_name,country,connection_type,flags,threat_score,threat_level,error',
      '8.8.8.8,8.8.8.0/24,15169,Google LLC,US,datacenter,datacenter,0,,',
      '1.0.9.9,1.0.0.0/16,64500,"Exämple ""Nord"" GmbH",AU,business,tor_exit,45,,',
      '10.0.0.1,,,,,,,,,no data found for IP',
      '"a,b",,,,,,,,,invalid IP address',
      '',
    ].join('\n'),
  );
  assert.match(
    (await wh(['ip', '--csv', '--fields', 'country,ip', '8.8.8.8'])).stdout,
    /^ip,country,error\n8.8.8.8,US,\n$/,
  );
});

test('ip: --fields prints values alone, and --json adds the address', async () => {
  assert.equal((await wh(['ip', '--fields', 'country', '8.8.8.8'])).stdout, 'US\n');
  assert.equal(
    (await wh(['ip', '--fields', 'ip,asn', '8.8.8.8/31', '10.0.0.1'])).stdout,
    '8.8.8.8\t15169\n8.8.8.9\t15169\n10.0.0.1\t\n',
  );
  assert.equal(
    (await wh(['ip', '--json', '--fields', 'country,cloud_provider', '3.0.0.1', '9.0.0.1'])).stdout,
    '{"ip":"3.0.0.1","country":"US","cloud_provider":"AWS"}\n{"ip":"9.0.0.1","country":"ZZ"}\n',
  );
});

test('ip: lists and CIDRs print a line for each address, in 80 columns', async () => {
  const { stdout, stderr } = await wh(['ip', '1.0.9.8/31', '10.0.0.0/31', '2001:4860::8888']);
  assert.deepEqual(stdout.split('\n'), [
    '1.0.9.8          AS64500   AU  business       ?  Exämple "Nord" GmbH',
    '1.0.9.9          AS64500   AU  business      45  tor_exit, Exämple "Nord" GmbH',
    '10.0.0.0         Private use',
    '10.0.0.1         Private use',
    '2001:4860::8888  AS15169   US  datacenter     ?  Google LLC',
    '',
  ]);
  assert.equal(stderr, '?: threat not known: no current attack lists (npx wh dataset update)\n');
});

test('ip: an expired list sets no flag, and the score is not known', async () => {
  const aged = new TestFolder();
  const input = sampleInput(SAMPLE);
  const overlays = input.overlays.map((list) =>
    list.source.id === 'tor'
      ? { ...list, isTable: true, source: { ...list.source, is_table: true, max_age_days: 7 } }
      : list,
  );
  publish(
    aged.dataDir,
    contentOf({ ...input, overlays, day: '2026-11-18' }),
    new Date('2026-11-18'),
  );
  const { stdout } = await runCommand(['ip', '1.0.9.9'], aged.environment);
  assert.match(stdout, /^ {2}flags +none$/m);
  assert.match(
    stdout,
    /^ {2}threat +not known: no current attack lists \(npx wh dataset update\)$/m,
  );
  const explained = await runCommand(['ip', '1.0.9.9', '--json', '--explain'], aged.environment);
  const { threat, threat_is_known } = JSON.parse(explained.stdout);
  assert.deepEqual([threat, threat_is_known], [{ score: 0, level: 'low' }, false]);
  aged.remove();
});

test('ip: many addresses print what one prints', async () => {
  const asked = [...Array.from({ length: 16 }, (_, i) => `1.0.9.${i}`), '10.0.0.0', '10.0.0.1'];
  const many = await wh(['ip', '--json', '1.0.9.0/28', '10.0.0.0/31']);
  assert.equal(many.stdout, (await wh(['ip', '--json', ...asked])).stdout);
  // With --explain, each line is made of a record instead of the text that enrich caches.
  const explained = await wh(['ip', '--json', '--explain', ...asked]);
  assert.deepEqual(
    jsonLines(many.stdout),
    jsonLines(explained.stdout).map(({ evidence: _, threat_is_known: __, ...record }) => record),
  );
});

test('ip: a large CIDR is streamed', async () => {
  const { code, stdout } = await wh(['ip', '--json', '--fields', 'asn', '3.0.0.0/16']);
  assert.equal(code, 0);
  const lines = stdout.trimEnd().split('\n');
  assert.equal(lines.length, 65_536);
  assert.equal(lines.at(-1), '{"ip":"3.0.255.255","asn":16509}');
});

for (const [behaviour, argv, message] of [
  [
    'a CIDR above the limit',
    ['ip', '3.0.0.0/8'],
    /^error: 3\.0\.0\.0\/8 has 16,777,216 addresses, more than 1,048,576; for a summary: npx wh prefix 3\.0\.0\.0\/8\n\(run npx wh ip --help for usage\)\n$/,
  ],
  ['a prefix of IPv6', ['ip', '2001:4860::/32'], /has 2\^96 addresses/],
  ['a range backwards', ['ip', '8.8.8.9-8.8.8.8'], /invalid IP address: "8\.8\.8\.9-8\.8\.8\.8"/],
  ['a range over two families', ['ip', '8.8.8.8-::1'], /invalid IP address/],
  [
    'no address on a terminal',
    ['ip'],
    /nothing to look up: give addresses, CIDRs, ranges or files, or pipe a list/,
  ],
  [
    'an unknown field',
    ['ip', '--fields', 'city,nothing', '8.8.8.8'],
    /--fields has unknown field "city"|"nothing"/,
  ],
  ['CSV and JSON', ['ip', '--csv', '--json', '8.8.8.8'], /--json and --csv cannot be combined/],
  [
    'evidence in CSV',
    ['ip', '--csv', '--explain', '8.8.8.8'],
    /--explain and --csv cannot be combined/,
  ],
  [
    'prefixes of a network in CSV',
    ['asn', '--csv', '--prefixes', '15169'],
    /--prefixes and --csv cannot be combined/,
  ],
  ['a directory', ['ip', '/'], /invalid IP address: "\/"; it is a directory; name a file/],
  [
    'a directory whose name is like no file',
    ['asn', 'docs'],
    /invalid AS number: "docs"; .*it is a directory; name a file/,
  ],
] as const)
  test(`lookup: usage error: ${behaviour}`, async () => {
    const { code, stdout, stderr } = await wh(argv);
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(stderr, message);
  });

test('ip: a range above the limit in a list is reported on its line', async () => {
  const { code, stdout } = await wh(['ip', '--json'], '3.0.0.0/8\n8.8.8.8\n');
  assert.equal(code, 1);
  const [large, found] = jsonLines(stdout);
  assert.deepEqual([large.ip, large.code, found.ip], ['3.0.0.0/8', 'TOO_LARGE', '8.8.8.8']);
});

test('ip: a line of a million characters is one invalid entry', async () => {
  const { code, stdout } = await wh(['ip', '--json'], `${'1'.repeat(1_000_000)}\n8.8.8.8\n`);
  assert.equal(code, 1);
  const [long, found] = jsonLines(stdout);
  assert.deepEqual([long.ip.length, long.code, found.ip], [300, 'INVALID_IP', '8.8.8.8']);
});

test('ip: a file that cannot be decompressed ends the command with 2', async () => {
  mkdirSync(join(folder.dataDir, 'lists'));
  const broken = file('lists/broken.gz', gzipSync('8.8.8.8\n').subarray(0, 20));
  const { code, stderr } = await wh(['ip', '--json', broken]);
  assert.equal(code, 2);
  assert.match(stderr, /^error: corrupt gzip data in .*broken\.gz: unexpected end of file\n$/);
});

test('asn: several numbers, ranges and lists', async () => {
  const json = await wh(['asn', '--json', 'AS15169', '16509-16510', '64512']);
  assert.equal(json.code, 1);
  assert.deepEqual(
    jsonLines(json.stdout).map(({ asn, error }) => [asn, error]),
    [
      [15169, undefined],
      [16509, undefined],
      [64512, 'no data found for ASN'],
    ],
  );
  const rows = await wh(['asn'], '15169\nAS22394\nAS-X\n');
  assert.equal(rows.code, 1);
  assert.equal(rows.stderr, 'error: invalid AS number: "AS-X"; write 15169 or AS15169\n');
  assert.deepEqual(rows.stdout.split('\n'), [
    'AS15169       US  datacenter             1 + 1  Google LLC',
    'AS22394       ZZ  mobile                 1 + 0  Verizon Wireless',
    '',
  ]);
});

test('asn: --csv and --fields', async () => {
  const csv = await wh(['asn', '--csv', '--fields', 'asn_name,country', '15169', 'x', '64512']);
  assert.equal(
    csv.stdout,
    'asn,asn_name,country,error\n15169,Google LLC,US,\nx,,,invalid AS number\n64512,,,no data found for ASN\n',
  );
  assert.equal((await wh(['asn', '--fields', 'asn_name', '15169'])).stdout, 'Google LLC\n');
  assert.equal(
    (await wh(['asn', '--json', '--fields', 'country', '15169'])).stdout,
    '{"asn":15169,"country":"US"}\n',
  );
});

for (const [behaviour, environment, terminal, isColoured] of [
  ['on a terminal', {}, { isTTY: true }, true],
  ['not in a pipe', {}, {}, false],
  ['not with NO_COLOR', { NO_COLOR: '1' }, { isTTY: true }, false],
  ['in a pipe with FORCE_COLOR', { FORCE_COLOR: '1' }, {}, true],
  ['not with FORCE_COLOR=0', { FORCE_COLOR: '0' }, { isTTY: true }, false],
  ['not with both', { FORCE_COLOR: '1', NO_COLOR: '1' }, {}, false],
] as const)
  test(`lookup: colour ${behaviour}`, async () => {
    for (const argv of [
      ['ip', '1.0.9.9'],
      ['ip', '1.0.9.9/31'],
      ['asn', '15169'],
    ]) {
      const { stdout } = await runCommand(
        argv,
        { ...folder.environment, ...environment },
        terminal,
      );
      assert.equal(stdout.includes('\x1b['), isColoured, argv.join(' '));
    }
  });

for (const argv of [
  ['ip', '8.8.8.8'],
  ['summarize', '-'],
  ['enrich', '-'],
  ['dataset', 'export', '--format', 'csv'],
]) {
  test(`${argv.slice(0, 2).join(' ')}: which flags are dated or unknown is said once, on a terminal`, async () => {
    const noted = await runCommand(argv, folder.environment, {
      input: '8.8.8.8\n',
      isTTY: true,
      columns: 400,
    });
    assert.equal(noted.code, 0);
    assert.equal(
      noted.stderr.match(/note: flags unknown \(reported as false\): proxy, vpn, .*\n/g)?.length,
      1,
    );
    assert.doesNotMatch((await wh(argv, '8.8.8.8\n')).stderr, /note:/);
  });
}

test('ip: of a flag that a list decides, and of fields without flags, nothing is said', async () => {
  assert.equal((await wh(['ip', '--fields', 'asn,country', '8.8.8.8'])).stderr, '');
});
