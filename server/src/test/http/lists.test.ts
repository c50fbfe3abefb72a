/**
 * `GET /v1/lists/{name}.{format}` on a running server, through a change of the dataset and of the
 * rules.
 */
import assert from 'node:assert/strict';
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { until } from '@whence/testing/until';
import { readIndex } from '../../geoip-files/file-index.ts';
import { writeLists } from '../../geoip-files/write-lists.ts';
import { signedInAs } from '../dashboard/dashboard-client.ts';
import { SAMPLE, startInProcess, TestFolder } from '../test-server.ts';

const LISTS = `lists:
  united-states: { countries: US }
  tor: { flags: tor_exit }
  nothing: { asns: 64511 }
`;
const folder = new TestFolder();
const path = join(folder.dataDir, 'rules.yaml');
const DAY = new Date().toISOString().slice(0, 10);
const write = () => writeLists(folder.dataDir, DAY, { rules: path, overrides: undefined });
let server: Awaited<ReturnType<typeof startInProcess>>;
let key = '';

before(async () => {
  folder.publish();
  writeFileSync(path, LISTS);
  await write();
  key = (await folder.createKey({ permissions: ['database:read'], tier: 'free' })).secret;
  server = await startInProcess(folder, undefined, { WHENCE_RULES: path });
});
after(async () => {
  await server.close();
  folder.remove();
});

async function get(list: string, headers: Record<string, string> = {}, method = 'GET') {
  const response = await fetch(`${server.url}/v1/lists/${list}`, {
    method,
    headers: { 'X-API-Key': key, ...headers },
  });
  const { status } = response;
  const [etag, remaining] = ['etag', 'x-ratelimit-remaining'].map(
    (name) => response.headers.get(name) ?? '',
  );
  return {
    status,
    etag: etag as string,
    remaining: Number(remaining),
    text: await response.text(),
    response,
  };
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
    [
      'united-states',
      1,
      { ipv4: 2, ipv6: 1 },
      { ipv4: ['3.0.0.0/8', '8.8.8.0/24'], ipv6: ['2001:4860::/32'] },
    ],
  );
});

for (const list of ['united-states', 'nothing'])
  test(`lists: ${list}.nft replaces its set in one transaction`, async () => {
    const { text } = await get(`${list}.nft`);
    assert.match(text, new RegExp(`flush set inet whence ${list.replace('-', '_')}_ipv4\n`));
  });

