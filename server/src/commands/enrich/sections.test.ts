/** Fields of `wh enrich` and `wh ip` that are not in the record: routing, privacy, scanner. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { runCommand } from '../../test/run-command.ts';
import { SAMPLE, TestFolder } from '../../test/test-server.ts';

const folder = new TestFolder();
const plain = new TestFolder();
after(() => {
  folder.remove();
  plain.remove();
});
const sample = {
  ...SAMPLE,
  otherOrigins: [['8.8.8.0/24', 64510]],
  anonymous: [
    ['8.8.8.0/28', 'relay', 'Exämple, Relay'],
    ['3.0.0.0/28', 'vpn'],
  ],
  named: [['9.0.0.0/24', 'scanner', 'Exämple, Scans']],
} as const;
folder.publish(sample);
plain.publish(sample);
const vrps = join(folder.dataDir, 'vrps.json');
writeFileSync(
  vrps,
  JSON.stringify({
    roas: [
      { asn: 15169, prefix: '8.8.8.0/24', maxLength: 24 },
      { asn: 64999, prefix: '2001:4860::/32', maxLength: 32 },
    ],
  }),
);
const log = join(folder.dataDir, 'log');
const ADDRESSES = [
  '8.8.8.8',
  '8.8.8.200',
  '9.0.0.1',
  '2001:4860::1',
  '1.0.9.9',
  '3.0.0.1',
  '10.0.0.1',
];
writeFileSync(log, ADDRESSES.map((ip) => `${ip}\n`).join(''));

const environment = { ...folder.environment, WHENCE_RPKI: vrps };
const enrich = (...options: string[]) => runCommand(['enrich', log, ...options], environment);

test('enrich: routing', async () => {
  const { stdout } = await enrich('--fields', 'asn,origins,rpki');
  const added = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line.split('\t')[1] ?? ''));
  assert.deepEqual(added.slice(0, 4), [
    { asn: 15169, origins: [15169, 64510], rpki: 'valid' },
    { asn: 15169, origins: [15169, 64510], rpki: 'valid' },
    { asn: 22394, origins: [22394], rpki: 'not_found' },
    { asn: 15169, origins: [15169], rpki: 'invalid' },
  ]);
  assert.deepEqual(added.at(-1), { ip: '10.0.0.1', error: 'no data found for IP' });
});

test('enrich: privacy between other fields', async () => {
  const { stdout } = await enrich(
    '--fields',
    'privacy_kind,country,privacy_service,scanner_operator,origins,rir',
  );
  const added = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line.split('\t')[1] ?? ''));
  assert.deepEqual(
    added.slice(0, 6).map(({ privacy_kind, privacy_service }) => [privacy_kind, privacy_service]),
    [
      ['relay', 'Exämple, Relay'],
      [undefined, undefined],
      [undefined, undefined],
      [undefined, undefined],
      ['tor', undefined],
      ['vpn', undefined],
    ],
  );
  assert.deepEqual(
    added.slice(0, 4).map(({ scanner_operator }) => scanner_operator),
    [undefined, undefined, 'Exämple, Scans', undefined],
  );
  assert.deepEqual(Object.keys(added[0]), [
    'privacy_kind',
    'country',
    'privacy_service',
    'origins',
    'rir',
  ]);
});

test('enrich: in CSV, what is not known is empty', async () => {
  const fields = 'origins,rpki,privacy_kind,privacy_service';
  const { stdout } = await enrich('--format', 'csv', '--no-header', '--fields', fields);
  assert.deepEqual(stdout.trimEnd().split('\n'), [
    '8.8.8.8,15169 64510,valid,relay,"Exämple, Relay"',
    '8.8.8.200,15169 64510,valid,,',
    '9.0.0.1,22394,not_found,,',
    '2001:4860::1,15169,invalid,,',
    '1.0.9.9,64500,not_found,tor,',
    '3.0.0.1,16509,not_found,vpn,',
    '10.0.0.1,,,,',
  ]);
});

test('enrich: rpki fails where there are no ROA payloads', async () => {
  const { code, stderr } = await runCommand(['enrich', log, '--fields', 'rpki'], plain.environment);
  assert.equal(code, 2);
  assert.match(stderr, /rpki needs ROA payloads: set WHENCE_RPKI/);
});

test('enrich: origins and privacy need no more than the dataset', async () => {
  const argv = ['enrich', log, '--fields', 'origins,privacy_kind'];
  const { code, stdout } = await runCommand(argv, plain.environment);
  assert.deepEqual(
    [code, stdout.split('\n')[0]],
    [0, '8.8.8.8\t{"origins":[15169,64510],"privacy_kind":"relay"}'],
  );
});

for (const [behaviour, options, want] of [
  ['values', [], '15169 64510\tvalid\trelay\n'],
  [
    'JSON',
    ['--json'],
    '{"ip":"8.8.8.8","origins":[15169,64510],"rpki":"valid","privacy_kind":"relay"}\n',
  ],
] as const) {
  test(`ip --fields: ${behaviour} of sections`, async () => {
    const argv = ['ip', '8.8.8.8', '--fields', 'origins,rpki,privacy_kind', ...options];
    assert.equal((await runCommand(argv, environment)).stdout, want);
  });
}
