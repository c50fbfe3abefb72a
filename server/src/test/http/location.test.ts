/** Locations: in answers, on the command line and in enriched logs. */
import assert from 'node:assert/strict';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test, { after, before } from 'node:test';
import { createClient } from '@whence/client';
import { fetchedLocationPath } from '@whence/dataset/location';
import { cityMmdb } from '@whence/dataset/test/sample-mmdb';
import { until } from '@whence/testing/until';
import { runCommand } from '../run-command.ts';
import { startInProcess, TestFolder } from '../test-server.ts';

const DATABASE = cityMmdb([
  [
    '8.8.8.0/25',
    { country: 'US', region: 'California', city: 'Mountain View', at: [37.4224, -122.085] },
  ],
  ['8.8.8.128/26', { country: 'US', region: 'New York, State' }],
  ['8.8.8.192/26', { country: 'GB', region: 'England', city: 'London', at: [51.5, -0.1] }],
  ['3.0.5.0/24', { country: 'US', city: 'Seattle', at: [47.6, -122.3] }],
  ['2001:4860::/32', { country: 'US', city: 'Zürich', at: [47.37, 8.54] }],
]);
const AS_OF = { source: 'DBIP-City-Lite', as_of: '2026-11-01' };
const MOUNTAIN_VIEW = {
  city: 'Mountain View',
  region: 'California',
  latitude: 37.4224,
  longitude: -122.085,
  ...AS_OF,
};
const boston = (databaseType: string) =>
  cityMmdb([['8.8.8.0/24', { country: 'US', city: 'Boston' }]], { databaseType });

const folder = new TestFolder();
const plain = new TestFolder();
const database = join(folder.dataDir, 'cities.mmdb');
const environment = { ...folder.environment, WHENCE_LOCATION_DB: database };
let server: Awaited<ReturnType<typeof startInProcess>>;
let secret = '';
before(async () => {
  plain.publish();
  folder.publish();
  writeFileSync(database, DATABASE);
  server = await startInProcess(folder, undefined, {
    WHENCE_PUBLIC_LOOKUPS: 'on',
    WHENCE_LOCATION_DB: database,
  });
  ({ secret } = await folder.createKey());
});
after(async () => {
  await server.close();
  folder.remove();
  plain.remove();
});

