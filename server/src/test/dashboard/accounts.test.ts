/**
 * Accounts of the dashboard over HTTP: set up, sign in and out, links, passwords, sessions, people.
 */
import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { processorMs } from '@whence/testing/processor-time';
import { IDLE_MS, LIFETIME_MS } from '../../accounts/sessions.ts';
import { startInProcess, TestFolder } from '../test-server.ts';
import { DashboardClient, makeSetupToken, PASSWORD, signedInAs } from './dashboard-client.ts';

const folder = new TestFolder();
let server: Awaited<ReturnType<typeof startInProcess>>;
let admin: DashboardClient;

before(async () => {
  folder.publish();
  server = await startInProcess(folder);
});
after(async () => {
  await server.close();
  folder.remove();
});

const anyone = () => new DashboardClient(server.url);

test('set-up: before the first account the session says that there is none', async () => {
  assert.deepEqual(await anyone().get('getSession'), {
    state: 'signed_out',
    has_accounts: false,
    has_public_lookups: false,
  });
});

test('set-up: a link works for 24 hours', async () => {
  const made = new Date(server.clock.nowMs - 24 * 3_600_000 + 60_000);
  const fresh = await makeSetupToken(folder, made);
  assert.equal((await anyone().try('checkLink', { body: { token: fresh } })).status, 200);
  const old = await makeSetupToken(folder, new Date(made.getTime() - 120_000));
  assert.equal((await anyone().try('checkLink', { body: { token: old } })).status, 410);
});

test('set-up: the link makes an administrator, once', async () => {
  const token = await makeSetupToken(folder);
  admin = anyone();
  const { kind, role } = await admin.get('checkLink', { body: { token } });
  assert.deepEqual([kind, role], ['setup', 'admin']);
  const short = await admin.try('redeemLink', { body: { token, name: 'Ada', password: 'short' } });
  assert.deepEqual([short.status, short.data.details?.['path']], [400, '/password']);
  const nameless = await admin.try('redeemLink', { body: { token, password: PASSWORD } });
  assert.deepEqual([nameless.status, nameless.data.details?.['path']], [400, '/name']);
  const { account } = await admin.get('redeemLink', {
    body: { token, name: 'Ada', password: PASSWORD },
  });
  assert.deepEqual([account.name, account.role], ['Ada', 'admin']);
  assert.equal((await admin.get('getSession')).state, 'signed_in');
  const again = await anyone().try('redeemLink', {
    body: { token, name: 'Eve', password: PASSWORD },
  });
  assert.deepEqual([again.status, again.data.code], [410, 'LINK_EXPIRED']);
});

test('set-up: of two concurrent uses of a link, one succeeds', async () => {
  const token = await makeSetupToken(folder);
  const outcomes = await Promise.all(
    ['Twin one', 'Twin two'].map((name) =>
      anyone().try('redeemLink', { body: { token, name, password: PASSWORD } }),
    ),
  );
  assert.deepEqual(outcomes.map(({ status }) => status).sort(), [200, 410]);
});

for (const [behaviour, name, password] of [
  ['a wrong password', 'Ada', 'wrong horse battery'],
  ['an unknown name', 'Nobody here', PASSWORD],
  ['an empty password', 'Ada', ''],
] as const) {
  test(`sign-in: ${behaviour} is refused like any other`, async () => {
    const { status, data } = await anyone().try('signIn', { body: { name, password } });
    assert.deepEqual(
      [status, data],
      [401, { error: 'wrong name or password', code: 'INVALID_CREDENTIALS' }],
    );
  });
}

test('sign-in: the name may be typed in any case', async () => {
  assert.equal((await anyone().signIn(' aDA ')).account.name, 'Ada');
});

test('sign-in: unknown names take as long as wrong passwords', async () => {
  const signInAs = (name: string) =>
    processorMs(() => anyone().try('signIn', { body: { name, password: 'wrong horse battery' } }));
  const known = await signInAs('Ada');
  const unknown = await signInAs('Charles');
  // argon2 takes tens of milliseconds; without it an answer takes a few.
  assert.ok(
    unknown > known / 3 && known > unknown / 3,
    `${known} ms for a known name, ${unknown} ms for an unknown one`,
  );
});

test('sign-in: each sign-in gets a new token and ends the previous session', async () => {
  const client = anyone();
  await client.signIn('Ada');
  const first = client.cookie;
  await client.signIn('Ada');
  assert.notEqual(client.cookie, first);
  client.cookie = first;
  assert.equal((await client.get('getSession')).state, 'signed_out');
});

