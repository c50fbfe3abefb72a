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
    servers.push(await startInProcess(folder, undefined, { WHENCE_RULES: path }, { statisticsMs: 100 }));
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
  assert.deepEqual([page.path, page.sets[0]?.default, page.sets[0]?.rules[0]], [path, 'allow', rule]);
  assert.deepEqual(page.lists, [{ name: 'tor', line: 7, conditions: [{ name: 'flags', values: 'tor_exit' }] }]);
  assert.match(page.warnings[0]?.message ?? '', /rule never of set default never matches/);
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
  ['a private address', { ip: '10.0.0.1', path: '/login' }, ['allow', undefined, undefined, undefined]],
] as const)
  test(`rules: a tried request, ${behaviour}`, async () => {
    const { decision, rule, matched, record } = await viewer.get('tryRule', { query });
    assert.deepEqual([decision, rule, matched.find(({ name }) => name === 'flags')?.values, record?.asn], expected);
  });

for (const [behaviour, query, code] of [
  ['no address', { ip: 'x' }, 'INVALID_IP'],
  ['no such set', { ip: '8.8.8.8', set: 'other' }, 'RULE_SET_NOT_FOUND'],
] as const)
  test(`rules: a tried request is refused for ${behaviour}`, async () =>
    assert.equal((await viewer.try('tryRule', { query })).data.code, code));

test('rules: mistakes of the file have their line, and the rules before them stay', async () => {
  writeFileSync(path, RULES.replace('default: allow', 'default: perhaps'));
  await until('the file was read', async () => (await viewer.get('getRules', {})).refusal !== undefined);
  const { refusal, sets } = await viewer.get('getRules', {});
  assert.deepEqual(refusal?.mistakes, [{ line: 3, column: 14, message: '"perhaps" is not one of allow, deny' }]);
  assert.equal(sets[0]?.rules.length, 2);
});
