/** Locations, anycast and exchanges: in answers, on the command line, in enriched logs and in exports. */
import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { createClient } from '@whence/client';
import type { SupplementSample } from '@whence/dataset/internal/test/sample-supplement';
import { readManifest, supplementPath } from '@whence/dataset/internal/versions/publish';
import { until } from '@whence/testing/until';
import { Reader, type Response } from 'maxmind';
import { NO_DUCKDB, queryDuckdb } from '../packages/duckdb-engine.ts';
import { runCommand } from '../run-command.ts';
import { SAMPLE, startInProcess, TestFolder } from '../test-server.ts';

const SUPPLEMENT: SupplementSample = {
  locations: [
    '8.8.8.0,8.8.8.127,US,California,Mountain View,37.4224,-122.085',
    '8.8.8.128,8.8.8.191,US,"New York, State",,,',
    '8.8.8.192,8.8.8.255,GB,England,London,51.5,-0.1',
    '3.0.5.0,3.0.5.255,US,,Seattle,47.6,-122.3',
    '2001:4860::,2001:4860:ffff:ffff:ffff:ffff:ffff:ffff,US,,Zürich,47.37,8.54',
  ],
  anycast: ['3.0.5.0/24'],
  exchanges: [
    ['9.0.0.0/24', 'Example "IX"'],
    ['80.249.208.0/21', 'Unannounced IX'],
  ],
};
const AS_OF = { source: 'dbip-city-lite', as_of: '2026-11-01' };
const MOUNTAIN_VIEW = { city: 'Mountain View', region: 'California', latitude: 37.4224, longitude: -122.085, ...AS_OF };

const folder = new TestFolder();
const plain = new TestFolder();
let server: Awaited<ReturnType<typeof startInProcess>>;
let secret = '';
before(async () => {
  plain.publish();
  folder.publish(SAMPLE, SUPPLEMENT);
  server = await startInProcess(folder, undefined, { WHENCE_PUBLIC_LOOKUPS: 'on' });
  ({ secret } = await folder.createKey());
});
after(async () => {
  await server.close();
  folder.remove();
  plain.remove();
});

async function ask(path: string, body?: unknown) {
  const response = await fetch(server.url + path, {
    headers: { 'X-API-Key': secret, ...(body !== undefined && { 'Content-Type': 'application/json' }) },
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  });
  return { status: response.status, ...JSON.parse(await response.text()) };
}

for (const [behaviour, include, ip, want] of [
  ['city, region and coordinates', 'location', '8.8.8.8', { location: MOUNTAIN_VIEW }],
  ['a region only', 'location', '8.8.8.130', { location: { region: 'New York, State', ...AS_OF } }],
  ['a place in another country than the record is absent', 'location', '8.8.8.200', {}],
  ['IPv6', 'location', '2001:4860::1', { location: { city: 'Zürich', latitude: 47.37, longitude: 8.54, ...AS_OF } }],
  ['an address without a location', 'location', '3.0.0.1', {}],
  [
    'routing of an anycast prefix',
    'routing',
    '3.0.5.1',
    {
      routing: {
        ...{ origins: [{ asn: 16509, asn_name: 'Amazon.com, Inc.' }], connection_type_source: 'table' },
        is_anycast: true,
      },
    },
  ],
  ['an anycast address is in many places', 'location', '3.0.5.1', {}],
  [
    'routing of a peering LAN',
    'routing',
    '9.0.0.1',
    {
      routing: {
        ...{ origins: [{ asn: 22394, asn_name: 'Verizon Wireless' }], connection_type_source: 'table' },
        exchange: 'Example "IX"',
      },
    },
  ],
] as const) {
  test(`location: ${behaviour}`, async () => {
    const { status, data } = await ask(`/v1/ip/${ip}?include=${include}`);
    const { data: record } = await ask(`/v1/ip/${ip}`);
    assert.deepEqual([status, data], [200, { ...record, ...want }]);
    const { data: batch } = await ask('/v1/ip/batch', { ips: [ip], include: [include] });
    assert.deepEqual(batch[ip], data);
  });
}

