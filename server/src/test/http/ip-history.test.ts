/** `?version=`, `?at=` and `/history` of address lookups, over HTTP, in the client and on the command line. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { createClient } from '@whence/client';
import { type Address, parseAddress } from '@whence/dataset/address';
import type { Dataset } from '@whence/dataset/internal/file/read';
import { keepVersions } from '@whence/dataset/internal/history/record-history';
import { type Sample, sampleContent } from '@whence/dataset/internal/test/sample-dataset';
import { openCurrent, publish } from '@whence/dataset/internal/versions/publish';
import { runCommand } from '../run-command.ts';
import { SAMPLE, startInProcess, TestFolder } from '../test-server.ts';

const folder = new TestFolder();
const clock = { nowMs: Date.UTC(2026, 10, 15, 12) };
const datasets: Dataset[] = [];
let server: Awaited<ReturnType<typeof startInProcess>>;
let secret = '';
const VERSIONS = 10;

const builtAt = (version: number) => new Date(Date.UTC(2026, 10, version, 3));

/** 8.8.8.8 changes its network with version 4; 9.0.0.1 is announced from version 6 on; 1.0.9.9 is a Tor exit until 2. */
function sampleOf(version: number): Sample {
  return {
    ...SAMPLE,
    routes: [
      ...SAMPLE.routes.filter(([prefix]) => prefix !== '9.0.0.0/16' && prefix !== '8.8.8.0/24'),
      ['8.8.8.0/24', ...(version < 4 ? ([64501, 'Level "Drei"'] as const) : ([15169, 'Google LLC'] as const))],
      ...(version < 6 ? [] : ([['9.0.0.0/16', 22394, 'Verizon Business']] as const)),
      ['5.0.0.0/16', 64502, `Version ${version}`],
    ],
    tor: version <= 2 ? [['1.0.9.9/32', 'Relay Friends']] : [],
  };
}

before(async () => {
  for (let version = 1; version <= VERSIONS; version++) {
    publish(folder.dataDir, sampleContent(sampleOf(version)), builtAt(version));
    datasets.push(openCurrent(folder.dataDir) as Dataset);
    keepVersions(folder.dataDir, { days: 90 }, builtAt(version));
  }
  server = await startInProcess(folder, clock);
  ({ secret } = await folder.createKey());
});
after(async () => {
  await server.close();
  folder.remove();
});

async function ask(path: string, key = secret) {
  const response = await fetch(server.url + path, { headers: { 'X-API-Key': key } });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, ...JSON.parse(text) };
}

function jsonIn(version: number, ip: string): string | undefined {
  const dataset = datasets[version - 1] as Dataset;
  const address = parseAddress(ip) as Address;
  const match = dataset.find(address);
  return match === 0 ? undefined : dataset.json(address, match);
}

test('ip history: every version answers with the bytes of its file', async () => {
  for (let version = 1; version <= VERSIONS; version++) {
    for (const ip of ['8.8.8.8', '9.0.0.1', '1.0.9.9', '2001:4860::1', '7.7.7.7']) {
      const { status, text, data, meta, headers } = await ask(`/v1/ip/${ip}?version=${version}`);
      const json = jsonIn(version, ip);
      if (json === undefined) assert.deepEqual([status, data.code], [404, 'NOT_FOUND']);
      else assert.ok(text.startsWith(`{"data":${json},"meta":`), text);
      assert.equal(meta.dataset_version, version);
      assert.match(headers.get('x-cache-status') ?? '', /^(HIT|MISS)$/);
    }
  }
});

test('ip history: the answer of a version has the members of any other', async () => {
  const [plain, earlier] = [await ask('/v1/ip/8.8.8.8'), await ask('/v1/ip/8.8.8.8?version=2')];
  assert.deepEqual(Object.keys(earlier.meta), Object.keys(plain.meta));
  assert.deepEqual([earlier.data.asn_name, plain.data.asn_name], ['Level "Drei"', 'Google LLC']);
  assert.equal(earlier.meta.cache_status, 'MISS');
  const missing = await ask('/v1/ip/10.0.0.1?version=9&explain=true');
  assert.deepEqual([missing.status, missing.data.details.rfc], [404, 'RFC 1918']);
  assert.deepEqual(Object.keys(missing.meta).sort(), ['cache_status', 'dataset_version', 'processing_time_ms']);
});

