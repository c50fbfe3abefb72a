/**
 * Sign-in through a provider of OpenID Connect that runs here: the way there and back, and what
 * must not let in.
 */
import assert from 'node:assert/strict';
import test, { after, before, beforeEach } from 'node:test';
import { startInProcess, TestFolder } from '../test-server.ts';
import { DashboardClient, signedInAs } from './dashboard-client.ts';
import { CLIENT_ID, CLIENT_SECRET, OpenIdProvider } from './openid-provider.ts';

const folder = new TestFolder();
let provider: OpenIdProvider;
let server: Awaited<ReturnType<typeof startInProcess>>;
let admin: DashboardClient;
let environment: Record<string, string>;

before(async () => {
  folder.publish();
  provider = await OpenIdProvider.start();
  environment = {
    WHENCE_OIDC_ISSUER: provider.issuer,
    WHENCE_OIDC_CLIENT_ID: CLIENT_ID,
    WHENCE_OIDC_CLIENT_SECRET: CLIENT_SECRET,
    WHENCE_OIDC_ROLE: 'member',
    WHENCE_TRUST_PROXY: '127.0.0.1',
  };
  server = await startInProcess(folder, undefined, environment);
});
after(async () => {
  await server.close();
  await provider.close();
  folder.remove();
});
beforeEach(() => {
  provider.spoil = (claims) => claims;
  provider.hasWrongSignature = false;
});

/** From a client of its own: one may return twenty times at once. */
let clients = 0;
const follow = (url: string, cookie = '') =>
  fetch(url, {
    redirect: 'manual',
    headers: { Cookie: cookie, 'X-Forwarded-For': `192.0.2.${++clients % 250}` },
  });
const cookieOf = (response: Response, name: string) =>
  response.headers
    .getSetCookie()
    .find((cookie) => cookie.startsWith(`${name}=`))
    ?.split(';', 1)[0] ?? '';

/** Leaves, passes the provider, and stands before the way back. */
async function depart(to = '/'): Promise<{ back: string; cookie: string }> {
  const left = await follow(`${server.url}/dashboard/provider?to=${encodeURIComponent(to)}`);
  const passed = await follow(left.headers.get('location') ?? '');
  return { back: passed.headers.get('location') ?? '', cookie: cookieOf(left, 'whence_departure') };
}

async function arrive({ back, cookie }: { back: string; cookie: string }) {
  const response = await follow(back, cookie);
  const client = new DashboardClient(server.url);
  client.cookie = cookieOf(response, 'whence_session');
  return { client, location: response.headers.get('location') };
}

test('provider: sign-in is refused before there is an account', async () => {
  const response = await follow(`${server.url}/dashboard/provider`);
  assert.equal(response.headers.get('location'), '/');
  admin = await signedInAs(folder, server.url, 'Root', 'admin');
});

test('provider: the sign-in page offers it', async () => {
  const session = await new DashboardClient(server.url).get('getSession');
  assert.deepEqual(session.state === 'signed_out' && session.provider, {
    label: '127.0.0.1',
    path: '/dashboard/provider',
  });
});

test('provider: a person gets an account with the role of the setting, and the page asked for', async () => {
  provider.person = { sub: '1', preferred_username: 'ada', email: 'ada@example.com' };
  const { client, location } = await arrive(await depart('/ip/8.8.8.8?x=1'));
  assert.equal(location, '/ip/8.8.8.8?x=1');
  const session = await client.get('getSession');
  assert.ok(session.state === 'signed_in');
  assert.deepEqual(
    [session.account.name, session.account.role, session.has_password],
    ['ada', 'member', false],
  );
});

test('provider: the same person comes back to the same account, whatever the name is by then', async () => {
  provider.person = { sub: '1', preferred_username: 'ada.lovelace' };
  const { client } = await arrive(await depart());
  const session = await client.get('getSession');
  assert.equal(session.state === 'signed_in' && session.account.name, 'ada');
});

test('provider: a name that another account has does not lead into that account', async () => {
  provider.person = {
    sub: '2',
    preferred_username: 'Root',
    email: 'root@example.com',
    email_verified: true,
  };
  const { client } = await arrive(await depart());
  const session = await client.get('getSession');
  assert.ok(session.state === 'signed_in');
  assert.deepEqual([session.account.name, session.account.role], ['root@example.com', 'member']);
});

test('provider: a person without a free name is told so', async () => {
  provider.person = { sub: 'Root', preferred_username: 'Root' };
  const { client, location } = await arrive(await depart());
  assert.deepEqual([client.cookie, location], ['', '/sign-in?failure=name_taken']);
});