async function ask(path: string, body?: unknown) {
  const response = await fetch(server.url + path, {
    headers: {
      'X-API-Key': secret,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  });
  return { status: response.status, ...JSON.parse(await response.text()) };
}

for (const [behaviour, include, ip, want] of [
  ['city, region and coordinates', 'location', '8.8.8.8', { location: MOUNTAIN_VIEW }],
  ['a region only', 'location', '8.8.8.130', { location: { region: 'New York, State', ...AS_OF } }],
  ['a place in another country than the record is absent', 'location', '8.8.8.200', {}],
  [
    'IPv6',
    'location',
    '2001:4860::1',
    { location: { city: 'Zürich', latitude: 47.37, longitude: 8.54, ...AS_OF } },
  ],
  ['an address without a location', 'location', '3.0.0.1', {}],
] as const) {
  test(`location: ${behaviour}`, async () => {
    const { status, data } = await ask(`/v1/ip/${ip}?include=${include}`);
    const { data: record } = await ask(`/v1/ip/${ip}`);
    assert.deepEqual([status, data], [200, { ...record, ...want }]);
    const { data: batch } = await ask('/v1/ip/batch', { ips: [ip], include: [include] });
    assert.deepEqual(batch[ip], data);
  });
}

test('location: several sections in a batch', async () => {
  const include = ['location', 'privacy', 'routing'];
  const { data: batch } = await ask('/v1/ip/batch', {
    ips: ['8.8.8.8', '8.8.8.9', '8.8.8.200', '1.0.9.9'],
    include,
  });
  for (const ip of ['8.8.8.8', '8.8.8.9', '8.8.8.200', '1.0.9.9'])
    assert.deepEqual(batch[ip], (await ask(`/v1/ip/${ip}?include=${include}`)).data);
});

test('location: the client asks for it', async () => {
  const client = createClient({ baseUrl: server.url, apiKey: secret });
  assert.deepEqual(
    (await client.ip('8.8.8.8', { include: ['location'] })).data.location,
    MOUNTAIN_VIEW,
  );
});

/** The location of 8.8.8.8 on a server, and what it says about its database. */
async function stateOf(url: string, key: string) {
  const headers = { 'X-API-Key': key };
  const answer = await fetch(`${url}/v1/ip/8.8.8.8?include=location`, { headers });
  const { data } = JSON.parse(await answer.text());
  const ready = JSON.parse(await (await fetch(`${url}/readyz`)).text());
  return [data.location?.city, data.location?.source, ready.data.checks.locations];
}

/** As programs do that update a database. */
function replace(path: string, bytes: Buffer): void {
  writeFileSync(`${path}.new`, bytes);
  renameSync(`${path}.new`, path);
}

test('location: a changed file is used, and a faulty one is not', async () => {
  const own = new TestFolder();
  own.publish();
  const path = join(own.dataDir, 'own.mmdb');
  writeFileSync(path, boston('GeoLite2-City'));
  const { secret: key } = await own.createKey();
  const running = await startInProcess(own, undefined, { WHENCE_LOCATION_DB: path });
  const becomes = (...want: unknown[]) =>
    until(String(want), async () => {
      const state = await stateOf(running.url, key);
      return want.every((value, i) => state[i] === value);
    });
  try {
    await becomes('Boston', 'GeoLite2-City', undefined);
    for (const broken of [
      DATABASE.subarray(0, DATABASE.length / 2),
      Buffer.from('<html>'),
      cityMmdb([], { databaseType: 'GeoLite2-ASN' }),
    ]) {
      replace(path, broken);
      await becomes('Boston', 'GeoLite2-City', 'refused');
      assert.equal(running.metrics().gauges['whence_location_database_refused'], 1);
      replace(path, boston('GeoIP2-City'));
      await becomes('Boston', 'GeoIP2-City', undefined);
      replace(path, boston('GeoLite2-City'));
      await becomes('Boston', 'GeoLite2-City', undefined);
    }
    rmSync(path);
    await becomes('Boston', 'GeoLite2-City', 'refused');
    mkdirSync(path);
    await becomes('Boston', 'GeoLite2-City', 'refused');
    rmSync(path, { recursive: true });
    writeFileSync(path, DATABASE);
    await becomes('Mountain View', 'DBIP-City-Lite', undefined);
  } finally {
    await running.close();
    own.remove();
  }
});

test('location: without the setting, what an update has fetched is used while it is there', async () => {
  const own = new TestFolder();
  own.publish();
  const { secret: key } = await own.createKey();
  const running = await startInProcess(own);
  const path = fetchedLocationPath(own.dataDir);
  try {
    assert.deepEqual(await stateOf(running.url, key), [undefined, undefined, undefined]);
    mkdirSync(dirname(path));
    replace(path, DATABASE);
    await until(
      'the file is used',
      async () => (await stateOf(running.url, key))[0] === 'Mountain View',
    );
    rmSync(path);
    await until('it is not', async () => (await stateOf(running.url, key))[0] === undefined);
  } finally {
    await running.close();
    own.remove();
  }
});

test('location: wh ip --include', async () => {
  const { stdout } = await runCommand(
    ['ip', '--include', 'location', '8.8.8.8', '9.0.0.1'],
    environment,
  );
  assert.match(
    stdout,
    /location +Mountain View; California; 37\.4224, -122\.085 \(DBIP-City-Lite,\s+2026-11-01\)\n/,
  );
  const without = await runCommand(
    ['ip', '--json', '--include', 'location', '8.8.8.8'],
    plain.environment,
  );
  assert.deepEqual([without.code, 'location' in JSON.parse(without.stdout)], [0, false]);
});

async function enrich(text: string, name: string, ...options: string[]) {
  const path = join(folder.dataDir, name);
  writeFileSync(path, text);
  return runCommand(['enrich', path, ...options], environment);
}

const LOG = 'a 8.8.8.8\nb 8.8.8.130\nc 3.0.0.1\nd 2001:4860::1\n';
test('location: enrich adds its fields', async () => {
  const { stdout } = await enrich(LOG, 'log', '--fields', 'city,region,asn,latitude,longitude');
  assert.deepEqual(stdout.trimEnd().split('\n'), [
    'a 8.8.8.8\t{"city":"Mountain View","region":"California","asn":15169,"latitude":37.4224,"longitude":-122.085}',
    'b 8.8.8.130\t{"region":"New York, State","asn":15169}',
    'c 3.0.0.1\t{"asn":16509}',
    'd 2001:4860::1\t{"city":"Z\\u00fcrich","asn":15169,"latitude":47.37,"longitude":8.54}',
  ]);
});

test('location: enrich adds its columns to CSV', async () => {
  const csv = 'ip\n8.8.8.8\n8.8.8.130\n3.0.0.1\n10.0.0.1\n2001:4860::1\n';
  const { stdout } = await enrich(csv, 'log.csv', '--fields', 'country,city,region');
  assert.deepEqual(stdout.trimEnd().split('\n'), [
    'ip,country,city,region',
    '8.8.8.8,US,Mountain View,California',
    '8.8.8.130,US,,"New York, State"',
    '3.0.0.1,US,,',
    '10.0.0.1,,,',
    '2001:4860::1,US,Zürich,',
  ]);
});

test('location: enrich says what is missing without a database', async () => {
  const { code, stderr } = await runCommand(
    ['enrich', join(folder.dataDir, 'log'), '--fields', 'city'],
    plain.environment,
  );
  assert.equal(code, 2);
  assert.match(stderr, /there is no location database: set WHENCE_LOCATION_DB to an MMDB file/);
});

for (const [behaviour, content, message] of [
  [
    'a file that is no database',
    'city,region\n',
    /broken\.mmdb: not a database in the MMDB format/,
  ],
  [
    'a file that does not exist',
    undefined,
    /WHENCE_LOCATION_DB names .*broken\.mmdb, which does not exist/,
  ],
] as const)
  test(`location: commands refuse ${behaviour}`, async () => {
    const path = join(folder.dataDir, 'broken.mmdb');
    rmSync(path, { force: true });
    if (content !== undefined) writeFileSync(path, content);
    const { code, stderr } = await runCommand(['ip', '--include', 'location', '8.8.8.8'], {
      ...folder.environment,
      WHENCE_LOCATION_DB: path,
    });
    assert.ok(code > 0, stderr);
    assert.match(stderr.replaceAll(/\s+/g, ' '), message);
  });

for (const format of ['csv', 'ndjson', 'mmdb', 'ipset'])
  test(`location: it is never exported as ${format}`, async () => {
    const { code, stderr } = await runCommand(
      ['dataset', 'export', '--format', format, '--include', 'location', '--output', '/nowhere'],
      environment,
    );
    assert.deepEqual([code, /location/.test(stderr)], [2, true]);
  });

test('location: the file of the setting is in no list of databases', async () => {
  const { secret: key } = await folder.createKey({ permissions: ['database:read'] });
  for (const path of ['/v1/databases/dbip-city-lite', '/v1/databases/cities']) {
    const response = await fetch(server.url + path, { headers: { 'X-API-Key': key } });
    assert.ok(response.status === 404 || response.status === 503, path);
  }
});

test('location: the page of an address in the dashboard has it, with the credit of its source', async () => {
  const { data } = await ask('/dashboard/api/lookup/ip/8.8.8.8');
  assert.deepEqual(data.location, MOUNTAIN_VIEW);
  assert.deepEqual(data.credits, ['none', 'IP Geolocation by DB-IP (https://db-ip.com)']);
});
