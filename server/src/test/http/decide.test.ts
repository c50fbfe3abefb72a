import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { createClient } from '@whence/client';
import { until } from '@whence/testing/until';
import { startInProcess, TestFolder } from '../test-server.ts';
import { RawConnection } from './raw-connection.ts';
import { parseAnswers } from './raw-http.ts';

const RULES = `
sets:
  default:
    default: allow
    rules:
      - { name: crawlers, if: { flags: ai_crawler }, then: deny, status: 451, text: No crawlers. }
      - { name: login, if: { hosts: app.example.com, paths: /login, methods: POST, countries: US }, then: deny }
  watched: { mode: observe, default: deny }
`;
const folder = new TestFolder();
const files = mkdtempSync(join(tmpdir(), 'whence-rules-'));
const path = join(files, 'rules.yaml');
const servers: Awaited<ReturnType<typeof startInProcess>>[] = [];
let key = '';

/** The second one trusts the proxy on 127.0.0.1. */
before(async () => {
  folder.publish();
  writeFileSync(path, RULES);
  key = (await folder.createKey({ permissions: ['decide:read'] })).secret;
  for (const proxies of ['', '127.0.0.1'])
    servers.push(await startInProcess(folder, undefined, { WHENCE_RULES: path, WHENCE_TRUST_PROXY: proxies }));
});

after(async () => {
  for (const server of servers) await server.close();
  folder.remove();
  rmSync(files, { recursive: true });
});

async function ask(query: string, headers: Record<string, string> = {}, server = 0) {
  const response = await fetch(`${servers[server]?.url}/v1/decide?${query}`, {
    headers: { 'X-API-Key': key, ...headers },
  });
  const whence = Object.fromEntries([...response.headers].filter(([name]) => name.startsWith('x-whence-')));
  return { status: response.status, whence, text: await response.text() };
}

for (const [behaviour, query, parameter] of [
  ['the address', 'ip=8.8.8.8&path=/x&ip=9.0.0.1', 'ip'],
  ['the path, with explain', 'explain=true&ip=8.8.8.8&path=/login&path=/', 'path'],
] as const)
  test(`decide: a parameter that is there twice is refused: ${behaviour}`, async () => {
    const { status, text } = await ask(query);
    assert.deepEqual([status, JSON.parse(text).data.details], [400, { parameter, expected: 'once' }]);
  });

const OF_GOOGLE = {
  'x-whence-country': 'US',
  'x-whence-asn': '15169',
  'x-whence-type': 'datacenter',
  'x-whence-flags': 'datacenter',
  'x-whence-score': '0',
};

for (const [behaviour, query, expected] of [
  [
    'an allowed address',
    'ip=8.8.8.8',
    { status: 204, text: '', whence: { 'x-whence-decision': 'allow', ...OF_GOOGLE } },
  ],
  ['an address without a record', 'ip=9.9.9.9', { status: 204, text: '', whence: { 'x-whence-decision': 'allow' } }],
  ['the client, which is on this machine', '', { status: 204, text: '', whence: { 'x-whence-decision': 'allow' } }],
  [
    'a refused request',
    'ip=8.8.8.8&host=app.example.com&path=/x/../login&method=post',
    { status: 403, text: '', whence: { 'x-whence-decision': 'deny', 'x-whence-rule': 'login', ...OF_GOOGLE } },
  ],
  [
    'a set that observes',
    'ip=8.8.8.8&set=watched',
    { status: 204, text: '', whence: { 'x-whence-decision': 'observe', ...OF_GOOGLE } },
  ],
] as const)
  test(`decide: ${behaviour}`, async () => assert.deepEqual(await ask(query), expected));

test('decide: the status and the text of a rule', async () => {
  const { status, whence, text } = await ask('ip=3.0.0.17');
  assert.deepEqual([status, whence['x-whence-rule'], text], [451, 'crawlers', 'No crawlers.\n']);
});