for (const list of ['other.txt', 'tor.csv', 'tor', 'tor.', '.txt', 'toString.txt'])
  test(`lists: there is no ${list}`, async () => {
    const { status, text } = await get(list);
    const { code, details } = JSON.parse(text).data;
    assert.deepEqual(
      [status, code, details],
      [
        404,
        'LIST_NOT_FOUND',
        { lists: ['united-states', 'tor', 'nothing'], formats: ['txt', 'nft', 'rsc', 'json'] },
      ],
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
  [
    'the password of Basic authentication',
    () => ({ Authorization: `Basic ${btoa(`any:${key}`)}` }),
    200,
  ],
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
  await write();
  await until('the version is in use', async () =>
    / dataset version 2,/.test((await get('tor.txt')).text),
  );
  assert.equal((await get('tor.txt', { 'If-None-Match': tags.tor })).status, 304);
  const states = await get('united-states.txt', { 'If-None-Match': tags.states });
  assert.deepEqual(
    [states.status, withoutComments(states.text)],
    [200, '8.8.8.0/24\n2001:4860::/32\n'],
  );
});

test('lists: the dashboard says which versions keys have, and whether their prefixes are the current ones', async () => {
  const admin = await signedInAs(folder, server.url, 'Ada', 'admin');
  const files = ['tor.txt 1', 'united-states.txt 1', 'united-states.txt 2'];
  let found: (boolean | undefined)[] = [];
  await until('the downloads are written', async () => {
    const { downloads } = await admin.get('getDatabases', {});
    found = files.map(
      (name) => downloads.find(({ file, version }) => `${file} ${version}` === name)?.is_current,
    );
    return !found.includes(undefined);
  });
  assert.deepEqual(found, [true, false, true]);
});

test('lists: those of a changed rules file replace the files before', async () => {
  writeFileSync(path, LISTS.replace('tor_exit', 'ai_crawler'));
  await write();
  await until(
    'the file is used',
    async () => withoutComments((await get('tor.txt')).text) === '3.0.0.16/28\n',
  );
  assert.equal(await write(), undefined);
  const names = readdirSync(join(folder.dataDir, 'databases')).filter((name) => /^\d/.test(name));
  const { lists } = readIndex(folder.dataDir);
  assert.equal(names.length, 3 * 4);
  assert.ok(names.every((name) => name.startsWith(`${lists?.id}-`)));
});

test('lists: what is read while the rules have a mistake are the lists of the rules before', async () => {
  const before = readFileSync(path);
  writeFileSync(path, 'lists: { tor: { flags: torr } }');
  folder.publish({ ...SAMPLE, crawlers: [['8.8.8.0/29', 'OpenAI']] });
  await write();
  await until(
    'the list is of the new version',
    async () => withoutComments((await get('tor.txt')).text) === '8.8.8.0/29\n',
  );
  writeFileSync(path, before);
});

test('lists: a list that is not written yet is unavailable', async () => {
  appendFileSync(path, '  later: { countries: AU }\n');
  let answer = await get('later.txt');
  await until('the rules are in use', async () => {
    answer = await get('later.txt');
    return answer.status !== 404;
  });
  assert.deepEqual(
    [answer.status, JSON.parse(answer.text).data, answer.response.headers.get('retry-after')],
    [
      503,
      {
        error: 'databases and lists of this server are not written yet',
        code: 'DATASET_UNAVAILABLE',
      },
      '10',
    ],
  );
  await write();
  await until('it is written', async () => (await get('later.txt')).status === 200);
});

const FOUR = ['3.0.0.0/28', '3.0.0.32/28', '3.0.0.64/28', '3.0.0.96/28'];
const crawlersAt = (prefixes: readonly string[]) =>
  folder.publish({ ...SAMPLE, crawlers: prefixes.map((prefix) => [prefix, 'OpenAI']) });
const heldIn = async () => {
  const { data } = JSON.parse(await (await fetch(`${server.url}/readyz`)).text());
  return [data.checks.lists, data.held_lists];
};

for (const [
  behaviour,
  { before, now, isAccepted = false, limit = '', held, expected },
] of Object.entries({
  'loses half of its prefixes': {
    before: FOUR,
    now: FOUR.slice(2),
    held: false,
    expected: FOUR.slice(2),
  },
  'loses more than half': { before: FOUR, now: FOUR.slice(3), held: true, expected: FOUR },
  'loses all, because its feed is gone': { before: FOUR, now: [], held: true, expected: FOUR },
  'loses more than half, which its limit allows': {
    before: FOUR,
    now: FOUR.slice(3),
    limit: ', max_loss_percent: 90',
    held: false,
    expected: FOUR.slice(3),
  },
  'loses more than half, which is accepted': {
    before: FOUR,
    now: FOUR.slice(3),
    isAccepted: true,
    held: false,
    expected: FOUR.slice(3),
  },
}))
  test(`lists: one that ${behaviour} is ${held ? 'held' : 'replaced'}`, async () => {
    writeFileSync(path, LISTS.replace('tor_exit', `ai_crawler${limit}`));
    crawlersAt(before);
    await writeLists(folder.dataDir, DAY, { rules: path, overrides: undefined }, true);
    const from = readIndex(folder.dataDir).lists?.lists[1]?.version;
    crawlersAt(now);
    await write();
    if (isAccepted) await writeLists(folder.dataDir, DAY, undefined, true);
    await until('the files are in use', async () => {
      const { data } = JSON.parse(
        await (await fetch(`${server.url}/v1/databases`, { headers: { 'X-API-Key': key } })).text(),
      );
      return data.lists[0].version > (from ?? 0);
    });
    const { text, etag, response } = await get('tor.txt');
    assert.equal(withoutComments(text), `${expected.join('\n')}\n`);
    const heldAt = held ? String(from) : null;
    const note = `# Held at version ${from}: version ${(from ?? 0) + 1} has ${now.length} of its 4 prefixes.\n`;
    assert.deepEqual(
      [response.headers.get('x-whence-held'), text.startsWith(note)],
      [heldAt, held],
    );
    const unchanged = await get('tor.txt', { 'If-None-Match': etag });
    assert.deepEqual(
      [unchanged.status, unchanged.response.headers.get('x-whence-held')],
      [304, heldAt],
    );
    const { data } = JSON.parse((await get('tor.json')).text);
    assert.equal(data.held_from, held ? (from ?? 0) + 1 : undefined);
    assert.deepEqual(await heldIn(), held ? ['held', ['tor']] : [undefined, undefined]);
    assert.equal(server.metrics().gauges['whence_list_held{list="tor"}'], held ? 1 : 0);
  });

test('lists: one that stays held is replaced when its prefixes are back', async () => {
  writeFileSync(path, LISTS.replace('tor_exit', 'ai_crawler'));
  for (const prefixes of [FOUR, [], FOUR.slice(3), FOUR.slice(1)]) {
    crawlersAt(prefixes);
    await write();
  }
  await until(
    'it is',
    async () => withoutComments((await get('tor.txt')).text) === `${FOUR.slice(1).join('\n')}\n`,
  );
});

test('lists: one without a source that counts is unavailable', async () => {
  writeFileSync(path, LISTS.replace('tor_exit', 'proxy'));
  await write();
  await until('the rules are in use', async () => (await get('tor.txt')).status === 503);
  const { text, response } = await get('tor.txt');
  assert.deepEqual(
    [JSON.parse(text).data.code, response.headers.get('retry-after')],
    ['LIST_UNAVAILABLE', '60'],
  );
});

test('lists: ranges and the length of a file', async () => {
  const whole = await get('united-states.txt');
  assert.equal(whole.response.headers.get('content-length'), String(whole.text.length));
  const part = await get('united-states.txt', { Range: 'bytes=-20' });
  assert.deepEqual([part.status, part.text], [206, whole.text.slice(-20)]);
  // The tag is weak: bytes of two versions may differ.
  assert.equal(
    (await get('united-states.txt', { Range: 'bytes=0-9', 'If-Range': whole.etag })).status,
    200,
  );
  assert.equal((await get('united-states.txt', { Range: 'bytes=9999999-' })).status, 416);
});
