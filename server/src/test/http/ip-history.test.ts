/**
 * `?version=`, `?at=` and `/history` of address lookups, over HTTP, in the client and on the
 * command line.
 */
import assert from 'node:assert/strict';
import { truncateSync } from 'node:fs';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { createClient } from '@whence/client';
import { type Address, parseAddress } from '@whence/dataset/address';
import type { Dataset } from '@whence/dataset/dataset';
import { type Sample, sampleContent } from '@whence/dataset/test/sample-dataset';
import { openCurrent, prune, publish } from '@whence/dataset/versions';
import { runCommand } from '../run-command.ts';
import { SAMPLE, startInProcess, TestFolder } from '../test-server.ts';

const folder = new TestFolder();
const clock = { nowMs: Date.UTC(2026, 10, 15, 12) };
const datasets: Dataset[] = [];
let server: Awaited<ReturnType<typeof startInProcess>>;
let secret = '';
const VERSIONS = 10;
const OLDEST = 4;

const builtAt = (version: number) => new Date(Date.UTC(2026, 10, version, 3));

/**
 * 8.8.8.8 changes its network with version 7; 9.0.0.1 is announced from version 8 on; 1.0.9.9 is a
 * Tor exit until 5.
 */
function sampleOf(version: number): Sample {
  return {
    ...SAMPLE,
    routes: [
      ...SAMPLE.routes.filter(([prefix]) => prefix !== '9.0.0.0/16' && prefix !== '8.8.8.0/24'),
      [
        '8.8.8.0/24',
        ...(version < 7 ? ([64501, 'Level "Drei"'] as const) : ([15169, 'Google LLC'] as const)),
      ],
      ...(version < 8 ? [] : ([['9.0.0.0/16', 22394, 'Verizon Business']] as const)),
      ['5.0.0.0/16', 64502, `Version ${version}`],
    ],
    tor: version <= 5 ? [['1.0.9.9/32', 'Relay Friends']] : [],
  };
}

