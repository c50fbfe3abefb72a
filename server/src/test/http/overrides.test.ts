/**
 * The operator's overrides in every answer: own networks in private space, labels, and a file that
 * changes under load.
 */
import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import type { Evidence } from '@whence/dataset/record';
import { until } from '@whence/testing/until';
import type { Routing } from '../../address/routing/routing.ts';
import { runCommand } from '../run-command.ts';
import { SAMPLE, startInProcess, TestFolder } from '../test-server.ts';

const OVERRIDES = {
  deny: [{ prefix: '8.8.8.8', reason: 'a test' }],
  relabel: [
    { prefix: '8.8.8.0/25', labels: ['resolver'] },
    { asn: 64500, connection_type: 'education', labels: ['customer'] },
  ],
  networks: [
    {
      prefix: '10.0.0.0/8',
      asn: 64512,
      asn_name: 'Intranet',
      country: 'DE',
      labels: ['office', 'Zürich'],
    },
    { prefix: '100.64.0.0/10', asn: 64512, country: 'DE' },
    { prefix: 'fd00:20::/32', asn: 64512, connection_type: 'datacenter' },
    { prefix: '3.1.0.0/16', asn: 64513, asn_name: 'Our Cloud' },
    { prefix: '9.0.9.0/24', asn: 22394, asn_name: 'Pocket phones' },
  ],
};
const folder = new TestFolder();
const path = join(folder.dataDir, 'overrides.json');
const servers: Awaited<ReturnType<typeof startInProcess>>[] = [];
let key = '';
const write = (overrides: object | string) =>
  writeFileSync(
    path,
    typeof overrides === 'string' ? overrides : JSON.stringify(overrides, null, 2),
  );

before(async () => {
  folder.publish();
  write(OVERRIDES);
  key = (await folder.createKey()).secret;
  for (let i = 0; i < 2; i++) servers.push(await startInProcess(folder));
});
after(async () => {
  for (const server of servers) await server.close();
  folder.remove();
});

async function get(target: string, server = 0) {
  const response = await fetch(`${servers[server]?.url}${target}`, {
    headers: { 'X-API-Key': key },
  });
  const { data } = (await response.json()) as { data: Record<string, unknown> };
  return { status: response.status, data };
}

async function batch(ips: readonly string[], include: readonly string[] = []) {
  const response = await fetch(`${servers[0]?.url}/v1/ip/batch`, {
    method: 'POST',
    headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
    body: JSON.stringify({ ips, ...(include.length > 0 && { include }) }),
  });
  return ((await response.json()) as { data: Record<string, unknown> }).data;
}

const NO_FLAGS = {
  is_datacenter: false,
  is_tor_exit: false,
  is_proxy: false,
  is_vpn: false,
  is_residential: false,
  is_mobile: false,
  is_ai_crawler: false,
};
const INTRANET = { asn: 64512, asn_name: 'Intranet', threat: { score: 0, level: 'low' } };

for (const [behaviour, ip, want] of [
  [
    'an own network in private space has no registry',
    '10.1.2.3',
    {
      prefix: '10.0.0.0/8',
      ...INTRANET,
      country: 'DE',
      connection_type: 'business',
      detection: NO_FLAGS,
    },
  ],
  [
    'the same of IPv6',
    'fd00:20::7',
    {
      prefix: 'fd00:20::/32',
      ...INTRANET,
      country: 'ZZ',
      connection_type: 'datacenter',
      detection: { ...NO_FLAGS, is_datacenter: true },
    },
  ],
  ['shared address space', '100.64.0.1', { prefix: '100.64.0.0/10', ...INTRANET, country: 'DE' }],
  [
    'an own network keeps what else is known',
    '3.1.0.1',
    { prefix: '3.1.0.0/16', asn: 64513, country: 'US', rir: 'ARIN' },
  ],
  [
    'a network that is relabelled',
    '1.0.0.1',
    { prefix: '1.0.0.0/16', connection_type: 'education' },
  ],
  [
    'a denied address',
    '8.8.8.8',
    {
      threat: {
        score: 100,
        level: 'critical',
        explanation: [`denied (overrides, ${today()}): +100: a test`],
      },
    },
  ],
  ['its neighbour', '8.8.8.9', { threat: { score: 0, level: 'low' } }],
] as const)
  test(`overrides: ${behaviour}, alone and in a batch`, async () => {
    const { status, data } = await get(`/v1/ip/${ip}`);
    assert.equal(status, 200);
    assert.deepEqual({ ...data, ...want }, data);
    if (!('rir' in want) && 'detection' in want) assert.ok(!('rir' in data));
    assert.deepEqual((await batch([ip]))[ip], data);
    // The second time the record comes from the cache.
    assert.deepEqual((await get(`/v1/ip/${ip}`)).data, data);
  });

