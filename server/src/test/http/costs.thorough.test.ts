/**
 * What the most expensive valid request of every route, tool and page costs, on the embedded dataset: processor time of
 * the thread that answers, and bytes. docs/costs.md has the table. A route without a row fails, and so does a row above the budget
 * of its class. The budgets are wide, because the time depends on the machine: what is found here is work without a bound.
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { copyEmbeddedDataset } from '@whence/testing/embedded-dataset';
import { type ScriptedDnsServer, startScriptedDnsServer } from '@whence/testing/servers/scripted-dns-server';
import { until } from '@whence/testing/until';
import { TOOLS } from '../../api/mcp/tools.ts';
import { routes } from '../../dashboard/wire/contract.ts';
import { PERMISSIONS } from '../../vocabulary.ts';
import { ServerProcess, TestFolder } from '../test-server.ts';

const folder = new TestFolder();
let server: ServerProcess;
let dns: ScriptedDnsServer;
let secret = '';
before(async () => {
  await copyEmbeddedDataset(folder.dataDir);
  dns = await startScriptedDnsServer({ 'example.com': { TXT: ['v=spf1 -all'] } });
  ({ secret } = await folder.createKey({ permissions: PERMISSIONS }));
  const rules = join(folder.dataDir, 'rules.json');
  writeFileSync(rules, manyRules());
  server = await ServerProcess.start(folder, {
    WHENCE_PUBLIC_LOOKUPS: 'on',
    WHENCE_TRUST_PROXY: '127.0.0.1',
    WHENCE_DNS_SERVERS: dns.address,
    WHENCE_RULES: rules,
  });
  await until('the databases are written', async () => (await ask('/v1/databases/whence')).status === 200);
  // Code is loaded and compiled by the first requests.
  for (let i = 0; i < 100; i++) await ask('/v1/ip/8.8.8.8?explain=true');
});
after(async () => {
  await server.stop();
  await dns.close();
  folder.remove();
});

/** Milliseconds of processor time and bytes that an answer may take. A class in slices is bounded by its walk. */
const BUDGETS = {
  lookup: { ms: 50, bytes: 64_000 },
  turn: { ms: 200, bytes: 1_000_000 },
  // A list has 18 bytes for each prefix.
  scan: { ms: 5_000, bytes: 8_000_000 },
  download: { ms: 2_000, bytes: 32_000_000 },
  email_check: { ms: 400, bytes: 64_000 },
  past_version: { ms: 100, bytes: 64_000 },
  comparison: { ms: 100, bytes: 64_000 },
  once: { ms: 2_000, bytes: 256_000 },
} as const;

/** A thousand rules that do not match. */
function manyRules(): string {
  const rules = Array.from({ length: 1_000 }, (_, i) => ({
    name: `rule-${i}`,
    if: {
      prefixes: Array.from({ length: 10 }, (_, j) => `10.${i % 256}.${j}.0/24`),
      countries: ['AQ'],
      min_score: 100,
    },
    // biome-ignore lint/suspicious/noThenProperty: the word of the file format
    then: 'deny',
  }));
  const lists = { homes: { connection_types: 'residential' } };
  return JSON.stringify({ sets: { default: { default: 'allow', rules } }, lists });
}

type Row = {
  /** As in the table of docs/costs.md. */
  readonly route: string;
  readonly cost: keyof typeof BUDGETS;
  readonly path: string;
  readonly body?: unknown;
};

/** The network with the most prefixes in the embedded dataset, and prefixes with many records. */
const LARGE = 4134;
const addresses = Array.from(
  { length: 1_000 },
  (_, i) => `${((i * 37) % 223) + 1}.${(i * 91) % 256}.${(i * 57) % 256}.1`,
);
const sections = ['routing', 'privacy', 'location'];
const tool = (name: string, given: object, cost: Row['cost']): Row => ({
  route: `tool ${name}`,
  cost,
  path: '/mcp',
  body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } },
});
const page = (name: keyof typeof routes, path: string, cost: Row['cost']): Row => ({
  route: `page ${name}`,
  cost,
  path,
});