before(async () => {
  for (let version = 1; version <= VERSIONS; version++) {
    publish(folder.dataDir, sampleContent(sampleOf(version)), builtAt(version));
    datasets.push(openCurrent(folder.dataDir) as Dataset);
    prune(folder.dataDir, VERSIONS - OLDEST + 1, builtAt(version));
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
  for (let version = OLDEST; version <= VERSIONS; version++) {
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
  const plain = await ask('/v1/ip/8.8.8.8');
  const earlier = await ask('/v1/ip/8.8.8.8?version=5');
  assert.deepEqual(Object.keys(earlier.meta), Object.keys(plain.meta));
  assert.deepEqual([earlier.data.asn_name, plain.data.asn_name], ['Level "Drei"', 'Google LLC']);
  assert.equal(earlier.meta.cache_status, 'MISS');
  const missing = await ask('/v1/ip/10.0.0.1?version=9&explain=true');
  assert.deepEqual([missing.status, missing.data.details.rfc], [404, 'RFC 1918']);
  assert.deepEqual(Object.keys(missing.meta).sort(), [
    'cache_status',
    'dataset_version',
    'processing_time_ms',
  ]);
});

for (const [behaviour, query, version] of [
  ['the day of a build', 'at=2026-11-05', 5],
  ['today', 'at=2026-11-15', VERSIONS],
  ['leading zeros', 'version=007', 7],
  ['an empty include', 'version=5&include=', 5],
  ['explain is off', 'version=5&explain=false', 5],
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
  ['include', 'version=9&include=privacy', 400, 'INVALID_INCLUDE', { allowed: [] }],
  [
    'include of what DNS says today',
    'at=2026-11-03&include=hostname',
    400,
    'INVALID_INCLUDE',
    { allowed: [] },
  ],
  [
    'explain that is neither on nor off',
    'version=9&explain=x',
    400,
    'INVALID_QUERY',
    { parameter: 'explain', allowed: ['true', 'false'] },
  ],
  ['an unknown version', 'version=11', 404, 'VERSION_NOT_FOUND', undefined],
  ['a version that is no longer kept', 'version=3', 404, 'VERSION_NOT_FOUND', undefined],
  ['version 0', 'version=0', 404, 'VERSION_NOT_FOUND', undefined],
  ['a day before all that are kept', 'at=2026-11-03', 404, 'VERSION_NOT_FOUND', undefined],
  ['tomorrow', 'at=2026-11-16', 404, 'VERSION_NOT_FOUND', undefined],
] as const) {
  test(`ip history: a version is refused: ${behaviour}`, async () => {
    const { status: got, data, meta } = await ask(`/v1/ip/8.8.8.8?${query}`);
    assert.deepEqual([got, data.code, data.details], [status, code, details]);
    assert.deepEqual(Object.keys(meta), ['processing_time_ms']);
  });
}

test('ip history: an invalid address is refused first', async () => {
  for (const path of [
    '/v1/ip/nonsense?version=x',
    '/v1/ip/nonsense/history',
    '/v1/ip/me/history',
  ]) {
    const { status, data } = await ask(path);
    assert.deepEqual(
      [status, data],
      [400, { error: 'invalid IP address', code: 'INVALID_IP' }],
      path,
    );
  }
});

test('ip history: evidence of a version', async () => {
  const { status, data, meta } = await ask('/v1/ip/8.8.8.8?version=5&explain=true');
  assert.deepEqual([status, meta.dataset_version, data.evidence[0].field], [200, 5, 'prefix']);
});

for (const [behaviour, ip, want] of [
  [
    'a change',
    '8.8.8.8',
    [
      [7, 10, 'Google LLC'],
      [4, 6, 'Level "Drei"'],
    ],
  ],
  [
    'an address that was not announced at first',
    '9.0.0.1',
    [
      [8, 10, 'Verizon Wireless'],
      [4, 7, undefined],
    ],
  ],
  ['no change', '2001:4860::1', [[4, 10, 'Google LLC']]],
  ['an address without a record', '10.0.0.1', [[4, 10, undefined]]],
] as const) {
  test(`ip history: the history: ${behaviour}`, async () => {
    const { status, data, meta } = await ask(`/v1/ip/${ip}/history`);
    assert.deepEqual([status, Object.keys(data), data.ip], [200, ['ip', 'changes'], ip]);
    assert.deepEqual(Object.keys(meta), ['processing_time_ms']);
    type Span = {
      from_version: number;
      to_version: number;
      from: string;
      to: string;
      record?: { asn_name: string };
    };
    assert.deepEqual(
      (data.changes as Span[]).map(({ from_version, to_version, record }) => [
        from_version,
        to_version,
        record?.asn_name,
      ]),
      want,
    );
    for (const { from_version, to_version, from, to, record } of data.changes as Span[]) {
      assert.deepEqual(
        [from, to],
        [builtAt(from_version).toISOString(), builtAt(to_version).toISOString()],
      );
      assert.deepEqual(record, record && JSON.parse(jsonIn(to_version, ip) ?? ''));
    }
  });
}

test('ip history: it needs ip:read, and counts as one request', async () => {
  const { secret: limited } = await folder.createKey({ permissions: ['asn:read'] });
  const { secret: free } = await folder.createKey({ tier: 'free' });
  let left = 1000;
  for (const path of [
    '/v1/ip/8.8.8.8?version=5',
    '/v1/ip/8.8.8.8?at=2026-11-05',
    '/v1/ip/8.8.8.8/history',
  ]) {
    assert.equal((await ask(path, limited)).data.code, 'FORBIDDEN');
    assert.equal((await ask(path, '')).status, 401);
    assert.equal((await ask(path, free)).headers.get('x-ratelimit-remaining'), String(--left));
  }
});

test('ip history: the client asks for it', async () => {
  const client = createClient({ baseUrl: server.url, apiKey: secret });
  assert.equal((await client.ip('8.8.8.8', { version: 5 })).data.asn, 64501);
  assert.equal((await client.ip('8.8.8.8', { at: '2026-11-05' })).meta.dataset_version, 5);
  const { data } = await client.ipHistory('8.8.8.8');
  assert.deepEqual([data.changes.length, data.changes[0]?.record?.asn], [2, 15169]);
});

test('ip history: on the command line', async () => {
  const whence = (...argv: string[]) => runCommand(['ip', ...argv], folder.environment);
  const history = await whence('8.8.8.8', '--history');
  assert.equal(history.code, 0);
  assert.match(
    history.stdout,
    /versions 7 to 10, built 2026-11-07 to 2026-11-10\n {4}8\.8\.8\.0\/24 {2}AS15169 Google LLC\n/,
  );
  const json = JSON.parse((await whence('8.8.8.8', '--history', '--json')).stdout);
  assert.deepEqual(json, (await ask('/v1/ip/8.8.8.8/history')).data);
  const version = await whence('8.8.8.8', '--dataset-version', '5', '--json');
  assert.deepEqual([version.code, version.stdout], [0, `${jsonIn(5, '8.8.8.8')}\n`]);
  assert.match((await whence('8.8.8.8', '--at', '2026-11-05')).stdout, /AS64501 Level "Drei"/);
  assert.match((await whence('8.8.8.8', '--at', '2026-11-12', '--explain')).stdout, /as of/);
  // The lists of a version that has one of Tor exits are not those of today.
  assert.match(
    (await whence('1.0.9.9', '--at', '2026-11-05')).stdout,
    /\n {2}threat +at least \d+ of 100.*: its lists were incomplete\n/,
  );
  const ended = await whence('1.0.9.9', '--history');
  assert.match(ended.stdout, /flags: tor_exit.*, threat at least \d+ of 100\n/);
  assert.match(ended.stdout, /flags: none\n/);
  assert.deepEqual((await whence('9.0.0.1', '--dataset-version', '7')).code, 1);
});

for (const [behaviour, argv, code, message] of [
  [
    'an unknown version',
    ['--dataset-version', '99'],
    1,
    /version 99 is not kept; see which are with: npx wh ip 8\.8\.8\.8 --history/,
  ],
  ['a day before all versions', ['--at', '2020-01-01'], 1, /a version of 2020-01-01 is not kept/],
  ['a version that is no longer kept', ['--dataset-version', '3'], 1, /version 3 is not kept/],
  [
    'a day that does not exist',
    ['--at', '2026-02-30'],
    2,
    /invalid day "2026-02-30": must be a day such as 2026-11-15/,
  ],
  [
    'a version with include',
    ['--dataset-version', '9', '--include', 'privacy'],
    2,
    /cannot be used with/,
  ],
  ['a history with a day', ['--history', '--at', '2026-11-03'], 2, /cannot be used with/],
  ['a history with evidence', ['--history', '--explain'], 2, /cannot be used with/],
] as const) {
  test(`ip history: refused on the command line: ${behaviour}`, async () => {
    const outcome = await runCommand(['ip', '8.8.8.8', ...argv], folder.environment);
    assert.deepEqual([outcome.code, outcome.stdout], [code, '']);
    assert.match(outcome.stderr, message);
  });
}

test('ip history: a damaged version is 503 without details and does not count, and all else is answered', async () => {
  truncateSync(join(folder.dataDir, 'datasets/000004.whence'), 5_000);
  const free = await folder.createKey({ tier: 'free' });
  for (const path of ['/v1/ip/5.0.0.1?version=4', '/v1/ip/5.0.0.1/history']) {
    // A server that has not read the file yet.
    const other = await startInProcess(folder, clock);
    const response = await fetch(other.url + path, { headers: { 'X-API-Key': free.secret } });
    const { data } = (await response.json()) as { data: object };
    await other.close();
    assert.deepEqual(
      [response.status, data],
      [503, { error: 'dataset unavailable', code: 'DATASET_UNAVAILABLE' }],
    );
    assert.equal(response.headers.get('x-ratelimit-remaining'), '1000');
  }
  assert.equal((await ask('/v1/ip/5.0.0.1?version=5')).data.asn_name, 'Version 5');
  assert.equal((await ask('/v1/ip/5.0.0.1')).status, 200);
});
