/** The rules of `/v1/decide` in the dashboard, over HTTP, on two processes that share storage. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { until } from '@whence/testing/until';
import { startInProcess, TestFolder } from '../test-server.ts';
import { type DashboardClient, signedInAs } from './dashboard-client.ts';

const RULES = `sets:
  default:
    default: allow
    rules:
      - { name: login, if: { paths: /login, flags: [datacenter, vpn] }, then: deny, status: 451 }
      - { name: never, if: { paths: /login/x, flags: datacenter }, then: deny }
lists: { tor: { flags: tor_exit } }
`;
const folder = new TestFolder();
const path = join(folder.dataDir, 'rules.yaml');
const servers: Awaited<ReturnType<typeof startInProcess>>[] = [];
let viewer: DashboardClient;
let secret = '';

before(async () => {
  folder.publish();
  writeFileSync(path, RULES);
  secret = (await folder.createKey({ permissions: ['decide:read'] })).secret;
  for (let i = 0; i < 2; i++)
    servers.push(
      await startInProcess(folder, undefined, { WHENCE_RULES: path }, { statisticsMs: 100 }),
    );
  viewer = await signedInAs(folder, servers[0]?.url ?? '', 'Vera', 'viewer');
});
after(async () => {
  for (const server of servers) await server.close();
  folder.remove();
});

test('rules: sets with their rules, lists and warnings', async () => {
  const page = await viewer.get('getRules', {});
  const conditions = [
    { name: 'paths', values: '/login' },
    { name: 'flags', values: 'datacenter, vpn' },
  ];
  const rule = { name: 'login', action: 'deny', status: 451, line: 5, conditions, matches: 0 };
  assert.deepEqual(
    [page.path, page.sets[0]?.default, page.sets[0]?.rules[0]],
    [path, 'allow', rule],
  );
  assert.deepEqual(page.lists, [
    { name: 'tor', line: 7, conditions: [{ name: 'flags', values: 'tor_exit' }] },
  ]);
  assert.match(
    page.warnings.map(({ message }) => message).join('\n'),
    /rule never of set default never matches/,
  );
});

test('rules: matches of all processes add up', async () => {
  for (const { url } of servers)
    for (const query of ['ip=8.8.8.8&path=/login', 'ip=8.8.8.8'])
      await fetch(`${url}/v1/decide?${query}`, { headers: { 'X-API-Key': secret } });
  await until('both processes have written what they counted', async () => {
    const [set] = (await viewer.get('getRules', {})).sets;
    return set?.rules[0]?.matches === 2 && set.default_matches === 2;
  });
});

for (const [behaviour, query, expected] of [
  ['a rule decides', { ip: '8.8.8.8', path: '/login' }, ['deny', 'login', 'datacenter', 15169]],
  ['the default decides', { ip: '8.8.8.8' }, ['allow', undefined, undefined, 15169]],
  [
    'a private address',
    { ip: '10.0.0.1', path: '/login' },
    ['allow', undefined, undefined, undefined],
  ],
] as const)
  test(`rules: a tried request, ${behaviour}`, async () => {
    const { decision, rule, matched, record } = await viewer.get('tryRule', { query });
    assert.deepEqual(
      [decision, rule, matched.find(({ name }) => name === 'flags')?.values, record?.asn],
      expected,
    );
  });

for (const [behaviour, query, code] of [
  ['no address', { ip: 'x' }, 'INVALID_IP'],
  ['no such set', { ip: '8.8.8.8', set: 'other' }, 'RULE_SET_NOT_FOUND'],
] as const)
  test(`rules: a tried request is refused for ${behaviour}`, async () =>
    assert.equal((await viewer.try('tryRule', { query })).data.code, code));

const replay = (log: string | Uint8Array<ArrayBuffer>, query: { set?: string } = {}) =>
  viewer.get('replayLog', { query, body: new Blob([log]) });
const logged = (ip: string, path: string) => `${ip} - - [x] "GET ${path} HTTP/1.1" 200 1 "-" "-"`;

test('rules: a replayed log has what each rule decides, with its first requests', async () => {
  const lines = [
    logged('8.8.8.8', '/login'),
    '',
    logged('8.8.8.8', '/'),
    'nonsense \u202e',
    ...Array.from({ length: 3 }, (_, i) => logged('8.8.8.9', `/login/${i}${'x'.repeat(100)}`)),
    '{"client_ip":"8.8.8.8","uri":"/login"}',
  ];
  const { rules, refused, first_unread, ...counts } = await replay(lines.join('\r\n'));
  assert.deepEqual(counts, { set: 'default', lines: 7, unreadable: 1, clients: 2 });
  assert.deepEqual(
    rules.map(({ rule, action, requests, clients }) => [rule, action, requests, clients]),
    [
      ['login', 'deny', 5, 2],
      ['never', 'deny', 0, 0],
      [null, 'allow', 1, 1],
    ],
  );
  assert.deepEqual(rules[2]?.examples, [{ line: 3, ip: '8.8.8.8', method: 'GET', path: '/' }]);
  assert.deepEqual(
    rules[0]?.examples.map(({ line, path = '' }) => [line, path.length]),
    [
      [1, 6],
      [5, 80],
      [6, 80],
    ],
  );
  assert.deepEqual(
    [refused.requests, refused.clients, refused.networks.map(({ asn }) => asn)],
    [5, 2, [15_169]],
  );
  assert.deepEqual(first_unread, {
    line: 4,
    reason: 'has no address where the formats of web servers have the client',
    text: 'nonsense \u{fffd}',
  });
});

const MEBIBYTE = 1024 * 1024;
for (const [behaviour, log, lines, reason] of [
  ['bytes that are no text', new Uint8Array(3_000), 1, 'is not text'],
  ['one line of 1 MiB', 'x'.repeat(MEBIBYTE), 1, 'is longer than 64 KiB'],
  ['one line of JSON of 1 MiB', '{'.repeat(MEBIBYTE), 1, 'is longer than 64 KiB'],
  ['JSON that does not end', '{"client_ip":"8.8.8.8"', 1, 'begins as JSON and is not'],
  ['JSON without a client', '{"status":200}', 1, 'is JSON without the address of a client'],
  ['nothing', '', 0, undefined],
  ['empty lines', '\n'.repeat(100_000), 0, undefined],
] as const)
  test(`rules: a replayed log without any request, ${behaviour}`, async () => {
    const report = await replay(log);
    assert.deepEqual([report.lines, report.unreadable], [lines, lines]);
    assert.equal(report.first_unread?.reason.startsWith(reason ?? ''), reason && true);
  });

test('rules: 100,000 lines are replayed', async () => {
  const { lines, rules } = await replay('8.8.8.8\n'.repeat(100_000));
  assert.deepEqual([lines, rules.at(-1)?.requests], [100_000, 100_000]);
});

for (const [behaviour, log, query, code, rule] of [
  ['more lines', '\n'.repeat(100_001), {}, 'INVALID_REQUEST', 'at most 100,000 lines'],
  ['more than 1 MiB', 'x'.repeat(MEBIBYTE + 1), {}, 'PAYLOAD_TOO_LARGE', undefined],
  ['no such set', '', { set: 'other' }, 'RULE_SET_NOT_FOUND', undefined],
] as const)
  test(`rules: a replay is refused for ${behaviour}`, async () => {
    const { data } = await viewer.try('replayLog', { query, body: new Blob([log]) });
    assert.deepEqual([data.code, data.details?.['rule']], [code, rule]);
  });

test('rules: a replay needs the header that a form cannot send', async () => {
  const headers = { 'X-CSRF-Token': '' };
  const { data } = await viewer.try('replayLog', { headers, body: new Blob(['8.8.8.8']) });
  assert.equal(data.code, 'CROSS_SITE');
});

test('rules: mistakes of the file have their line, and the rules before them stay', async () => {
  writeFileSync(path, RULES.replace('default: allow', 'default: perhaps'));
  await until(
    'the file was read',
    async () => (await viewer.get('getRules', {})).refusal !== undefined,
  );
  const { refusal, sets } = await viewer.get('getRules', {});
  assert.deepEqual(refusal?.mistakes, [
    { line: 3, column: 14, message: '"perhaps" is not one of allow, deny' },
  ]);
  assert.equal(sets[0]?.rules.length, 2);
});