for (const [behaviour, query, version] of [
  ['the day of a build', 'at=2026-11-03', 3],
  ['today', 'at=2026-11-15', VERSIONS],
  ['of several parameters the last counts', 'version=1&version=2', 2],
  ['leading zeros', 'version=007', 7],
  ['an empty include', 'version=2&include=', 2],
  ['explain is off', 'version=2&explain=false', 2],
] as const) {
  test(`ip history: a version: ${behaviour}`, async () => {
    const { status, meta } = await ask(`/v1/ip/8.8.8.8?${query}`);
    assert.deepEqual([status, meta.dataset_version], [200, version]);
  });
}

for (const [behaviour, query, status, code, details] of [
  ['a name', 'version=current', 400, 'INVALID_VERSION', undefined],
  ['nothing', 'version=', 400, 'INVALID_VERSION', undefined],
  ['a negative number', 'version=-1', 400, 'INVALID_VERSION', undefined],
  ['a fraction', 'version=1.5', 400, 'INVALID_VERSION', undefined],
  ['a number beyond all versions', `version=${'9'.repeat(30)}`, 400, 'INVALID_VERSION', undefined],
  ['an empty day', 'at=', 400, 'INVALID_VERSION', undefined],
  ['a day that does not exist', 'at=2026-02-30', 400, 'INVALID_VERSION', undefined],
  ['a time', 'at=2026-11-03T00:00:00Z', 400, 'INVALID_VERSION', undefined],
  ['a day in another order', 'at=03-11-2026', 400, 'INVALID_VERSION', undefined],
  ['a version and a day', 'version=1&at=2026-11-03', 400, 'INVALID_VERSION', undefined],
  [
    'explain without the file of the version',
    'version=1&explain=true',
    400,
    'INVALID_VERSION',
    { parameter: 'explain', allowed: ['false'] },
  ],
  ['include', 'version=9&include=privacy', 400, 'INVALID_INCLUDE', { allowed: [] }],
  ['include of what DNS says today', 'at=2026-11-03&include=hostname', 400, 'INVALID_INCLUDE', { allowed: [] }],
  [
    'explain that is neither on nor off',
    'version=9&explain=x',
    400,
    'INVALID_QUERY',
    { parameter: 'explain', allowed: ['true', 'false'] },
  ],
  ['an unknown version', 'version=11', 404, 'VERSION_NOT_FOUND', undefined],
  ['version 0', 'version=0', 404, 'VERSION_NOT_FOUND', undefined],
  ['a day before all versions', 'at=2026-10-31', 404, 'VERSION_NOT_FOUND', undefined],
  ['tomorrow', 'at=2026-11-16', 404, 'VERSION_NOT_FOUND', undefined],
] as const) {
  test(`ip history: a version is refused: ${behaviour}`, async () => {
    const { status: got, data, meta } = await ask(`/v1/ip/8.8.8.8?${query}`);
    assert.deepEqual([got, data.code, data.details], [status, code, details]);
    assert.deepEqual(Object.keys(meta), ['processing_time_ms']);
  });
}

test('ip history: an invalid address is refused first', async () => {
  for (const path of ['/v1/ip/nonsense?version=x', '/v1/ip/nonsense/history', '/v1/ip/me/history']) {
    const { status, data } = await ask(path);
    assert.deepEqual([status, data], [400, { error: 'invalid IP address', code: 'INVALID_IP' }], path);
  }
});

test('ip history: evidence of a version whose file is kept', async () => {
  const { status, data, meta } = await ask('/v1/ip/8.8.8.8?version=5&explain=true');
  assert.deepEqual([status, meta.dataset_version, data.evidence[0].field], [200, 5, 'prefix']);
});