test('location: a peering LAN that no network announces is answered where routing asks, alone and in a batch', async () => {
  const ip = '80.249.208.1';
  const want = { ip, routing: { origins: [], exchange: 'Unannounced IX' } };
  const single = await ask(`/v1/ip/${ip}?include=routing`);
  assert.deepEqual([single.status, single.data], [200, want]);
  const { data } = await ask('/v1/ip/batch', { ips: [ip, '80.250.0.1'], include: ['routing'] });
  assert.deepEqual([data[ip], data['80.250.0.1'].code], [want, 'NOT_FOUND']);
  for (const query of ['', '?include=location']) assert.equal((await ask(`/v1/ip/${ip}${query}`)).status, 404);
  const argv = ['ip', ip, '--include', 'routing'];
  const remote = { WHENCE_URL: server.url, WHENCE_KEY: secret };
  for (const environment of [folder.environment, { WHENCE_DATA_DIR: '/nonexistent', ...remote }]) {
    const shown = await runCommand(argv, environment);
    assert.deepEqual([shown.code, /exchange +Unannounced IX\n/.test(shown.stdout)], [0, true]);
    assert.deepEqual(JSON.parse((await runCommand([...argv, '--json'], environment)).stdout), want);
    assert.equal((await runCommand(['ip', ip, '--fields', 'asn,exchange'], environment)).stdout, '\tUnannounced IX\n');
  }
});

test('location: several sections in a batch', async () => {
  const include = ['location', 'privacy', 'routing'];
  const { data: batch } = await ask('/v1/ip/batch', { ips: ['8.8.8.8', '8.8.8.9', '8.8.8.200', '1.0.9.9'], include });
  for (const ip of ['8.8.8.8', '8.8.8.9', '8.8.8.200', '1.0.9.9'])
    assert.deepEqual(batch[ip], (await ask(`/v1/ip/${ip}?include=${include}`)).data);
});

test('location: the client asks for it', async () => {
  const client = createClient({ baseUrl: server.url, apiKey: secret });
  assert.deepEqual((await client.ip('8.8.8.8', { include: ['location'] })).data.location, MOUNTAIN_VIEW);
});

test('location: the sources of locations are sources of the dataset', async () => {
  const { data } = await ask('/v1/dataset');
  const ids = data.sources.map(({ id }: { id: string }) => id);
  assert.deepEqual(ids.slice(-4), ['dbip-city-lite', 'anycast', 'peeringdb-ix', 'peeringdb-ixpfx']);
});

test('location: it is swapped together with the dataset', async () => {
  const own = new TestFolder();
  own.publish(SAMPLE, SUPPLEMENT);
  const { secret: key } = await own.createKey();
  const running = await startInProcess(own);
  try {
    const look = async () => {
      const response = await fetch(`${running.url}/v1/ip/8.8.8.8?include=location`, { headers: { 'X-API-Key': key } });
      const { data, meta } = JSON.parse(await response.text());
      return [meta.dataset_version, data.location?.city];
    };
    assert.deepEqual(await look(), [1, 'Mountain View']);
    own.publish(SAMPLE, { locations: ['8.8.8.0,8.8.8.255,US,,Boston,,'] });
    await until('version 2', async () => (await look())[0] === 2);
    assert.deepEqual(await look(), [2, 'Boston']);
    own.publish();
    await until('version 3', async () => (await look())[0] === 3);
    assert.deepEqual(await look(), [3, undefined]);
  } finally {
    await running.close();
    own.remove();
  }
});

test('location: a supplement of another version is not served, and the version is', async () => {
  const own = new TestFolder();
  own.publish(SAMPLE, SUPPLEMENT);
  own.publish(SAMPLE, { locations: ['8.8.8.0,8.8.8.255,US,,Boston,,'] });
  const paths = (readManifest(own.dataDir)?.versions ?? []).flatMap(({ supplement }) =>
    supplement === undefined ? [] : [supplementPath(own.dataDir, supplement)],
  );
  assert.equal(paths.length, 2);
  writeFileSync(paths[1] as string, readFileSync(paths[0] as string));
  const { secret: key } = await own.createKey();
  const running = await startInProcess(own);
  try {
    const response = await fetch(`${running.url}/v1/ip/8.8.8.8?include=location`, { headers: { 'X-API-Key': key } });
    const { data, meta } = JSON.parse(await response.text());
    assert.deepEqual([response.status, meta.dataset_version, data.location], [200, 2, undefined]);
    const { code, stdout } = await runCommand(['dataset', 'verify', '2'], own.environment);
    assert.deepEqual([code, /not the file that was published/.test(stdout)], [1, true]);
  } finally {
    await running.close();
    own.remove();
  }
});