test('provider: a disabled account gets a message and is not signed in', async () => {
  provider.person = { sub: '3', preferred_username: 'gone' };
  await arrive(await depart());
  const { people } = await admin.get('listPeople');
  const id = people.find(({ name }) => name === 'gone')?.id ?? '';
  await admin.get('changePerson', { params: { id }, body: { is_disabled: true } });
  const { client, location } = await arrive(await depart());
  assert.deepEqual([client.cookie, location], ['', '/sign-in?failure=disabled']);
});

for (const [attack, change] of [
  ['without the cookie of the departure', (way) => ({ ...way, cookie: '' })],
  [
    'with another state',
    (way) => ({ ...way, back: way.back.replace(/state=[^&]+/, 'state=other') }),
  ],
  ['with another code', (way) => ({ ...way, back: way.back.replace(/code=[^&]+/, 'code=other') })],
  ['with a cookie that is none', (way) => ({ ...way, cookie: 'whence_departure=x' })],
] as const satisfies [
  string,
  (way: { back: string; cookie: string }) => { back: string; cookie: string },
][]) {
  test(`provider: coming back ${attack} is refused`, async () => {
    const { client, location } = await arrive(change(await depart()));
    assert.deepEqual([client.cookie, location], ['', '/sign-in?failure=failed']);
  });
}

test('provider: a callback URL works once', async () => {
  const way = await depart();
  provider.person = { sub: '1' };
  assert.equal((await arrive(way)).location, '/');
  assert.equal((await arrive(way)).location, '/sign-in?failure=failed');
});

for (const [fault, spoil] of [
  ['for another client', (claims) => ({ ...claims, aud: 'other' })],
  ['of another issuer', (claims) => ({ ...claims, iss: 'https://evil.example' })],
  ['with another nonce', (claims) => ({ ...claims, nonce: 'other' })],
  ['that has ended', (claims) => ({ ...claims, exp: 1 })],
] as const satisfies [string, OpenIdProvider['spoil']][]) {
  test(`provider: an ID token ${fault} is refused`, async () => {
    provider.spoil = spoil;
    const { client, location } = await arrive(await depart());
    assert.deepEqual([client.cookie, location], ['', '/sign-in?failure=failed']);
  });
}

test('provider: an ID token that another key has signed is refused', async () => {
  provider.hasWrongSignature = true;
  const { client, location } = await arrive(await depart());
  assert.deepEqual([client.cookie, location], ['', '/sign-in?failure=failed']);
});

for (const to of [
  'https://evil.example/',
  '//evil.example/',
  '/\\evil.example',
  'javascript:alert(1)',
  '/.//evil.example',
]) {
  test(`provider: ${to} is not where one comes back to`, async () => {
    provider.person = { sub: '1' };
    assert.equal((await arrive(await depart(to))).location, '/');
  });
}

test('provider: an unreachable provider is reported on the sign-in page', async () => {
  const silent = new TestFolder();
  silent.publish();
  const other = await startInProcess(silent, undefined, {
    ...environment,
    WHENCE_OIDC_ISSUER: 'http://127.0.0.1:1',
  });
  await signedInAs(silent, other.url, 'Root', 'admin');
  const response = await follow(`${other.url}/dashboard/provider`);
  assert.equal(response.headers.get('location'), '/sign-in?failure=unreachable');
  await other.close();
  silent.remove();
});

test('provider: who returns before there is an account is refused, and gets no account', async () => {
  const empty = new TestFolder();
  // The same origin, so that the provider accepts the way back.
  const fresh = await startInProcess(empty, undefined, {
    ...environment,
    WHENCE_PUBLIC_URL: server.url,
  });
  try {
    const { back, cookie } = await depart();
    const response = await follow(back.replace(server.url, fresh.url), cookie);
    assert.deepEqual(
      [response.headers.get('location'), cookieOf(response, 'whence_session')],
      ['/', ''],
    );
    const { state, ...rest } = await new DashboardClient(fresh.url).get('getSession');
    assert.deepEqual([state, 'has_accounts' in rest && rest.has_accounts], ['signed_out', false]);
  } finally {
    await fresh.close();
    empty.remove();
  }
});

for (const [behaviour, claims, name] of [
  [
    'a verified email address is one',
    { sub: 's1', email: 'eve@example.com', email_verified: true },
    'eve@example.com',
  ],
  [
    'an unverified one is not',
    { sub: 's2', email: 'ceo@example.com', email_verified: false, name: 'Eve' },
    'Eve',
  ],
  [
    'nor one without a word on it',
    { sub: 's3', email: 'ceo@example.com', name: 'Eve N.' },
    'Eve N.',
  ],
  [
    'nor as a user name',
    { sub: 's4', email: 'CEO@example.com', preferred_username: 'ceo@example.com' },
    's4',
  ],
] as const) {
  test(`provider: names of a new account: ${behaviour}`, async () => {
    provider.person = { ...claims };
    const { client } = await arrive(await depart());
    const session = await client.get('getSession');
    assert.equal(session.state === 'signed_in' && session.account.name, name);
  });
}