for (const [behaviour, ip, want] of [
  [
    'a change',
    '8.8.8.8',
    [
      [4, 10, 'Google LLC'],
      [1, 3, 'Level "Drei"'],
    ],
  ],
  [
    'an address that was not announced at first',
    '9.0.0.1',
    [
      [6, 10, 'Verizon Wireless'],
      [1, 5, undefined],
    ],
  ],
  ['no change', '2001:4860::1', [[1, 10, 'Google LLC']]],
  ['an address without a record', '10.0.0.1', [[1, 10, undefined]]],
] as const) {
  test(`ip history: the history: ${behaviour}`, async () => {
    const { status, data, meta } = await ask(`/v1/ip/${ip}/history`);
    assert.deepEqual([status, Object.keys(data), data.ip], [200, ['ip', 'changes'], ip]);
    assert.deepEqual(Object.keys(meta), ['processing_time_ms']);
    type Span = { from_version: number; to_version: number; from: string; to: string; record?: { asn_name: string } };
    assert.deepEqual(
      (data.changes as Span[]).map(({ from_version, to_version, record }) => [
        from_version,
        to_version,
        record?.asn_name,
      ]),
      want,
    );
    for (const { from_version, to_version, from, to, record } of data.changes as Span[]) {
      assert.deepEqual([from, to], [builtAt(from_version).toISOString(), builtAt(to_version).toISOString()]);
      assert.deepEqual(record, record && JSON.parse(jsonIn(to_version, ip) ?? ''));
    }
  });
}

test('ip history: it needs ip:read, and counts as one request', async () => {
  const { secret: limited } = await folder.createKey({ permissions: ['asn:read'] });
  const { secret: free } = await folder.createKey({ tier: 'free' });
  let left = 1000;
  for (const path of ['/v1/ip/8.8.8.8?version=2', '/v1/ip/8.8.8.8?at=2026-11-02', '/v1/ip/8.8.8.8/history']) {
    assert.equal((await ask(path, limited)).data.code, 'FORBIDDEN');
    assert.equal((await ask(path, '')).status, 401);
    assert.equal((await ask(path, free)).headers.get('x-ratelimit-remaining'), String(--left));
  }
});

test('ip history: the client asks for it', async () => {
  const client = createClient({ baseUrl: server.url, apiKey: secret });
  assert.equal((await client.ip('8.8.8.8', { version: 3 })).data.asn, 64501);
  assert.equal((await client.ip('8.8.8.8', { at: '2026-11-04' })).meta.dataset_version, 4);
  const { data } = await client.ipHistory('8.8.8.8');
  assert.deepEqual([data.changes.length, data.changes[0]?.record?.asn], [2, 15169]);
});

test('ip history: dataset list shows versions that answer history only', async () => {
  const { stdout } = await runCommand(['dataset', 'list'], folder.environment);
  assert.match(stdout, /^ +1 +2026-11-01 03:00 +0\.\d MB +history only\n +2 /m);
  assert.match(stdout, /^ +4 +2026-11-04 03:00 +0\.\d MB +[1-9]/m);
  assert.match(stdout, /^history only: answers npx wh ip --history, --dataset-version and --at/m);
  const { versions, history } = JSON.parse(
    (await runCommand(['dataset', 'list', '--json'], folder.environment)).stdout,
  );
  assert.deepEqual(
    [history, versions].map((list) => list.map(({ version }: { version: number }) => version)),
    [
      [1, 2, 3],
      [4, 5, 6, 7, 8, 9, 10],
    ],
  );
  assert.deepEqual(Object.keys(history[0]), ['version', 'built_at', 'bytes']);
});

for (const argv of [
  ['dataset', 'use', '2'],
  ['dataset', 'verify', '2'],
  ['dataset', 'diff', '2', 'current'],
  ['dataset', 'diff', 'current', '2'],
  ['dataset', 'export', '--format', 'csv', '--dataset-version', '2'],
]) {
  test(`ip history: ${argv.join(' ')} of a version that answers history only`, async () => {
    const { code, stderr } = await runCommand(argv, folder.environment);
    assert.equal(code, 1);
    assert.match(
      stderr,
      /^error: version 2 is kept for history only: its file was removed, .* wh ip --dataset-version 2 /,
    );
  });
}