test('location: a version with the same content and another supplement is a new one', () => {
  const own = new TestFolder();
  const first = own.publish(SAMPLE, SUPPLEMENT);
  assert.deepEqual(
    [first, own.publish(SAMPLE, SUPPLEMENT), own.publish(SAMPLE, { anycast: ['3.0.0.0/24'] }), own.publish(SAMPLE)],
    [1, 1, 2, 3],
  );
  own.remove();
});

test('location: a supplement that was lost is written again', () => {
  const own = new TestFolder();
  own.publish(SAMPLE, SUPPLEMENT);
  const [entry] = readManifest(own.dataDir)?.versions ?? [];
  assert.ok(entry?.supplement);
  rmSync(supplementPath(own.dataDir, entry.supplement));
  assert.equal(own.publish(SAMPLE, SUPPLEMENT), 2);
  own.remove();
});

test('location: wh ip --include', async () => {
  const { stdout } = await runCommand(
    ['ip', '--include', 'location,routing', '8.8.8.8', '9.0.0.1', '3.0.5.1'],
    folder.environment,
  );
  assert.match(stdout, /location +Mountain View; California; 37\.4224, -122\.085 \(dbip-city-lite,\s+2026-11-01\)\n/);
  assert.match(stdout, /anycast\n/);
  assert.match(stdout, /exchange +Example "IX"\n/);
  const without = await runCommand(['ip', '--json', '--include', 'location', '8.8.8.8'], plain.environment);
  assert.deepEqual([without.code, 'location' in JSON.parse(without.stdout)], [0, false]);
});

test('location: wh dataset list names the supplement and its sources', async () => {
  const { stdout } = await runCommand(['dataset', 'list'], folder.environment);
  assert.match(stdout, /dbip-city-lite +2026-11-01/);
  assert.match(stdout, /supplement \(locations, anycast, exchanges\): 0\.\d MB\n/);
  const without = await runCommand(['dataset', 'list'], plain.environment);
  assert.match(without.stdout, /supplement \(locations, anycast, exchanges\): none; see docs\/address\.md\n/);
});

async function enrich(text: string, name: string, ...options: string[]) {
  const path = join(folder.dataDir, name);
  writeFileSync(path, text);
  return runCommand(['enrich', path, ...options], folder.environment);
}

const LOG = 'a 8.8.8.8\nb 8.8.8.130\nc 3.0.0.1\nd 2001:4860::1\n';
for (const jobs of ['1', '2']) {
  test(`location: enrich adds its fields with ${jobs} job(s)`, async () => {
    const { stdout } = await enrich(LOG, 'log', '--fields', 'city,region,asn,latitude,longitude', '--jobs', jobs);
    assert.deepEqual(stdout.trimEnd().split('\n'), [
      'a 8.8.8.8\t{"city":"Mountain View","region":"California","asn":15169,"latitude":37.4224,"longitude":-122.085}',
      'b 8.8.8.130\t{"region":"New York, State","asn":15169}',
      'c 3.0.0.1\t{"asn":16509}',
      'd 2001:4860::1\t{"city":"Z\\u00fcrich","asn":15169,"latitude":47.37,"longitude":8.54}',
    ]);
  });
}

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

test('location: enrich and export say what is missing where a version has none', async () => {
  for (const argv of [
    ['enrich', join(folder.dataDir, 'log'), '--fields', 'city'],
    ['dataset', 'export', '--format', 'csv', '--include', 'location'],
  ]) {
    const { code, stderr } = await runCommand(argv, plain.environment);
    assert.equal(code, 1);
    assert.match(stderr, /has no locations: enable a feed that has them, such as dbip-city-lite, in WHENCE_FEEDS/);
  }
  const wrong = await runCommand(
    ['dataset', 'export', '--format', 'ipset', '--include', 'location'],
    folder.environment,
  );
  assert.deepEqual([wrong.code, /--include applies only to mmdb, csv, parquet, ndjson/.test(wrong.stderr)], [2, true]);
});