test('sign-in: the cookie is HttpOnly, SameSite=Lax and for all paths, and not Secure without TLS', async () => {
  const response = await anyone().ask('signIn', { body: { name: 'Ada', password: PASSWORD } });
  const [cookie = ''] = response.headers.getSetCookie();
  assert.match(cookie, /^whence_session=[\w-]{43}; /);
  for (const attribute of ['Path=/', 'HttpOnly', 'SameSite=Lax'])
    assert.ok(cookie.includes(`; ${attribute}`), cookie);
  assert.ok(!/Secure|Domain/.test(cookie), cookie);
  assert.equal(response.headers.get('cache-control'), 'no-store');
});

test('sign-out: ends the session here', async () => {
  const client = anyone();
  await client.signIn('Ada');
  const { cookie } = client;
  await client.get('signOut');
  assert.equal(client.cookie, 'whence_session=');
  client.cookie = cookie;
  assert.equal((await client.try('listKeys')).status, 401);
});

test('sessions: listed with the one in use, ended one by one and all at once', async () => {
  const one = await signedInAs(folder, server.url, 'Grace', 'member');
  const two = anyone();
  await two.signIn('Grace');
  const { sessions } = await two.get('listSessions');
  assert.equal(sessions.length, 2);
  const other = sessions.find(({ is_current }) => !is_current);
  assert.equal(
    (await admin.try('endSession', { params: { id: other?.id ?? '' } })).status,
    404,
    'not of another account',
  );
  await two.get('endSession', { params: { id: other?.id ?? '' } });
  assert.equal((await one.get('getSession')).state, 'signed_out');
  await one.signIn('Grace');
  const { cookie } = two;
  await two.get('endAllSessions');
  two.cookie = cookie;
  for (const client of [one, two])
    assert.equal((await client.get('getSession')).state, 'signed_out');
});

test('sessions: end after a day without a request, and after two weeks with', async () => {
  const { clock } = server;
  const start = clock.nowMs;
  const idle = anyone();
  const busy = anyone();
  await idle.signIn('Ada');
  await busy.signIn('Ada');
  try {
    for (; clock.nowMs < start + LIFETIME_MS - IDLE_MS / 2; clock.nowMs += IDLE_MS / 2) {
      assert.equal((await busy.get('getSession')).state, 'signed_in');
    }
    assert.equal((await idle.get('getSession')).state, 'signed_out');
    clock.nowMs = start + LIFETIME_MS;
    assert.equal((await busy.get('getSession')).state, 'signed_out');
  } finally {
    clock.nowMs = start;
  }
});

test('password: changing it needs the old one and ends every other session', async () => {
  const here = await signedInAs(folder, server.url, 'Edsger', 'member');
  const there = anyone();
  await there.signIn('Edsger');
  const change = (current_password: string, new_password: string) =>
    here.try('changePassword', { body: { current_password, new_password } });
  assert.equal(
    (await change('wrong horse battery', 'a new password')).data.code,
    'INVALID_CREDENTIALS',
  );
  assert.equal((await change(PASSWORD, 'short')).data.code, 'INVALID_REQUEST');
  const before = here.cookie;
  await here.get('changePassword', {
    body: { current_password: PASSWORD, new_password: 'a new password' },
  });
  assert.notEqual(here.cookie, before);
  assert.equal((await here.get('getSession')).state, 'signed_in');
  assert.equal((await there.get('getSession')).state, 'signed_out');
  assert.equal(
    (await there.try('signIn', { body: { name: 'Edsger', password: PASSWORD } })).status,
    401,
  );
  assert.equal((await there.signIn('Edsger', 'a new password')).account.name, 'Edsger');
});

test('people: by invitation, once, with the role that was given', async () => {
  const { open, link } = await admin.get('invite', {
    body: { role: 'viewer', note: 'for Barbara' },
  });
  assert.deepEqual((await admin.get('listLinks')).links, [open]);
  const token = link.path.replace('/set-up#', '');
  assert.ok(!JSON.stringify(await admin.get('listLinks')).includes(token));
  const taken = await anyone().try('redeemLink', {
    body: { token, name: 'ADA', password: PASSWORD },
  });
  assert.equal(taken.data.code, 'NAME_TAKEN');
  const barbara = anyone();
  const { account } = await barbara.get('redeemLink', {
    body: { token, name: 'Barbara', password: PASSWORD },
  });
  assert.equal(account.role, 'viewer');
  assert.deepEqual((await admin.get('listLinks')).links, []);
  const { people } = await admin.get('listPeople');
  assert.ok(
    people.some(
      ({ name, role, is_disabled }) => name === 'Barbara' && role === 'viewer' && !is_disabled,
    ),
  );
});