for (const [query, status, code] of [
  ['ip=nonsense', 400, 'INVALID_IP'],
  ['ip=8.8.8.8&explain=maybe', 400, 'INVALID_QUERY'],
  ['ip=8.8.8.8&set=other', 404, 'RULE_SET_NOT_FOUND'],
] as const)
  test(`decide: ${query} is ${code}`, async () => {
    const answer = await ask(query);
    assert.deepEqual([answer.status, JSON.parse(answer.text).data.code, answer.whence], [status, code, {}]);
  });

test('decide: explain has the rule, what met its conditions, the record and its evidence', async () => {
  const { status, text } = await ask('ip=8.8.8.8&host=app.example.com&path=/login&method=POST&explain=true');
  const { decision, rule, matched, record, evidence } = JSON.parse(text).data;
  const met = { methods: 'POST', hosts: 'app.example.com', paths: '/login', countries: 'US' };
  assert.deepEqual([status, decision, rule, matched, record.asn], [200, 'deny', 'login', met, 15_169]);
  assert.ok(evidence.length > 0);
});

const FORWARDED = {
  'X-Forwarded-For': '8.8.8.8',
  'X-Forwarded-Host': 'app.example.com',
  'X-Forwarded-Uri': '/login',
  'X-Forwarded-Method': 'POST',
};
test('decide: forwarding headers are those of a trusted proxy only', async () => {
  const [stranger, proxy] = [await ask('', FORWARDED), await ask('', FORWARDED, 1)];
  assert.deepEqual([stranger.status, stranger.whence['x-whence-asn']], [204, undefined]);
  assert.deepEqual([proxy.status, proxy.whence['x-whence-rule']], [403, 'login']);
  // Values of the query are what the proxy chose to send.
  assert.equal((await ask('path=/', FORWARDED, 1)).status, 204);
});

/** Header fields by which programs name the client, the host, the path or the method of a request. */
const FORGED = [
  'X-Forwarded-For',
  'x-forwarded-for',
  'X_Forwarded_For',
  'X-Forwarded',
  'Forwarded-For',
  'X-Original-Forwarded-For',
  'X-Real-IP',
  'X-Client-IP',
  'X-Cluster-Client-IP',
  'X-Envoy-External-Address',
  'X-ProxyUser-IP',
  'X-Remote-Addr',
  'True-Client-IP',
  'CF-Connecting-IP',
  'CF-Connecting-IPv6',
  'Fastly-Client-IP',
  'Fly-Client-IP',
  'X-Azure-ClientIP',
  'X-AppEngine-User-IP',
  'Client-IP',
  'WL-Proxy-Client-IP',
]
  .flatMap((name) => [`${name}: 3.0.0.17`, `${name}: 3.0.0.17, 127.0.0.1`])
  .concat(
    'X-Forwarded-For: 3.0.0.17\r\nX-Forwarded-For: 127.0.0.1',
    'X-Forwarded-For: ::ffff:3.0.0.17',
    'X-Forwarded-For: "3.0.0.17"',
    'Forwarded: for=3.0.0.17;host=app.example.com;proto=https',
    'Forwarded: for="3.0.0.17:80"',
    'X-Forwarded-Host: app.example.com',
    'X-Forwarded-Uri: /login',
    'X-Forwarded-Method: POST',
    'X-Forwarded-Path: /login',
    'X-Original-URI: /login',
    'X-Original-URL: /login',
    'X-Rewrite-URL: /login',
    'X-Original-Method: POST',
    'X-HTTP-Method-Override: POST',
    'X-Host: app.example.com',
    'X-Original-Host: app.example.com',
    'X-Whence-Decision: deny',
    'X-Whence-Rule: login',
  );