for (const [behaviour, ip, want] of [
  ['an own network without a type is assumed', '10.1.2.3', ['business', 'assumed']],
  ['one with a type is not', 'fd00:20::7', ['datacenter', 'table']],
] as const)
  test(`overrides: ${behaviour}, and the evidence says so`, async () => {
    const { data } = await get(`/v1/ip/${ip}?explain=true&include=routing`);
    const rows = (data['evidence'] as Evidence[]).filter(({ field }) =>
      field.startsWith('connection_type'),
    );
    assert.deepEqual(
      rows.map(({ value, source }) => [value, source]),
      want.map((value) => [value, 'overrides']),
    );
    assert.equal((data['routing'] as Routing).connection_type_source, want[1]);
  });

test('overrides: labels are there where they are asked for', async () => {
  const asked = {
    '10.1.2.3': ['office', 'Zürich'],
    '8.8.8.8': ['resolver'],
    '8.8.8.200': undefined,
    '1.0.0.1': ['customer'],
  };
  const answers = await batch(Object.keys(asked), ['labels']);
  for (const [ip, labels] of Object.entries(asked)) {
    assert.deepEqual((await get(`/v1/ip/${ip}?include=labels`)).data['labels'], labels);
    assert.deepEqual((answers[ip] as { labels?: string[] }).labels, labels);
    assert.equal((await get(`/v1/ip/${ip}`)).data['labels'], undefined);
  }
});

test('overrides: the evidence, the network and its prefixes', async () => {
  const { data } = await get('/v1/ip/10.1.2.3?explain=true');
  const evidence = data['evidence'] as {
    field: string;
    source: string;
    prefix: string;
    as_of: string;
  }[];
  assert.deepEqual([...new Set(evidence.map(({ source }) => source))], ['overrides']);
  assert.deepEqual(
    evidence.filter(({ field }) => field === 'asn'),
    [{ field: 'asn', value: 64512, source: 'overrides', prefix: '10.0.0.0/8', as_of: today() }],
  );
  const network = (await get('/v1/asn/64512?include_prefixes=true')).data;
  assert.deepEqual(network['prefixes'], {
    ipv4: ['10.0.0.0/8', '100.64.0.0/10'],
    ipv6: ['fd00:20::/32'],
  });
  const parts = (await get('/v1/prefix/10.0.0.0/7')).data['parts'] as {
    prefix: string;
    asn: number;
  }[];
  assert.deepEqual(
    parts.map(({ prefix, asn }) => [prefix, asn]),
    [['10.0.0.0/8', 64512]],
  );
});

for (const [behaviour, q, asns] of [
  ['an own network is found by its name', 'intranet', [64512]],
  ['by a part of it', 'tran', [64512]],
  ['by two letters, among results of the file that are prepared', 'in', [64512, 16509]],
  ['by its number', 'AS64512', [64512]],
  ['by a word that is not the first', 'cloud', [64513]],
  ['a network of the file by the name that it has for some addresses', 'pocket', [22394]],
  ['and by its own', 'verizon', [22394]],
] as const)
  test(`overrides: search: ${behaviour}`, async () => {
    const { data } = await get(`/v1/asn/search?q=${q}`);
    assert.deepEqual(
      (data['results'] as { asn: number }[]).map(({ asn }) => asn),
      asns,
    );
    assert.equal(data['total'], asns.length);
  });

