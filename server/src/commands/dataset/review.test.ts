/** `whence dataset coverage` and `whence dataset disagreements`. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { runCommand } from '../../test/run-command.ts';
import { SAMPLE, TestFolder } from '../../test/test-server.ts';

const NETWORKS = join(import.meta.dirname, '../../../../dataset/data/networks.csv');
const folder = new TestFolder();
const empty = new TestFolder();
folder.publish({ ...SAMPLE, delegated: [['8.8.8.0/24', 'CA']] });
after(() => {
  folder.remove();
  empty.remove();
});

/** The line of the last row of networks.csv up to this AS number. */
const lineOf = (asn: number) => {
  const [, ...rows] = readFileSync(NETWORKS, 'utf8').trimEnd().split('\n');
  return rows.findLastIndex((row) => Number.parseInt(row, 10) <= asn) + 2;
};

const whence = (...argv: string[]) => runCommand(['dataset', ...argv], { WHENCE_DATA_DIR: folder.dataDir });

test('cli: dataset coverage says what decides the connection type, and which networks have no row', async () => {
  const { code, stdout } = await whence('coverage');
  assert.equal(code, 0);
  for (const part of [
    'version 1: what decides the connection type\n',
    '\nrow in the table of networks         3              99.6 %\n',
    '\nword in the name                     0               0.0 %\n',
    '\nsum of weak signals                  1               0.4 %\n',
    '\nassumed                              0               0.0 %\n',
    '\nthe largest networks without a row in the table, dataset/data/networks.csv\n',
    `\nAS64500  ZZ            65,536  business  ${String(lineOf(64_500)).padStart(5)}       Exämple "Nord" GmbH\n`,
  ])
    assert.ok(stdout.includes(part), `${part}\nis not in\n${stdout}`);
});

test('cli: dataset coverage --json has the same as data', async () => {
  const { code, stdout } = await whence('coverage', '--json');
  const { version, networks, ipv4_addresses, decided_by, not_in_table } = JSON.parse(stdout);
  assert.deepEqual([code, version, networks, ipv4_addresses], [0, 1, 4, 16_908_544]);
  assert.deepEqual(decided_by, {
    table: { networks: 3, ipv4_addresses: 16_843_008 },
    name: { networks: 0, ipv4_addresses: 0 },
    signals: { networks: 1, ipv4_addresses: 65_536 },
    list: { networks: 0, ipv4_addresses: 0 },
    default: { networks: 0, ipv4_addresses: 0 },
  });
  assert.deepEqual(not_in_table, [
    {
      asn: 64_500,
      asn_name: 'Exämple "Nord" GmbH',
      country: 'ZZ',
      connection_type: 'business',
      ipv4_addresses: 65_536,
      file: 'dataset/data/networks.csv',
      after_line: lineOf(64_500),
    },
  ]);
});

test('cli: dataset disagreements lists what contradicts the answers, the largest first', async () => {
  const { code, stdout } = await whence('disagreements');
  assert.equal(code, 0);
  for (const part of [
    'version 1: where its sources contradict its answers\n',
    '\ncountry: 256 IPv4 addresses (0.00 %), 1 range\n',
    '\n        256        1  AS15169  US (countries)  CA (delegated)  Google LLC\n',
    '\nrir: 0 IPv4 addresses (0.00 %), 0 ranges\n',
    '\nconnection_type: 65,536 IPv4 addresses (0.39 %), 1 range\n',
    `\n     65,536        1  AS22394  mobile (networks)  residential (name-rules)  networks.csv:${lineOf(22_394)}  Verizon Wireless\n`,
  ])
    assert.ok(stdout.includes(part), `${part}\nis not in\n${stdout}`);
});

test('cli: dataset disagreements --json has value and source of both sides', async () => {
  const { code, stdout } = await whence('disagreements', '--json');
  const { version, ipv4_addresses, fields } = JSON.parse(stdout);
  assert.deepEqual([code, version, ipv4_addresses], [0, 1, 16_908_544]);
  const row = {
    asn: 15_169,
    asn_name: 'Google LLC',
    answer: { value: 'US', source: 'countries' },
    other: { value: 'CA', source: 'delegated' },
    ipv4_addresses: 256,
    ranges: 1,
  };
  assert.deepEqual(fields.country, { ipv4_addresses: 256, ranges: 1, by_addresses: [row], by_ranges: [row] });
  assert.deepEqual(fields.connection_type.by_addresses[0].row, {
    file: 'dataset/data/networks.csv',
    line: lineOf(22_394),
    exists: true,
  });
  assert.deepEqual(fields.rir, { ipv4_addresses: 0, ranges: 0, by_addresses: [], by_ranges: [] });
});

for (const [behaviour, dataDir, argv, wantCode, message] of [
  ['coverage without a dataset', empty.dataDir, ['coverage'], 1, /^error: there is no dataset in .*dataset build\n$/],
  ['disagreements without a dataset', empty.dataDir, ['disagreements'], 1, /^error: there is no dataset in /],
  ['a limit of 0', folder.dataDir, ['coverage', '--limit', '0'], 2, /'--limit <count>' argument '0' is invalid/],
  ['a limit that is no number', folder.dataDir, ['disagreements', '--limit', 'all'], 2, /must be a positive integer/],
] as const)
  test(`cli: dataset review: ${behaviour} is refused`, async () => {
    const { code, stdout, stderr } = await runCommand(['dataset', ...argv], { WHENCE_DATA_DIR: dataDir });
    assert.deepEqual([code, stdout], [wantCode, '']);
    assert.match(stderr, message);
  });
