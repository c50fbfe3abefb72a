/** Exports with routing, privacy and scanner. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { Reader, type Response } from 'maxmind';
import { runCommand } from '../test/run-command.ts';
import { SAMPLE, TestFolder } from '../test/test-server.ts';

const folder = new TestFolder();
const plain = new TestFolder();
after(() => {
  folder.remove();
  plain.remove();
});
const sample = {
  ...SAMPLE,
  otherOrigins: [['8.8.8.0/24', 64510]],
  anonymous: [['2001:4860:1::/48', 'relay', 'Exämple, Relay']],
  named: [['2001:4860:2::/48', 'scanner', 'Exämple, Scans']],
} as const;
folder.publish(sample);
plain.publish(sample);
const vrps = join(folder.dataDir, 'vrps.json');
writeFileSync(
  vrps,
  JSON.stringify({ roas: [{ asn: 15169, prefix: '8.8.8.0/24', maxLength: 24 }] }),
);
const environment = { ...folder.environment, WHENCE_RPKI: vrps };

async function lines(
  include: string,
  format = 'csv',
  env: Record<string, string> = environment,
): Promise<string[]> {
  const argv = ['dataset', 'export', '--format', format, '--include', include, '--asn', '15169'];
  const { stdout } = await runCommand(argv, env);
  return stdout.trimEnd().split('\n');
}

/** The network, and what follows the columns of every export. */
const ends = (rows: readonly string[]) =>
  rows.map((row) => [row.split(',')[0], row.replace(/^.*?,(?:0|45),,/, '')]);

test('export: all sections together', async () => {
  const [header = '', ...rows] = await lines('privacy,routing');
  const columns =
    'origins,rpki,prefix_is_derived,connection_type_source,privacy_kind,privacy_service';
  assert.ok(header.endsWith(`,threat_level,${columns}`), header);
  assert.deepEqual(ends(rows)[0], ['8.8.8.0/24', '15169 64510,valid,,table,,']);
  assert.deepEqual(
    ends(rows).filter(([, end]) => end?.includes('relay')),
    [['2001:4860:1::/48', '15169,not_found,,table,relay,"Exämple, Relay"']],
  );
});

test('export: without ROA payloads, what is not known is empty', async () => {
  const [, ...rows] = await lines('routing,privacy', 'csv', plain.environment);
  assert.deepEqual(ends(rows)[0], ['8.8.8.0/24', '15169 64510,,,table,,']);
});

test('export: in NDJSON, what is not known is absent', async () => {
  const rows = (await lines('routing,privacy', 'ndjson')).map((line) => JSON.parse(line));
  const { origins, rpki, ...record } = rows[0];
  assert.deepEqual([origins, rpki], [[15169, 64510], 'valid']);
  assert.deepEqual(['privacy_kind' in record, 'prefix_is_derived' in record], [false, false]);
});

test('export: MMDB', async () => {
  const path = join(folder.dataDir, 'sections.mmdb');
  const argv = [
    'dataset',
    'export',
    '--format',
    'mmdb',
    '--include',
    'routing,privacy',
    '--output',
    path,
  ];
  await runCommand(argv, environment);
  const reader = new Reader<Response>(readFileSync(path));
  const of = (ip: string) => {
    const { routing, privacy } = reader.get(ip) as unknown as Record<string, unknown>;
    return { routing, privacy };
  };
  assert.deepEqual(of('8.8.8.65'), {
    routing: { origins: [15169, 64510], rpki: 'valid', connection_type_source: 'table' },
    privacy: undefined,
  });
  assert.deepEqual(of('2001:4860:1::1'), {
    routing: { origins: [15169], rpki: 'not_found', connection_type_source: 'table' },
    privacy: { kind: 'relay', service: 'Exämple, Relay' },
  });
  assert.deepEqual(of('1.0.9.9').privacy, { kind: 'tor' });
});

test('export: the NOTICE names the ROA payloads where they were used', async () => {
  for (const [include, isNamed] of [
    ['routing', true],
    ['privacy', false],
  ] as const) {
    const path = join(folder.dataDir, `${include}.csv`);
    await runCommand(
      ['dataset', 'export', '--format', 'csv', '--include', include, '--output', path],
      environment,
    );
    const notice = readFileSync(`${path}.NOTICE`, 'utf8');
    assert.equal(
      /^- rpki, as of \d{4}-\d\d-\d\d\n.*\n {2}credit: ROAs of the holders/m.test(notice),
      isNamed,
      notice,
    );
  }
});

for (const [behaviour, options, message] of [
  ['an unknown section', ['--format', 'csv', '--include', 'hostname'], /hostname/],
  [
    'routing in the form of MaxMind',
    ['--format', 'mmdb', '--compatible', 'country', '--include', 'routing', '--output', '/nowhere'],
    /--include routing and --compatible cannot be combined/,
  ],
] as const) {
  test(`export: refused: ${behaviour}`, async () => {
    const { code, stderr } = await runCommand(['dataset', 'export', ...options], environment);
    assert.equal(code, 2);
    assert.match(stderr, message);
  });
}

test('export: scanners, in CSV and MMDB', async () => {
  const [header = '', ...rows] = await lines('scanner');
  assert.ok(header.endsWith(',threat_level,scanner_operator'), header);
  assert.deepEqual(
    ends(rows).filter(([, end]) => end !== ''),
    [['2001:4860:2::/48', '"Exämple, Scans"']],
  );
  const path = join(folder.dataDir, 'scanners.mmdb');
  await runCommand(
    ['dataset', 'export', '--format', 'mmdb', '--include', 'scanner', '--output', path],
    environment,
  );
  const reader = new Reader<Response>(readFileSync(path));
  assert.deepEqual(
    (reader.get('2001:4860:2::1') as unknown as Record<string, unknown>)['scanner'],
    {
      operator: 'Exämple, Scans',
    },
  );
});
