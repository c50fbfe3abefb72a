/**
 * `/v1/databases` and the routes of update programs on a running server, with files of two
 * versions.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test, { after, before } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { Reader as GeoIp2Reader } from '@maxmind/geoip2-node';
import { fetchedLocationPath } from '@whence/dataset/location';
import { cityMmdb } from '@whence/dataset/test/sample-mmdb';
import { until } from '@whence/testing/until';
import type { DatabasesPage } from '../../dashboard/wire/dataset.ts';
import { readIndex } from '../../geoip-files/file-index.ts';
import { writeGeoipFiles } from '../../geoip-files/write-geoip-files.ts';
import { signedInAs } from '../dashboard/dashboard-client.ts';
import { SAMPLE, startInProcess, TestFolder } from '../test-server.ts';

const DAY = new Date().toISOString().slice(0, 10);
const folder = new TestFolder();
let server: Awaited<ReturnType<typeof startInProcess>>;
let key = '';

async function publish(sample = SAMPLE) {
  const version = folder.publish(sample);
  await writeGeoipFiles(folder.dataDir, DAY);
  return version;
}

before(async () => {
  await publish();
  await publish({
    ...SAMPLE,
    routes: [...SAMPLE.routes, ['9.1.0.0/16', 22394, 'Verizon Business']],
  });
  key = (await folder.createKey({ permissions: ['database:read'], tier: 'pro' })).secret;
  server = await startInProcess(folder);
});
after(async () => {
  await server.close();
  folder.remove();
});

type Answer = { status: number; headers: Headers; bytes: Buffer };
async function get(
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<Answer> {
  const response = await fetch(server.url + path, {
    method,
    headers: { 'X-API-Key': key, ...headers },
  });
  return {
    status: response.status,
    headers: response.headers,
    bytes: Buffer.from(await response.arrayBuffer()),
  };
}
const basic = () => ({ Authorization: `Basic ${btoa(`12345:${key}`)}` });
const json = ({ bytes }: Answer) => JSON.parse(bytes.toString());
const remainingOf = ({ headers }: Answer) => Number(headers.get('x-ratelimit-remaining'));
const digest = (algorithm: string, bytes: Buffer) =>
  createHash(algorithm).update(bytes).digest('hex');
const country = (bytes: Buffer) =>
  GeoIp2Reader.openBuffer(bytes).country('8.8.8.8').country?.isoCode;

test('databases: the list has the files of both versions, the current ones first, and is not charged', async () => {
  const answer = await get('/v1/databases');
  const { databases, notice } = json(answer).data;
  assert.deepEqual(
    databases.map(({ name, edition, version, is_current }: Record<string, unknown>) => [
      name,
      edition,
      version,
      is_current,
    ]),
    [2, 1].flatMap((version) =>
      [
        ['whence', 'Whence'],
        ['country', 'GeoLite2-Country'],
        ['asn', 'GeoLite2-ASN'],
        ['anonymous-ip', 'GeoIP2-Anonymous-IP'],
        ['connection-type', 'GeoIP2-Connection-Type'],
      ].map((names) => [...names, version, version === 2]),
    ),
  );
  assert.match(notice, /^This database was exported from version 2 of a Whence dataset/);
  assert.equal(remainingOf(answer), remainingOf(await get('/v1/databases')));
});

for (const name of ['country', 'country.mmdb', 'GeoLite2-Country'])
  test(`databases: ${name} is the file that the list describes`, async () => {
    const [listed] = json(await get('/v1/databases')).data.databases.filter(
      (database: { name: string }) => database.name === 'country',
    );
    const { status, headers, bytes } = await get(`/v1/databases/${name}`);
    assert.deepEqual(
      [status, bytes.length, digest('sha256', bytes), digest('md5', bytes), headers.get('etag')],
      [200, listed.bytes, listed.sha256, listed.md5, `"${listed.sha256}"`],
    );
    assert.equal(headers.get('last-modified'), new Date(listed.built_at).toUTCString());
    assert.equal(headers.get('content-length'), String(listed.bytes));
    assert.equal(country(bytes), 'US');
  });

test('databases: an earlier version as long as it is kept', async () => {
  const asn = (bytes: Buffer) =>
    GeoIp2Reader.openBuffer(bytes).asn('9.1.0.1').autonomousSystemNumber;
  assert.equal(asn((await get('/v1/databases/asn')).bytes), 22_394);
  const { bytes } = await get('/v1/databases/asn?version=1');
  assert.throws(() => asn(bytes), /is not in the database/);
});

for (const [path, status, code] of [
  ['/v1/databases/city', 404, 'DATABASE_NOT_FOUND'],
  ['/v1/databases/index.json', 404, 'DATABASE_NOT_FOUND'],
  ['/v1/databases/..%2f..%2fwhence.sqlite', 404, 'DATABASE_NOT_FOUND'],
  ['/v1/databases/country?version=7', 404, 'VERSION_NOT_FOUND'],
  ['/v1/databases/country?version=x', 400, 'INVALID_VERSION'],
] as const)
  test(`databases: ${path} is ${code}`, async () => {
    const answer = await get(path);
    assert.deepEqual([answer.status, json(answer).data.code], [status, code]);
  });

test('databases: a request counts if it gets a file', async () => {
  const whole = await get('/v1/databases/asn');
  const etag = whole.headers.get('etag') ?? '';
  const modified = whole.headers.get('last-modified') ?? '';
  for (const [headers, method, status] of [
    [{ 'If-None-Match': etag }, 'GET', 304],
    [{ 'If-None-Match': `W/${etag}, "x"` }, 'GET', 304],
    [{ 'If-Modified-Since': modified }, 'GET', 304],
    [{}, 'HEAD', 200],
  ] as const) {
    const answer = await get('/v1/databases/asn', headers, method);
    assert.deepEqual(
      [answer.status, answer.bytes.length, answer.headers.get('etag'), remainingOf(answer)],
      [status, 0, etag, remainingOf(whole)],
    );
    if (method === 'HEAD')
      assert.equal(answer.headers.get('content-length'), String(whole.bytes.length));
  }
  const again = await get('/v1/databases/asn', {
    'If-None-Match': '"x"',
    'If-Modified-Since': modified,
  });
  assert.deepEqual([again.status, remainingOf(again)], [200, remainingOf(whole) - 1]);
});

for (const [range, from, to] of [
  ['bytes=0-99', 0, 100],
  ['bytes=100-', 100, undefined],
  ['bytes=-50', -50, undefined],
  ['bytes=10-999999999', 10, undefined],
] as const)
  test(`databases: the range ${range}`, async () => {
    const { bytes: whole } = await get('/v1/databases/asn');
    const { status, headers, bytes } = await get('/v1/databases/asn', { Range: range });
    assert.deepEqual([status, bytes], [206, whole.subarray(from, to)]);
    const start = from < 0 ? whole.length + from : from;
    assert.equal(
      headers.get('content-range'),
      `bytes ${start}-${start + bytes.length - 1}/${whole.length}`,
    );
  });

for (const [behaviour, headers, status] of [
  ['several ranges are answered with the whole file', { Range: 'bytes=0-1,5-9' }, 200],
  ['a range of another unit as well', { Range: 'lines=0-1' }, 200],
  ['and a range of another state of the file', { Range: 'bytes=0-9', 'If-Range': '"x"' }, 200],
  ['a range behind the end', { Range: 'bytes=99999999-' }, 416],
] as const)
  test(`databases: ${behaviour}`, async () => {
    const answer = await get('/v1/databases/asn', headers);
    assert.equal(answer.status, status);
    if (status === 416) assert.match(answer.headers.get('content-range') ?? '', /^bytes \*\/\d+$/);
  });

test('databases: an update program before version 7 gets gzip and the MD5 of its content', async () => {
  const path = '/geoip/databases/GeoLite2-Country/update?db_md5=';
  const first = await get(`${path}00000000000000000000000000000000`, {
    'X-API-Key': '',
    ...basic(),
  }).catch(() => undefined);
  assert.equal(first?.status, 401, 'an empty header is a key');
  const response = await fetch(`${server.url}${path}00000000000000000000000000000000`, {
    headers: basic(),
  });
  const bytes = gunzipSync(Buffer.from(await response.arrayBuffer()));
  const md5 = digest('md5', bytes);
  assert.deepEqual(
    [response.status, response.headers.get('x-database-md5'), country(bytes)],
    [200, md5, 'US'],
  );
  const again = await fetch(`${server.url}${path}${md5}`, { headers: basic() });
  assert.deepEqual([again.status, await again.text()], [304, '']);
});

for (const [edition, status, text] of [
  ['GeoLite2-Country', 200, 'GeoLite2-Country.mmdb'],
  ['DBIP-City-Lite', 200, 'DBIP-City-Lite.mmdb'],
  ['GeoLite2-City', 404, 'Database edition not found\n'],
  ['GeoIP2-Domain', 404, 'Database edition not found\n'],
  ['..%2Fcountry', 404, 'Database edition not found\n'],
] as const)
  test(`databases: an update program before version 4.10 asks for the file name of ${edition} without a key`, async () => {
    const response = await fetch(`${server.url}/app/update_getfilename?product_id=${edition}`);
    assert.deepEqual([response.status, await response.text()], [status, text]);
    assert.equal(response.headers.get('content-type'), 'text/plain; charset=utf-8');
  });

test('databases: an update program of version 7 gets metadata and a tar file with the credits', async () => {
  const metadata = json(await get('/geoip/updates/metadata?edition_id=GeoLite2-ASN'));
  const [{ edition_id, md5, date }] = metadata.databases;
  // Both versions are of today.
  assert.deepEqual([edition_id, date], ['GeoLite2-ASN', `${DAY}-2`]);
  const path = `/geoip/databases/GeoLite2-ASN/download?date=${date.replaceAll('-', '')}&suffix=tar.gz`;
  const answer = await get(path);
  const name = `GeoLite2-ASN_${DAY.replaceAll('-', '')}2`;
  assert.equal(answer.headers.get('content-disposition'), `attachment; filename="${name}.tar.gz"`);
  const file = join(folder.dataDir, 'asn.tar.gz');
  writeFileSync(file, answer.bytes);
  const run = (...argv: string[]) => execFileSync('tar', ['-f', file, ...argv]);
  assert.equal(run('-tz').toString(), `${name}/NOTICE.txt\n${name}/GeoLite2-ASN.mmdb\n`);
  assert.equal(digest('md5', run('-xzO', `${name}/GeoLite2-ASN.mmdb`)), md5);
  assert.match(
    run('-xzO', `${name}/NOTICE.txt`).toString(),
    /^This database was exported from version 2/,
  );
  const earlier = await get(
    `/geoip/databases/GeoLite2-ASN/download?date=${DAY.replaceAll('-', '')}`,
  );
  assert.equal(
    earlier.headers.get('x-database-md5'),
    readIndex(folder.dataDir).versions[1]?.files[2]?.md5,
  );
  const sha256 = await get('/app/geoip_download?edition_id=GeoLite2-ASN&suffix=tar.gz.sha256');
  assert.equal(sha256.bytes.toString(), `${digest('sha256', answer.bytes)}  ${name}.tar.gz\n`);
});

test('databases: metadata without an edition are those of all, and are not charged', async () => {
  const all = await get('/geoip/updates/metadata');
  assert.equal(json(all).databases.length, 5);
  assert.equal(remainingOf(await get('/geoip/updates/metadata')), remainingOf(all));
});

for (const [path, headers, status, text] of [
  ['/geoip/databases/GeoIP2-Domain/update?db_md5=0', {}, 404, /^Database edition not found\n$/],
  ['/geoip/updates/metadata?edition_id=GeoIP2-Domain', {}, 404, /^Database edition not found\n$/],
  [
    '/geoip/databases/GeoLite2-ASN/download?date=20200101',
    {},
    404,
    /^Database edition not found for this date\n$/,
  ],
  [
    '/app/geoip_download?edition_id=GeoLite2-ASN&suffix=zip',
    {},
    404,
    /^Database edition not found\n$/,
  ],
  ['/app/geoip_download', {}, 404, /^Database edition not found\n$/],
  [
    '/app/geoip_download?license_key=x',
    { 'X-API-Key': 'x' },
    401,
    /^Invalid account ID or license key/,
  ],
] as const)
  test(`databases: ${path} is refused in the form of update programs: ${status}`, async () => {
    const answer = await get(path, headers);
    assert.equal(answer.status, status);
    assert.match(answer.bytes.toString(), text);
    assert.equal(answer.headers.get('content-type'), 'text/plain; charset=utf-8');
  });

test('databases: a program with a URL alone has its key in the query', async () => {
  const url = `${server.url}/app/geoip_download?edition_id=GeoLite2-Country&suffix=tar.gz&license_key=${key}`;
  const response = await fetch(url);
  assert.deepEqual(
    [response.status, response.headers.get('content-type')],
    [200, 'application/gzip'],
  );
  await response.arrayBuffer();
  const own = await fetch(`${server.url}/v1/databases/country?license_key=${key}`);
  assert.equal(own.status, 401);
});

test('databases: the files of the last two versions stay, also if a version is used again', async () => {
  const versions = () => readIndex(folder.dataDir).versions.map(({ version }) => version);
  assert.deepEqual(versions(), [2, 1]);
  await publish({ ...SAMPLE, tor: [] });
  assert.deepEqual(versions(), [3, 2]);
  await until(
    'the server uses them',
    async () => json(await get('/v1/databases')).data.databases[0].version === 3,
  );
  const files = readdirSync(join(folder.dataDir, 'databases'));
  assert.deepEqual([...new Set(files.map((name) => name.slice(0, 6)))].sort(), [
    '000002',
    '000003',
    'index.',
  ]);
  // Without Tor exits there is a network less in it, but hosting stays.
  assert.ok(files.some((name) => name.startsWith('000003') && name.endsWith('-anonymous-ip.mmdb')));
  assert.equal(await writeGeoipFiles(folder.dataDir, DAY), undefined);
});

test('databases: a client that leaves, or reads slowly, holds no file', async () => {
  for (let i = 0; i < 20; i++) {
    const abort = new AbortController();
    const response = await fetch(`${server.url}/v1/databases/whence`, {
      headers: { 'X-API-Key': key },
      signal: abort.signal,
    });
    if (i % 2 === 0) abort.abort();
    else await response.body?.cancel();
  }
  const open = () => readdirSync('/proc/self/fd').length;
  const before = open();
  await until('files are closed', () => open() <= before);
  assert.equal((await get('/v1/databases/whence')).status, 200);
});

test('databases: DB-IP City Lite is given as it was fetched, in every form', async () => {
  const other = new TestFolder();
  other.publish();
  const path = fetchedLocationPath(other.dataDir);
  mkdirSync(dirname(path));
  const cities = cityMmdb([['8.8.8.0/25', { country: 'US', city: 'Mountain View' }]]);
  writeFileSync(path, cities);
  await writeGeoipFiles(other.dataDir, DAY);
  assert.equal(await writeGeoipFiles(other.dataDir, DAY), undefined, 'nothing is new');
  const { secret } = await other.createKey({ permissions: ['database:read'] });
  const located = await startInProcess(other);
  const fetchIt = (url: string) => fetch(located.url + url, { headers: { 'X-API-Key': secret } });
  const bytesOf = async (url: string) => Buffer.from(await (await fetchIt(url)).arrayBuffer());
  const md5 = digest('md5', cities);
  try {
    for (const url of [
      '/v1/databases/dbip-city-lite',
      '/v1/databases/DBIP-City-Lite.mmdb',
      '/v1/databases/dbip-city-lite?version=20261101',
      '/app/geoip_download?edition_id=DBIP-City-Lite&suffix=mmdb',
      '/geoip/databases/DBIP-City-Lite/download?date=20261101&suffix=mmdb',
    ])
      assert.deepEqual(await bytesOf(url), cities, url);
    const update = '/geoip/databases/DBIP-City-Lite/update?db_md5=';
    assert.deepEqual(gunzipSync(await bytesOf(`${update}0`)), cities);
    assert.equal((await fetchIt(`${update}${md5}`)).status, 304);
    assert.equal((await fetchIt('/v1/databases/dbip-city-lite?version=1')).status, 404);
    const metadata = JSON.parse((await bytesOf('/geoip/updates/metadata')).toString());
    assert.deepEqual(metadata.databases.at(-1), {
      edition_id: 'DBIP-City-Lite',
      md5,
      date: '2026-11-01',
    });
    const { databases, notice } = JSON.parse((await bytesOf('/v1/databases')).toString()).data;
    const { name, version, is_current, sha256 } = databases.at(-1);
    assert.deepEqual(
      [name, version, is_current, sha256],
      ['dbip-city-lite', 20_261_101, true, digest('sha256', cities)],
    );
    assert.match(notice, /credit: IP Geolocation by DB-IP \(https:\/\/db-ip\.com\)/);
    const files = () => readdirSync(join(other.dataDir, 'databases'));
    assert.equal(files().filter((file) => file.includes('dbip')).length, 3);
    rmSync(path);
    await writeGeoipFiles(other.dataDir, DAY);
    await until(
      'it is gone',
      async () => (await fetchIt('/v1/databases/dbip-city-lite')).status === 404,
    );
    assert.equal(files().filter((file) => file.includes('dbip')).length, 0);
  } finally {
    await located.close();
    other.remove();
  }
});

test('databases: without files a known edition is unavailable, and the list is empty', async () => {
  const other = new TestFolder();
  other.publish();
  const { secret } = await other.createKey({ permissions: ['database:read'] });
  const empty = await startInProcess(other);
  const ask = async (path: string) => {
    const response = await fetch(empty.url + path, { headers: { 'X-API-Key': secret } });
    return [response.status, await response.text()] as const;
  };
  assert.deepEqual(JSON.parse((await ask('/v1/databases'))[1]).data, { databases: [], lists: [] });
  const [status, body] = await ask('/v1/databases/country');
  assert.deepEqual(
    [status, JSON.parse(body).data],
    [
      503,
      {
        error: 'databases and lists of this server are not written yet',
        code: 'DATASET_UNAVAILABLE',
      },
    ],
  );
  assert.deepEqual(await ask('/geoip/databases/GeoLite2-ASN/update?db_md5=0'), [
    503,
    'databases and lists of this server are not written yet\n',
  ]);
  await empty.close();
  other.remove();
});

test('databases: keys in queries are in no line of the log', async () => {
  const { openLog } = await import('../../log/log.ts');
  const { LogOutput } = await import('../../log/log-output.ts');
  const { startServer } = await import('../../process/server.ts');
  const { readConfig } = await import('../../settings/config.ts');
  const path = join(folder.dataDir, 'log');
  const { logger, flush } = openLog('trace', undefined, new LogOutput(openSync(path, 'w')));
  const config = readConfig({ ...folder.environment, WHENCE_PORT: '0', WHENCE_LOG_LEVEL: 'trace' });
  const logged = await startServer(config, logger, () => Date.now(), { graceMs: 0 });
  for (const secret of [key, 'whence_mistyped', 'a-license-key'])
    await (
      await fetch(`${logged.url}/app/geoip_download?edition_id=GeoLite2-ASN&license_key=${secret}`)
    ).arrayBuffer();
  await logged.close();
  flush();
  const lines = readFileSync(path, 'utf8');
  assert.match(lines, /"route":"database"/);
  for (const secret of [key, 'mistyped', 'a-license-key'])
    assert.ok(!lines.includes(secret), secret);
});

test('databases: the dashboard says which key downloaded which version', async () => {
  const admin = await signedInAs(folder, server.url, 'Ada', 'admin');
  const { secret, key: made } = await folder.createKey({
    name: 'edge',
    permissions: ['database:read'],
  });
  for (const path of ['/v1/databases/asn', '/v1/databases/asn?version=2', '/v1/databases/asn'])
    await get(path, { 'X-API-Key': secret });
  await get('/v1/databases/country', { 'X-API-Key': secret }, 'HEAD');
  let own: DatabasesPage['downloads'] = [];
  await until('the downloads are written', async () => {
    own = (await admin.get('getDatabases', {})).downloads.filter(
      ({ key_id }) => key_id === made.id,
    );
    return own.reduce((sum, { count }) => sum + count, 0) === 3;
  });
  assert.deepEqual(
    own.map(({ key, file, version, is_current, count }) => [key, file, version, is_current, count]),
    [
      ['edge', 'asn', 3, true, 2],
      ['edge', 'asn', 2, false, 1],
    ],
  );
});