test('people: a link that is revoked does not work, and the audit log says so', async () => {
  const { open, link } = await admin.get('invite', { body: { role: 'admin' } });
  await admin.get('revokeLink', { params: { id: open.id } });
  const token = link.path.replace('/set-up#', '');
  assert.equal((await anyone().try('checkLink', { body: { token } })).status, 410);
  assert.equal((await admin.try('revokeLink', { params: { id: open.id } })).status, 404);
  const [entry] = (await admin.get('listAudit', { query: { action: 'account.link_revoked' } }))
    .entries;
  assert.deepEqual(
    [entry?.actor, entry?.target_id, entry?.details?.['kind']],
    ['Ada', open.id, 'invitation'],
  );
});

for (const [behaviour, change] of [
  ['disabled', { is_disabled: true }],
  ['demoted', { role: 'member' }],
] as const) {
  test(`people: links of an administrator who is ${behaviour} no longer work`, async () => {
    const mallory = await signedInAs(folder, server.url, `Mallory ${behaviour}`, 'admin');
    const { people } = await admin.get('listPeople');
    const idOf = (wanted: string) =>
      people.find(({ name }) => name === wanted)?.id ?? assert.fail(wanted);
    const invitation = (await mallory.get('invite', { body: { role: 'admin' } })).link;
    const reset = await mallory.get('makeResetLink', { params: { id: idOf('Ada') } });
    const own = (
      await admin.get('invite', { body: { role: 'viewer', note: 'of another administrator' } })
    ).open;
    await admin.get('changePerson', { params: { id: idOf(`Mallory ${behaviour}`) }, body: change });
    for (const { path } of [invitation, reset]) {
      const token = path.replace('/set-up#', '');
      assert.equal((await anyone().try('checkLink', { body: { token } })).status, 410);
      const body = { token, name: `Sybil ${behaviour}`, password: PASSWORD };
      assert.equal((await anyone().try('redeemLink', { body })).data.code, 'LINK_EXPIRED');
    }
    assert.deepEqual((await admin.get('listLinks')).links, [own]);
    const { entries } = await admin.get('listAudit', {
      query: { action: 'account.link_revoked', limit: 2 },
    });
    assert.deepEqual(
      entries.map(({ details }) => [details?.['kind'], details?.['created_by']]).sort(),
      [
        ['invitation', `Mallory ${behaviour}`],
        ['reset', `Mallory ${behaviour}`],
      ],
    );
    await admin.get('revokeLink', { params: { id: own.id } });
  });
}

test('people: a reset link stops working when the person changes the password, and when the account is disabled', async () => {
  const client = await signedInAs(folder, server.url, 'Radia', 'member');
  const id = (await admin.get('listPeople')).people.find(({ name }) => name === 'Radia')?.id ?? '';
  const check = async (path: string) =>
    (await anyone().ask('checkLink', { body: { token: path.replace('/set-up#', '') } })).status;
  const first = await admin.get('makeResetLink', { params: { id } });
  assert.equal(await check(first.path), 200);
  await client.get('changePassword', {
    body: { current_password: PASSWORD, new_password: 'a new password' },
  });
  assert.equal(await check(first.path), 410);
  const second = await admin.get('makeResetLink', { params: { id } });
  await admin.get('changePerson', { params: { id }, body: { is_disabled: true } });
  await admin.get('changePerson', { params: { id }, body: { is_disabled: false } });
  assert.equal(await check(second.path), 410);
});

test('people: a member sees what an administrator did to a key, but not from where', async () => {
  const member = await signedInAs(folder, server.url, 'Margaret', 'member');
  const { key } = await member.get('createKey', {
    body: { name: 'mine', tier: 'free', permissions: ['ip:read'] },
  });
  await admin.get('revokeKey', { params: { id: key.id }, body: { name: 'mine' } });
  const seen = (await member.get('getKeyAudit', { params: { id: key.id } })).entries;
  assert.deepEqual(
    seen.map(({ action, actor, address }) => [action, actor, address !== undefined]),
    [
      ['key.revoked', 'Ada', false],
      ['key.created', 'Margaret', true],
    ],
  );
  const byAdmin = (await admin.get('getKeyAudit', { params: { id: key.id } })).entries;
  assert.ok(byAdmin.every(({ address }) => address !== undefined));
});

