/** Attacks on the dashboard, as an attacker would send them. */
import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { routes } from '../../dashboard/wire/contract.ts';
import { exchange, parseAnswers } from '../http/raw-http.ts';
import { startInProcess, TestFolder } from '../test-server.ts';
import { DashboardClient, PASSWORD, signedInAs } from './dashboard-client.ts';

const folder = new TestFolder();
let server: Awaited<ReturnType<typeof startInProcess>>;
let admin: DashboardClient;

before(async () => {
  folder.publish();
  server = await startInProcess(folder);
  admin = await signedInAs(folder, server.url, 'Ada', 'admin');
});
after(async () => {
  await server.close();
  folder.remove();
});

const newKey = { name: 'forged', tier: 'free', permissions: ['ip:read'] };

for (const [behaviour, headers] of [
  ['a page of another site', { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' }],
  [
    'a page of a neighbouring host',
    { Origin: 'https://other.example', 'Sec-Fetch-Site': 'same-site' },
  ],
  [
    'another origin in a browser without Sec-Fetch-Site',
    { Origin: 'https://evil.example', 'Sec-Fetch-Site': '' },
  ],
  ['the same host on another port', { Origin: 'http://127.0.0.1:1', 'Sec-Fetch-Site': '' }],
  ['a sandboxed frame', { Origin: 'null', 'Sec-Fetch-Site': '' }],
  ['no origin at all', { Origin: '', 'Sec-Fetch-Site': '' }],
  ['our origin, but navigated to', { 'Sec-Fetch-Site': 'none' }],
  ['our origin without the header', { 'X-CSRF-Token': '' }],
  ['our origin with a token that is made up', { 'X-CSRF-Token': 'x'.repeat(43) }],
] as const) {
  test(`csrf: a change with the cookie from ${behaviour} is refused`, async () => {
    const { status, data } = await admin.try('createKey', {
      body: newKey,
      headers: { ...headers },
    });
    assert.deepEqual([status, data.code], [403, 'CROSS_SITE']);
    assert.equal((await admin.get('listKeys')).total, 0);
  });
}

test('csrf: a form of another site cannot sign a visitor in', async () => {
  const victim = new DashboardClient(server.url);
  const body = { name: 'Ada', password: PASSWORD };
  const { status } = await victim.try('signIn', {
    body,
    headers: { Origin: 'https://evil.example', 'X-CSRF-Token': 'x' },
  });
  assert.deepEqual([status, victim.cookie], [403, '']);
});

test('csrf: a form body is not accepted from anywhere', async () => {
  const headers = { 'Content-Type': 'text/plain' };
  assert.equal((await admin.try('createKey', { body: newKey, headers })).status, 415);
});

test('csrf: reading changes nothing, so a GET with a changing path is refused', async () => {
  const response = await fetch(`${server.url}/dashboard/api/keys/x/revoke`, {
    headers: { Cookie: admin.cookie },
  });
  assert.equal(response.status, 405);
});

test('cors: other origins may call the API where they are allowed to, but not read the dashboard with a cookie', async () => {
  const other = await startInProcess(folder, undefined, {
    WHENCE_CORS_ORIGINS: 'https://app.example',
  });
  try {
    const response = await fetch(`${other.url}/dashboard/api/session`, {
      headers: { Origin: 'https://app.example', Cookie: admin.cookie },
    });
    assert.equal(response.headers.get('access-control-allow-credentials'), null);
  } finally {
    await other.close();
  }
});

test('session fixation: a token that a visitor brings along is not the one after signing in', async () => {
  const planted = `whence_session=${'A'.repeat(43)}`;
  const victim = new DashboardClient(server.url);
  victim.cookie = planted;
  await victim.signIn('Ada');
  assert.notEqual(victim.cookie, planted);
  victim.cookie = planted;
  assert.equal((await victim.get('getSession')).state, 'signed_out');
});

test('session fixation: behind TLS only the cookie with the __Host- prefix counts', async () => {
  const secure = await startInProcess(folder, undefined, {
    WHENCE_PUBLIC_URL: 'https://whence.example',
  });
  try {
    const client = new DashboardClient(secure.url);
    const origin = { Origin: 'https://whence.example' };
    const response = await client.ask('signIn', {
      body: { name: 'Ada', password: PASSWORD },
      headers: origin,
    });
    const [cookie = ''] = response.headers.getSetCookie();
    assert.match(cookie, /^__Host-whence_session=[\w-]{43}; /);
    assert.match(cookie, /; Secure/);
    assert.equal((await client.get('getSession')).state, 'signed_in');
    client.cookie = client.cookie.replace('__Host-', '');
    assert.equal((await client.get('getSession')).state, 'signed_out');
  } finally {
    await secure.close();
  }
});

test('session fixation: X-Forwarded-Proto counts from a trusted proxy only', async () => {
  const body = { name: 'Ada', password: PASSWORD };
  const headers = { 'X-Forwarded-Proto': 'https' };
  const direct = await new DashboardClient(server.url).ask('signIn', { body, headers });
  assert.match(direct.headers.getSetCookie()[0] ?? '', /^whence_session=/);
  const proxied = await startInProcess(folder, undefined, { WHENCE_TRUST_PROXY: '127.0.0.1' });
  try {
    const response = await new DashboardClient(proxied.url).ask('signIn', { body, headers });
    assert.match(response.headers.getSetCookie()[0] ?? '', /^__Host-whence_session=.*; Secure/);
  } finally {
    await proxied.close();
  }
});

test('clickjacking: pages may not be framed, and run nothing but our own files', async () => {
  const { headers } = await fetch(server.url, { headers: { Accept: 'text/html' } });
  const policy = headers.get('content-security-policy') ?? '';
  assert.match(policy, /frame-ancestors 'none'/);
  assert.match(policy, /default-src 'none'/);
  assert.doesNotMatch(policy, /unsafe|\*|https?:/);
  assert.equal(headers.get('x-frame-options'), 'DENY');
  assert.equal(headers.get('referrer-policy'), 'same-origin');
  assert.ok(headers.get('permissions-policy'));
  assert.equal(headers.get('strict-transport-security'), null, 'not without TLS');
});

test('stored markup: a name of markup comes back as text, in JSON that no browser takes for a page', async () => {
  const name = '<img src=x onerror=alert(1)>"\'</script>';
  const { key } = await admin.get('createKey', { body: { ...newKey, name } });
  assert.equal(key.name, name);
  const response = await admin.ask('listKeys', { headers: { Accept: 'text/html' } });
  assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8');
  assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
});

test('stored markup: a name that a spreadsheet would run is text in an exported file', async () => {
  await admin.get('createKey', { body: { ...newKey, name: '=HYPERLINK("https://evil.example")' } });
  const csv = await (await admin.ask('exportAudit')).text();
  assert.match(csv, /"'=HYPERLINK\(""https:\/\/evil.example""\)"/);
});

test('open redirect: no path makes the server answer with a Location', async () => {
  for (const path of [
    '//evil.example',
    '/\\evil.example',
    '/set-up?next=https://evil.example',
    '/%2f%2fevil.example/',
  ]) {
    const response = await fetch(`${server.url}${path}`, {
      redirect: 'manual',
      headers: { Accept: 'text/html' },
    });
    assert.equal(response.headers.get('location'), null, path);
    assert.ok(response.status < 300 || response.status >= 400, path);
  }
});

test('path traversal: only files of the build are sent', async () => {
  for (const path of [
    '/../package.json',
    '/assets/../../package.json',
    '/%2e%2e/package.json',
    '/assets/%00',
  ]) {
    const answer = await exchange(
      server.url,
      `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
    );
    assert.match(answer, /^HTTP\/1\.1 404 /, path);
  }
});

test('role bypass: a member neither sees nor touches the keys of others', async () => {
  const member = await signedInAs(folder, server.url, 'Mallory', 'member');
  const { key } = await admin.get('createKey', { body: newKey });
  const params = { id: key.id };
  assert.equal((await member.get('listKeys')).total, 0);
  assert.equal((await member.get('listKeys', { query: { owner: key.owner?.id ?? '' } })).total, 0);
  for (const name of ['getKey', 'getKeyAudit'] as const) {
    assert.equal((await member.try(name, { params })).status, 404, name);
  }
  assert.equal((await member.try('revokeKey', { params, body: { name: key.name } })).status, 404);
  assert.equal((await member.try('rotateKey', { params, body: {} })).status, 404);
  assert.equal((await member.try('getUsage', { query: { key: key.id } })).status, 404);
  const unlimited = await member.try('createKey', { body: { ...newKey, tier: 'enterprise' } });
  assert.deepEqual([unlimited.status, unlimited.data.details?.['path']], [400, '/tier']);
  assert.equal((await admin.get('getKey', { params })).key.status, 'active');
});

test('secrets: neither lists nor the audit log have a key, a password, a token or a link', async () => {
  const { secret } = await admin.get('createKey', { body: newKey });
  const { link } = await admin.get('invite', { body: { role: 'member' } });
  await new DashboardClient(server.url).try('signIn', {
    body: { name: 'typed-into-the-name', password: 'x' },
  });
  const texts = await Promise.all(
    (
      [
        'listKeys',
        'listPeople',
        'listLinks',
        'listSessions',
        'listAudit',
        'getSettings',
        'getHealth',
      ] as const
    ).map(async (name) => (await admin.ask(name)).text()),
  );
  const token = admin.cookie.replace('whence_session=', '');
  for (const hidden of [
    secret,
    PASSWORD,
    token,
    link.path.slice(8),
    'typed-into-the-name',
    'argon2id',
  ]) {
    assert.ok(!texts.join('\n').includes(hidden), hidden);
  }
});

for (const name of ['signIn', 'checkLink', 'redeemLink'] as const) {
  const head = (framing: string) =>
    `POST ${routes[name].path} HTTP/1.1\r\nHost: x\r\nOrigin: http://x\r\nX-CSRF-Token: x\r\n` +
    `Content-Type: application/json\r\n${framing}\r\n\r\n`;
  for (const [behaviour, framing, sent] of [
    ['declares', 'Content-Length: 4097', ''],
    ['sends in chunks', 'Transfer-Encoding: chunked', `1001\r\n${' '.repeat(4_097)}`],
  ] as const) {
    test(`memory: ${name} refuses a client that ${behaviour} more than 4 KiB, without waiting for the rest`, async () => {
      const [answer] = parseAnswers(await exchange(server.url, head(framing) + sent));
      assert.equal(answer?.status, 413);
      assert.equal(JSON.parse(answer.body).data.code, 'PAYLOAD_TOO_LARGE');
    });
  }
}
