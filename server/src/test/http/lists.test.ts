/** `GET /v1/lists/{name}.{format}` on a running server, through a change of the dataset and of the rules. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { findProgram } from '@whence/testing/programs';
import { until } from '@whence/testing/until';
import { SAMPLE, startInProcess, TestFolder } from '../test-server.ts';

const LISTS = `lists:
  united-states: { countries: US }
  tor: { flags: tor_exit }
  nothing: { asns: 64511 }
`;
const folder = new TestFolder();
const path = join(folder.dataDir, 'rules.yaml');
let server: Awaited<ReturnType<typeof startInProcess>>;
let key = '';

before(async () => {
  folder.publish();
  writeFileSync(path, LISTS);
  key = (await folder.createKey({ permissions: ['database:read'], tier: 'free' })).secret;
  server = await startInProcess(folder, undefined, { WHENCE_RULES: path });
});
after(async () => {
  await server.close();
  folder.remove();
});

async function get(list: string, headers: Record<string, string> = {}, method = 'GET') {
  const response = await fetch(`${server.url}/v1/lists/${list}`, { method, headers: { 'X-API-Key': key, ...headers } });
  const { status } = response;
  const [etag, remaining] = ['etag', 'x-ratelimit-remaining'].map((name) => response.headers.get(name) ?? '');
  return { status, etag: etag as string, remaining: Number(remaining), text: await response.text(), response };
}
const withoutComments = (text: string) => text.replaceAll(/^#.*\n/gm, '');

for (const [list, expected] of [
  ['united-states.txt', '3.0.0.0/8\n8.8.8.0/24\n2001:4860::/32\n'],
  ['nothing.txt', ''],
  [
    'united-states.rsc',
    `/ip firewall address-list remove [find list="united-states"]
/ip firewall address-list
add list="united-states" address=3.0.0.0/8
add list="united-states" address=8.8.8.0/24
/ipv6 firewall address-list remove [find list="united-states"]
/ipv6 firewall address-list
add list="united-states" address=2001:4860::/32
`,
  ],
] as const)
  test(`lists: ${list}, with version and credits in comments`, async () => {
    const { status, text, response } = await get(list);
    assert.deepEqual(
      [status, response.headers.get('content-type'), withoutComments(text)],
      [200, 'text/plain; charset=utf-8', expected],
    );
    assert.match(
      text,
      /^# [a-z-]+: \d IPv4 and \d IPv6 prefixes, dataset version 1, built 20.*\n# Whence dataset version 1\. Contains/,
    );
  });

test('lists: JSON has the same prefixes', async () => {
  const { data } = JSON.parse((await get('united-states.json')).text);
  assert.deepEqual(
    [data.name, data.dataset_version, data.prefix_count, data.prefixes],
    ['united-states', 1, { ipv4: 2, ipv6: 1 }, { ipv4: ['3.0.0.0/8', '8.8.8.0/24'], ipv6: ['2001:4860::/32'] }],
  );
});

const nft = findProgram('nft');
const probe =
  nft === undefined ? undefined : spawnSync(nft, ['-c', '-f', '-'], { input: 'table inet whence_test {\n}\n' });
for (const list of ['united-states', 'nothing'])
  test(`lists: nft reads ${list}.nft`, {
    skip: nft === undefined && 'nft is not installed; apt-get install nftables',
  }, async () => {
    const { text } = await get(`${list}.nft`);
    assert.match(text, new RegExp(`flush set inet whence ${list.replace('-', '_')}_ipv4\n`));
    // Some kernels and containers do not permit access to rulesets.
    if (nft === undefined || probe?.status !== 0) return;
    const { status, stderr } = spawnSync(nft, ['-c', '-f', '-'], { input: text, encoding: 'utf8' });
    assert.deepEqual([status, stderr], [0, '']);
  });

for (const list of ['other.txt', 'tor.csv', 'tor', 'tor.', '.txt', 'toString.txt'])
  test(`lists: there is no ${list}`, async () => {
    const { status, text } = await get(list);
    const { code, details } = JSON.parse(text).data;
    assert.deepEqual(
      [status, code, details],
      [404, 'LIST_NOT_FOUND', { lists: ['united-states', 'tor', 'nothing'], formats: ['txt', 'nft', 'rsc', 'json'] }],
    );
  });

test('lists: a request counts if it gets a list', async () => {
  const { remaining, etag } = await get('tor.txt');
  for (const [headers, method] of [
    [{ 'If-None-Match': etag }, 'GET'],
    [{ 'If-None-Match': `"other", ${etag.slice(2)}` }, 'GET'],
    [{ 'If-None-Match': '*' }, 'GET'],
    [{}, 'HEAD'],
  ] as const) {
    const again = await get('tor.txt', headers, method);
    assert.deepEqual(
      [again.status, again.etag, again.remaining, again.text],
      [method === 'HEAD' ? 200 : 304, etag, remaining, ''],
    );
  }
  assert.equal((await get('missing.txt')).remaining, remaining);
  assert.equal((await get('tor.txt', { 'If-None-Match': '"x"' })).remaining, remaining - 1);
});

for (const [behaviour, headers, expected] of [
  ['the password of Basic authentication', () => ({ Authorization: `Basic ${btoa(`any:${key}`)}` }), 200],
  ['a bearer token, which is not used', () => ({ Authorization: `Bearer ${key}` }), 401],
  ['an invalid password', () => ({ Authorization: `Basic ${btoa('any:whence_x')}` }), 401],
] as const)
  test(`lists: a key as ${behaviour}`, async () => {
    const { status } = await fetch(`${server.url}/v1/lists/tor.txt`, { headers: headers() });
    assert.equal(status, expected);
  });

test('lists: a key without the permission', async () => {
  const { secret } = await folder.createKey();
  assert.equal((await get('tor.txt', { 'X-API-Key': secret })).status, 403);
});

test('lists: a list that an update of the dataset does not change is 304, one that it changes is not', async () => {
  const tags = { tor: (await get('tor.txt')).etag, states: (await get('united-states.txt')).etag };
  folder.publish({ ...SAMPLE, countries: SAMPLE.countries?.slice(0, 2) ?? [] });
  await until('the version is in use', async () => / dataset version 2,/.test((await get('tor.txt')).text));
  assert.equal((await get('tor.txt', { 'If-None-Match': tags.tor })).status, 304);
  const states = await get('united-states.txt', { 'If-None-Match': tags.states });
  assert.deepEqual([states.status, withoutComments(states.text)], [200, '8.8.8.0/24\n2001:4860::/32\n']);
});

test('lists: a changed rules file is used without a restart', async () => {
  writeFileSync(path, LISTS.replace('tor_exit', 'ai_crawler'));
  await until('the file is used', async () => withoutComments((await get('tor.txt')).text) === '3.0.0.16/28\n');
});