test(`decide: none of ${FORGED.length} forged headers changes an answer`, async () => {
  assert.ok(FORGED.length >= 60);
  // The proxy sends its own behind those of the client. What it says of this request is refused, but for the path.
  const ofProxy =
    'X-Forwarded-For: 8.8.8.8\r\nX-Forwarded-Host: app.example.com\r\nX-Forwarded-Uri: /\r\nX-Forwarded-Method: POST\r\n';
  for (const [server, query, own, rule] of [
    [0, '', '', undefined],
    [0, '?ip=8.8.8.8&host=app.example.com&path=/login&method=POST', '', 'login'],
    [1, '', ofProxy, undefined],
    [1, '', ofProxy.replace('Uri: /', 'Uri: /login'), 'login'],
  ] as const) {
    const connection = await RawConnection.open(servers[server]?.url ?? '');
    const decide = async (forged: string) => {
      const request = `GET /v1/decide${query} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n${forged}${own}\r\n`;
      const [answer] = parseAnswers(await connection.ask(request));
      const whence = Object.entries(answer?.headers ?? {}).filter(([name]) => name.startsWith('x-whence-'));
      return { status: answer?.status, whence: Object.fromEntries(whence), body: answer?.body };
    };
    const expected = await decide('');
    assert.equal(expected.whence['x-whence-rule'], rule);
    for (const forged of FORGED) assert.deepEqual(await decide(`${forged}\r\n`), expected, forged);
    connection.close();
  }
});

test('decide: a key without the permission', async () => {
  const { secret } = await folder.createKey({ permissions: ['ip:read'] });
  const { status, whence } = await ask('ip=8.8.8.8', { 'X-API-Key': secret });
  assert.deepEqual([status, whence], [403, {}]);
});

test('decide: a changed file is used without a restart; one with a mistake is not, and is reported', async () => {
  const readiness = async () => JSON.parse(await (await fetch(`${servers[0]?.url}/readyz`)).text()).data.checks.rules;
  assert.equal(await readiness(), 'ok');
  writeFileSync(path, 'sets: {default: {default: deny}}');
  await until('the file is used', async () => (await ask('ip=8.8.8.8')).status === 403);
  writeFileSync(path, 'sets: {default: {default: maybe}}');
  await until('the file is refused', async () => (await readiness()) === 'refused');
  assert.equal((await ask('ip=8.8.8.8')).status, 403);
  assert.equal(servers[0]?.metrics().gauges['whence_rules_refused'], 1);
  writeFileSync(path, RULES);
  await until('the file is used again', async () => (await ask('ip=8.8.8.8')).status === 204);
  assert.equal(await readiness(), 'ok');
  const decisions = Object.keys(servers[0]?.metrics().counters ?? {}).filter((name) =>
    name.startsWith('whence_decisions'),
  );
  assert.ok(
    decisions.includes('whence_decisions_total{set="default",rule="login",decision="deny"}'),
    decisions.join('\n'),
  );
});

test('decide: a server without rules has no sets, and names the setting', async () => {
  const server = await startInProcess(folder);
  const response = await fetch(`${server.url}/v1/decide?ip=8.8.8.8`, { headers: { 'X-API-Key': key } });
  const { details } = JSON.parse(await response.text()).data;
  assert.deepEqual([response.status, details], [404, { sets: [], setting: 'WHENCE_RULES' }]);
  await server.close();
});

test('decide: the client answers with the decision, and what the headers say', async () => {
  const client = createClient({ baseUrl: servers[0]?.url ?? '', apiKey: key });
  const login = { ip: '8.8.8.8', host: 'app.example.com', path: '/login?a=1&ip=9.0.0.1', method: 'POST' };
  const { data, rateLimit, requestId } = await client.decide(login);
  assert.deepEqual([data.decision, data.rule, data.country, data.asn], ['deny', 'login', 'US', 15169]);
  assert.ok(data.decision === 'deny' && data.status === 403 && data.text === '');
  assert.ok(requestId !== '' && rateLimit !== undefined);
  assert.equal((await client.decide({ ...login, method: 'GET' })).data.decision, 'allow');
  const observed = await client.decide({ ip: '8.8.8.8', set: 'watched', explain: true });
  assert.deepEqual([observed.data.decision, observed.data.explanation?.decision], ['observe', 'observe']);
  await assert.rejects(client.decide({ set: 'none' }), { code: 'RULE_SET_NOT_FOUND' });
});