test('set-up: the first link stops working once there is an administrator, a later one works', async () => {
  const other = new TestFolder();
  const fresh = await startInProcess(other);
  try {
    const client = new DashboardClient(fresh.url);
    const first = await makeSetupToken(other);
    assert.equal((await client.ask('checkLink', { body: { token: first } })).status, 200);
    await signedInAs(other, fresh.url, 'Ada', 'admin');
    const body = { token: first, name: 'Eve', password: PASSWORD };
    assert.equal((await client.try('redeemLink', { body })).data.code, 'LINK_EXPIRED');
    const later = await makeSetupToken(other, new Date(Date.now() + 1_000));
    await client.get('redeemLink', { body: { token: later, name: 'Grace', password: PASSWORD } });
  } finally {
    await fresh.close();
    other.remove();
  }
});

test('people: a disabled account is signed out at once and cannot sign in until it is enabled', async () => {
  const client = await signedInAs(folder, server.url, 'Alan', 'member');
  const { people } = await admin.get('listPeople');
  const id = people.find(({ name }) => name === 'Alan')?.id ?? '';
  await admin.get('changePerson', { params: { id }, body: { is_disabled: true } });
  assert.equal((await client.try('listKeys')).status, 401);
  const refused = await client.try('signIn', { body: { name: 'Alan', password: PASSWORD } });
  assert.equal(refused.data.code, 'INVALID_CREDENTIALS');
  await admin.get('changePerson', { params: { id }, body: { is_disabled: false, role: 'viewer' } });
  assert.equal((await client.signIn('Alan')).account.role, 'viewer');
});

test('people: the last administrator can neither be demoted nor disabled', async () => {
  const { people } = await admin.get('listPeople');
  const admins = people.filter(({ role }) => role === 'admin');
  const own = admins.find(({ name }) => name === 'Ada');
  for (const { id, name } of admins) {
    if (name !== 'Ada')
      await admin.get('changePerson', { params: { id }, body: { role: 'viewer' } });
  }
  for (const body of [{ role: 'member' }, { is_disabled: true }]) {
    const { status, data } = await admin.try('changePerson', {
      params: { id: own?.id ?? '' },
      body,
    });
    assert.deepEqual([status, data.code], [409, 'LAST_ADMIN']);
  }
});

test('people: a reset link sets a password and ends the sessions', async () => {
  const client = await signedInAs(folder, server.url, 'Donald', 'member');
  const { people } = await admin.get('listPeople');
  const id = people.find(({ name }) => name === 'Donald')?.id ?? '';
  const { path } = await admin.get('makeResetLink', { params: { id } });
  const token = path.replace('/set-up#', '');
  assert.equal((await anyone().get('checkLink', { body: { token } })).name, 'Donald');
  await anyone().get('redeemLink', { body: { token, password: 'another password' } });
  assert.equal((await client.get('getSession')).state, 'signed_out');
  assert.equal((await client.signIn('Donald', 'another password')).account.name, 'Donald');
});

test('throttle: an address that guesses is refused, and the owner at a known address is not', async () => {
  const other = new TestFolder();
  const proxied = await startInProcess(other, undefined, { WHENCE_TRUST_PROXY: '127.0.0.1' });
  try {
    await signedInAs(other, proxied.url, 'Owner', 'admin');
    const from = (address: string, password: string) =>
      new DashboardClient(proxied.url).try('signIn', {
        body: { name: 'Owner', password },
        headers: { 'X-Forwarded-For': address },
      });
    assert.equal((await from('198.51.100.1', PASSWORD)).status, 200);
    const statuses: number[] = [];
    for (let i = 0; i < 16; i++)
      statuses.push((await from('198.51.100.66', `guess number ${i}`)).status);
    assert.deepEqual([statuses[0], statuses.at(-1)], [401, 429]);
    assert.equal(
      (await from('198.51.100.77', PASSWORD)).status,
      429,
      'the account is throttled elsewhere',
    );
    assert.equal(
      (await from('198.51.100.1', PASSWORD)).status,
      200,
      'but not where its owner has been',
    );
  } finally {
    await proxied.close();
    other.remove();
  }
});