test('location: in CSV and NDJSON exports, networks are divided by place', async () => {
  const csv = await runCommand(
    ['dataset', 'export', '--format', 'csv', '--include', 'location', '--asn', '15169'],
    folder.environment,
  );
  const [header = '', ...rows] = csv.stdout.trimEnd().split('\n');
  assert.ok(header.endsWith(',threat_level,city,region,latitude,longitude'));
  assert.deepEqual(
    rows.map((row) => [row.split(',')[0], row.replace(/^.*,low,/, '')]),
    [
      ['8.8.8.0/25', 'Mountain View,California,37.4224,-122.085'],
      ['8.8.8.128/26', ',"New York, State",,'],
      ['8.8.8.192/26', ',,,'],
      ['2001:4860::/32', 'Zürich,,47.37,8.54'],
    ],
  );
  const ndjson = await runCommand(
    ['dataset', 'export', '--format', 'ndjson', '--include', 'location', '--asn', '15169'],
    folder.environment,
  );
  assert.deepEqual(
    ndjson.stdout
      .trimEnd()
      .split('\n')
      .map((line) => {
        const { city, region, latitude, longitude } = JSON.parse(line);
        return [city, region, latitude, longitude];
      }),
    [
      ['Mountain View', 'California', 37.4224, -122.085],
      [undefined, 'New York, State', undefined, undefined],
      [undefined, undefined, undefined, undefined],
      ['Zürich', undefined, 47.37, 8.54],
    ],
  );
});

test('location: in MMDB and Parquet exports, with the credits of its source', { skip: NO_DUCKDB }, async () => {
  const mmdb = join(folder.dataDir, 'whence.mmdb');
  await runCommand(
    ['dataset', 'export', '--format', 'mmdb', '--include', 'location', '--output', mmdb],
    folder.environment,
  );
  const reader = new Reader<Response>(readFileSync(mmdb));
  const at = reader.get('8.8.8.8') as unknown as Record<string, unknown>;
  assert.deepEqual(
    [at['city'], at['subdivisions'], at['location']],
    [{ names: { en: 'Mountain View' } }, [{ names: { en: 'California' } }], { latitude: 37.4224, longitude: -122.085 }],
  );
  const elsewhere = reader.get('3.0.0.1') as unknown as Record<string, unknown>;
  assert.deepEqual(
    ['city', 'subdivisions', 'location'].filter((name) => name in elsewhere),
    [],
  );
  assert.match(readFileSync(`${mmdb}.NOTICE`, 'utf8'), /- dbip-city-lite, as of 2026-11-01/);

  const parquet = join(folder.dataDir, 'whence.parquet');
  const argv = ['dataset', 'export', '--format', 'parquet', '--include', 'location', '--output', parquet];
  await runCommand(argv, folder.environment);
  const columns = 'city, region, latitude, longitude';
  const found = await queryDuckdb(`SELECT ${columns} FROM '${parquet}' WHERE network = '8.8.8.0/25'`);
  assert.deepEqual(found, [['Mountain View', 'California', 37.4224, -122.085]]);
  assert.match(readFileSync(`${parquet}.NOTICE`, 'utf8'), /- dbip-city-lite, as of 2026-11-01/);
});

test('location: the page of an address in the dashboard has it, with the credit of its source', async () => {
  const { data } = await ask('/dashboard/api/lookup/ip/8.8.8.8');
  assert.deepEqual(data.location, MOUNTAIN_VIEW);
  const anycast = await ask('/dashboard/api/lookup/ip/3.0.5.1');
  assert.deepEqual([anycast.data.routing.is_anycast, anycast.data.location], [true, undefined]);
  // Credits of the dataset, and of the second file.
  assert.deepEqual(data.credits, ['none', 'none']);
});