test('overrides: commands have them, too', async () => {
  const { environment } = folder;
  const found = await runCommand(['asn', 'search', 'intranet'], environment);
  assert.match(found.stdout, /AS64512 .*Intranet\n1 of 1 networks\n/);
  const shown = await runCommand(['ip', '10.1.2.3', '--include', 'labels'], environment);
  assert.match(shown.stdout, /network +AS64512 Intranet\n.*country +DE\n +connection +business\n/s);
  assert.match(shown.stdout, /labels +office; Zürich\n/);
  const log = join(folder.dataDir, 'a.log');
  writeFileSync(log, '10.1.2.3\nfd00:20::7\n8.8.8.9\n');
  const enriched = await runCommand(['enrich', log, '--fields', 'asn,labels'], environment);
  assert.equal(
    enriched.stdout,
    `10.1.2.3\t{"asn":64512,"labels":"office; Z\\u00fcrich"}\nfd00:20::7\t{"asn":64512}\n8.8.8.9\t{"asn":15169,"labels":"resolver"}\n`,
  );
  const csv = join(folder.dataDir, 'a.csv');
  await runCommand(
    ['dataset', 'export', '--format', 'csv', '--include', 'labels', '--output', csv],
    environment,
  );
  const rows = readFileSync(csv, 'utf8').split('\n');
  const row = (network: string) => rows.find((line) => line.startsWith(`${network},`));
  assert.match(
    row('10.0.0.0/8') ?? '',
    /^10\.0\.0\.0\/8,10\.0\.0\.0\/8,64512,Intranet,DE,,business,.*,office; Zürich$/,
  );
  assert.match(
    row('fd00:20::/32') ?? '',
    /^fd00:20::\/32,fd00:20::\/32,64512,Intranet,ZZ,,datacenter,/,
  );
  assert.match(row('8.8.8.8/32') ?? '', /,100,critical,resolver$/);
  assert.match(row('8.8.8.128/25') ?? '', /,0,,$/);
  const summary = await runCommand(['summarize', log, '--json'], environment);
  assert.match(summary.stdout, /Intranet/);
});

test('overrides: a changed file is used by every process while it answers, and an invalid one is not', async () => {
  const asnOf = async (server: number) => (await get('/v1/ip/10.1.2.3', server)).data['asn'];
  const readiness = async (server: number) =>
    ((await get('/readyz', server)).data as { checks: Record<string, string> }).checks['overrides'];
  let isOver = false;
  const seen = new Set<unknown>();
  const load = Promise.all(
    servers.map(async (_, server) => {
      while (!isOver) {
        const { status, data } = await get('/v1/ip/10.1.2.3', server);
        seen.add(status === 200 ? `${data['asn']} ${data['asn_name']}` : status);
      }
    }),
  );
  after(() => {
    isOver = true;
  });
  write({ networks: [{ prefix: '10.1.0.0/16', asn: 64599, asn_name: 'Another' }] });
  for (const server of [0, 1])
    await until('it is used', async () => (await asnOf(server)) === 64599);
  write('{\n  "networks": [\n    { "prefix": "10.1.0.0/16" }\n  ]\n}');
  for (const server of [0, 1]) {
    await until('it is refused', async () => (await readiness(server)) === 'refused');
    assert.equal(servers[server]?.metrics().gauges['whence_overrides_refused'], 1);
    assert.equal(await asnOf(server), 64599, 'the one before it stays');
  }
  rmSync(path);
  for (const server of [0, 1])
    await until(
      'without it there are none',
      async () => (await get('/v1/ip/10.1.2.3', server)).status === 404,
    );
  write(OVERRIDES);
  for (const server of [0, 1])
    await until('it is used again', async () => (await asnOf(server)) === 64512);
  assert.equal(await readiness(0), undefined);
  folder.publish({ ...SAMPLE, routes: SAMPLE.routes.slice(0, 4) });
  await until('a new version has them', async () => {
    const response = await fetch(`${servers[0]?.url}/v1/ip/10.1.2.3`, {
      headers: { 'X-API-Key': key },
    });
    return (
      ((await response.json()) as { meta: { dataset_version: number } }).meta.dataset_version === 2
    );
  });
  assert.equal(await asnOf(0), 64512);
  isOver = true;
  await load;
  assert.deepEqual([...seen].sort(), [404, '64512 Intranet', '64599 Another']);
});

test('overrides: a command says which line of the file is wrong', async () => {
  const dataDir = folder.dataDir;
  const wrong = join(dataDir, 'wrong.json');
  writeFileSync(wrong, '{\n  "deny": [\n    { "prefx": "192.0.2.1" }\n  ]\n}');
  const { code, stderr } = await runCommand(['ip', '8.8.8.8'], {
    ...folder.environment,
    WHENCE_OVERRIDES: wrong,
  });
  assert.equal(code, 2);
  assert.match(stderr, /wrong\.json: overrides: line 3: deny\[0\] has an unknown field prefx/);
  const missing = await runCommand(['ip', '8.8.8.8'], {
    ...folder.environment,
    WHENCE_OVERRIDES: '/nowhere/o.json',
  });
  assert.equal(missing.code, 2);
  assert.match(missing.stderr, /WHENCE_OVERRIDES names \/nowhere\/o\.json/);
});

function today(): string {
  return new Date().toISOString().slice(0, 10);
}