test('ip history: dataset list with a damaged history', async () => {
  const own = new TestFolder();
  own.publish();
  mkdirSync(join(own.dataDir, 'datasets/history'));
  writeFileSync(join(own.dataDir, 'datasets/history/history.json'), '{');
  const { code, stdout } = await runCommand(['dataset', 'list'], own.environment);
  assert.equal(code, 0);
  assert.match(stdout, /^\* +1 [\s\S]*^history: .*history\.json is damaged; remove the folder/m);
  own.remove();
});

test('ip history: on the command line', async () => {
  const whence = (...argv: string[]) => runCommand(['ip', ...argv], folder.environment);
  const history = await whence('8.8.8.8', '--history');
  assert.equal(history.code, 0);
  assert.match(
    history.stdout,
    /versions 4 to 10, built 2026-11-04 to 2026-11-10\n {4}8\.8\.8\.0\/24 {2}AS15169 Google LLC\n/,
  );
  const json = JSON.parse((await whence('8.8.8.8', '--history', '--json')).stdout);
  assert.deepEqual(json, (await ask('/v1/ip/8.8.8.8/history')).data);
  const version = await whence('8.8.8.8', '--dataset-version', '2', '--json');
  assert.deepEqual([version.code, version.stdout], [0, `${jsonIn(2, '8.8.8.8')}\n`]);
  assert.match((await whence('8.8.8.8', '--at', '2026-11-03')).stdout, /AS64501 Level "Drei"/);
  assert.match((await whence('8.8.8.8', '--at', '2026-11-12', '--explain')).stdout, /as of/);
  assert.deepEqual((await whence('9.0.0.1', '--dataset-version', '5')).code, 1);
});

for (const [behaviour, argv, code, message] of [
  [
    'an unknown version',
    ['--dataset-version', '99'],
    1,
    /version 99 is not kept; see which are with: npx wh ip 8\.8\.8\.8 --history/,
  ],
  ['a day before all versions', ['--at', '2020-01-01'], 1, /a version of 2020-01-01 is not kept/],
  ['evidence that is not kept', ['--dataset-version', '1', '--explain'], 1, /the evidence of version 1 is not kept/],
  [
    'a day that does not exist',
    ['--at', '2026-02-30'],
    2,
    /invalid day "2026-02-30": must be a day such as 2026-11-15/,
  ],
  ['a version with include', ['--dataset-version', '9', '--include', 'privacy'], 2, /cannot be used with/],
  ['a history with a day', ['--history', '--at', '2026-11-03'], 2, /cannot be used with/],
  ['a history with evidence', ['--history', '--explain'], 2, /cannot be used with/],
] as const) {
  test(`ip history: refused on the command line: ${behaviour}`, async () => {
    const outcome = await runCommand(['ip', '8.8.8.8', ...argv], folder.environment);
    assert.deepEqual([outcome.code, outcome.stdout], [code, '']);
    assert.match(outcome.stderr, message);
  });
}

test('ip history: damaged changes are 503 without details and do not count, and all else is answered', async () => {
  const history = join(folder.dataDir, 'datasets/history');
  const [name = ''] = readdirSync(history).filter((candidate) => candidate.startsWith('000001-'));
  truncateSync(join(history, name), 100);
  const free = await folder.createKey({ tier: 'free' });
  for (const path of ['/v1/ip/5.0.0.1?version=1', '/v1/ip/5.0.0.1/history']) {
    // A server that has not read the file yet.
    const other = await startInProcess(folder, clock);
    const response = await fetch(other.url + path, { headers: { 'X-API-Key': free.secret } });
    const { data } = (await response.json()) as { data: object };
    await other.close();
    assert.deepEqual([response.status, data], [503, { error: 'dataset unavailable', code: 'DATASET_UNAVAILABLE' }]);
    assert.equal(response.headers.get('x-ratelimit-remaining'), '1000');
  }
  assert.equal((await ask('/v1/ip/5.0.0.1?version=2')).data.asn_name, 'Version 2');
  assert.equal((await ask('/v1/ip/5.0.0.1')).status, 200);
});