const ROWS: readonly Row[] = [
  { route: '/v1/ip/:ip', cost: 'lookup', path: `/v1/ip/8.8.8.8?explain=true&include=${sections}` },
  { route: '/v1/ip/me', cost: 'lookup', path: '/v1/ip/me?explain=true' },
  { route: '/v1/ip/:ip/history', cost: 'past_version', path: '/v1/ip/8.8.8.8/history' },
  { route: '/v1/ip/batch', cost: 'turn', path: '/v1/ip/batch', body: { ips: addresses, include: sections } },
  { route: '/v1/asn/:asn', cost: 'scan', path: `/v1/asn/${LARGE}?include_prefixes=true&include=routing` },
  { route: '/v1/asn/search', cost: 'lookup', path: '/v1/asn/search?q=e&limit=100' },
  {
    route: '/v1/email/domain/:domain/dns',
    cost: 'email_check',
    path: '/v1/email/domain/example.com/dns?include=transport,networks',
  },
  {
    route: '/v1/email/domain/:domain/try',
    cost: 'email_check',
    path: '/v1/email/domain/example.com/try',
    body: { zone: '@ TXT "v=spf1 ip4:192.0.2.0/24 -all"\n_dmarc TXT "v=DMARC1; p=reject"' },
  },
  { route: '/v1/decide', cost: 'lookup', path: '/v1/decide?ip=8.8.8.8&path=/login&explain=true' },
  { route: '/v1/databases', cost: 'lookup', path: '/v1/databases' },
  { route: '/v1/databases/:name', cost: 'download', path: '/v1/databases/whence' },
  { route: '/v1/lists/:list', cost: 'scan', path: '/v1/lists/homes.txt' },
  { route: '/v1/dataset', cost: 'lookup', path: '/v1/dataset' },
  { route: '/v1/dataset/diff', cost: 'comparison', path: '/v1/dataset/diff?from=1&to=1' },
  { route: '/openapi.json', cost: 'once', path: '/openapi.json' },
  { route: '/ip', cost: 'lookup', path: '/ip' },
  tool('address', { ip: '8.8.8.8', explain: true, include: sections }, 'lookup'),
  tool('batch', { ips: addresses, include: sections }, 'turn'),
  tool('network', { asn: LARGE, prefixes: 1_000 }, 'turn'),
  tool('search', { query: 'e', limit: 100 }, 'lookup'),
  tool('domain', { domain: 'example.com', include: ['transport', 'networks'], explain: true }, 'email_check'),
  tool('dataset', { explain: true }, 'turn'),
  page('lookUpIp', '/dashboard/api/lookup/ip/8.8.8.8', 'lookup'),
  page('lookUpHostname', '/dashboard/api/lookup/ip/8.8.8.8/hostname', 'lookup'),
  page('lookUpPrefix', '/dashboard/api/lookup/prefix/2001::/16', 'scan'),
  page('lookUpAsn', `/dashboard/api/lookup/asn/${LARGE}`, 'scan'),
  page('searchAsn', '/dashboard/api/lookup/asn?q=e&limit=100', 'lookup'),
  page('checkDomain', '/dashboard/api/lookup/domain/example.com?include=transport,networks', 'email_check'),
  // Last: its first request prepares other prefixes in the background.
  { route: '/v1/prefix/:cidr', cost: 'scan', path: '/v1/prefix/0.0.0.0/0' },
];

let clients = 0;
async function ask(path: string, body?: unknown): Promise<{ status: number; bytes: number }> {
  const response = await fetch(`${server.url}${path}`, {
    headers: {
      'X-API-Key': secret,
      'Content-Type': 'application/json',
      // Pages without an account are limited by client.
      'X-Forwarded-For': `198.18.${clients >> 8}.${clients++ & 255}`,
    },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  });
  return { status: response.status, bytes: (await response.arrayBuffer()).byteLength };
}

/** Processor time of the thread that answers, of which requests take milliseconds. */
function cpuMs(): number {
  const { pid } = server.child;
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
}

for (const { route, cost, path, body } of ROWS)
  test(`costs: ${route} stays within its class, ${cost}`, async () => {
    const { ms, bytes: maxBytes } = BUDGETS[cost];
    const startMs = cpuMs();
    const first = await ask(path, body);
    const firstMs = cpuMs() - startMs;
    // A comparison that a machine under load does not finish in time is ended.
    const statuses = cost === 'comparison' ? [200, 503] : [200, 404];
    assert.ok(statuses.includes(first.status), `${first.status}`);
    assert.ok(firstMs <= ms, `${firstMs} ms of processor time`);
    assert.ok(first.bytes <= maxBytes, `${first.bytes} bytes`);
    const documented = documentedRows().get(route);
    assert.ok(documented, `docs/costs.md has no row for ${route}`);
    assert.equal(documented.cost, cost);
    // The dataset changes with releases.
    assert.ok(first.bytes <= documented.bytes * 1.5 + 500, `${first.bytes} bytes, documented ${documented.bytes}`);
  });

/** What people without an account or with the role of a viewer may ask of the dataset and of others. */
const ELSEWHERE = ['lookUpRegistration', 'lookUpHistory', 'tryDomain', 'lookUpBatch'];

test('costs: every route of the API, tool and page of lookups has a row', async () => {
  const { paths } = (await (await fetch(`${server.url}/openapi.json`)).json()) as { paths: Record<string, object> };
  const known = new Set(ROWS.map(({ route }) => route));
  const isFree = (path: string) => ['/healthz', '/readyz'].includes(path);
  const expected = [
    ...Object.keys(paths)
      .filter((path) => !isFree(path))
      .map((path) => path.replace(/\{(\w+)\}/g, ':$1')),
    ...TOOLS.map(({ name }) => `tool ${name}`),
    ...Object.entries(routes)
      .filter(([name, { path }]) => path.includes('/lookup/') && !ELSEWHERE.includes(name))
      .map(([name]) => `page ${name}`),
  ];
  assert.deepEqual(
    expected.filter((route) => !known.has(route)),
    [],
  );
  assert.deepEqual([...documentedRows().keys()].sort(), [...known].sort());
});

function documentedRows(): Map<string, { cost: string; bytes: number }> {
  const text = readFileSync(join(import.meta.dirname, '../../../../docs/costs.md'), 'utf8');
  const rows = [...text.matchAll(/^\| `([^`]+)` \|[^|]*\| (\w+) \| [^|]* \| ([\d,]+) \|/gm)];
  return new Map(
    rows.map(([, route = '', cost = '', bytes = '']) => [route, { cost, bytes: Number(bytes.replaceAll(',', '')) }]),
  );
}
