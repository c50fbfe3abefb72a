/** `wh user`, as it is typed. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync } from 'node:fs';
import test, { after } from 'node:test';
import { Command, ORDINARY_USER, serve, urlOf } from '../../test/command.ts';
import { DashboardClient, PASSWORD } from '../../test/dashboard/dashboard-client.ts';
import { runCommand } from '../../test/run-command.ts';
import { bin, startInProcess, TestFolder } from '../../test/test-server.ts';

const folder = new TestFolder();
after(() => folder.remove());

const whence = (...argv: string[]) =>
  runCommand(argv, { WHENCE_DATA_DIR: folder.dataDir, WHENCE_PUBLIC_URL: 'https://whence.example' });

const tokenIn = (text: string) => /https:\/\/whence\.example\/set-up#([\w-]{43})/.exec(text)?.[1] ?? assert.fail(text);

test('user: create prints a link with which the password is set, and sign-in works', async () => {
  const { code, stdout } = await whence('user', 'create', '--new', 'Ada', '--role', 'admin');
  assert.equal(code, 0);
  const server = await startInProcess(folder);
  try {
    const client = new DashboardClient(server.url);
    await client.get('redeemLink', { body: { token: tokenIn(stdout), password: PASSWORD } });
    assert.equal((await client.signIn('Ada')).account.role, 'admin');
  } finally {
    await server.close();
  }
});

test('user: list shows accounts, as a table and as JSON', async () => {
  assert.match((await whence('user', 'list')).stdout, /^id +name +role .*\n\S+ +Ada +admin .* active\n$/);
  const [ada] = JSON.parse((await whence('user', 'list', '--json')).stdout);
  assert.deepEqual([ada.name, ada.role, ada.state], ['Ada', 'admin', 'active']);
});

for (const [behaviour, argv, message] of [
  ['a name that is taken', ['create', 'ADA'], 'another account has this name'],
  ['an unknown role', ['create', 'Eve', '--role', 'root'], 'Allowed choices are viewer, member, admin'],
  ['a name without a character', ['create', ' '], 'a name has 1 to 100 characters'],
] as const) {
  test(`user: ${behaviour} is used wrongly`, async () => {
    const { code, stderr } = await whence('user', ...argv);
    assert.equal(code, 2);
    assert.ok(stderr.includes(message), stderr);
  });
}

test('user: an account that is not there is a failure, as a key is', async () => {
  const { code, stderr } = await whence('user', 'set-role', 'Eve', 'admin');
  assert.deepEqual([code, stderr], [1, 'error: there is no account Eve; npx wh user list shows them\n']);
});

test('user: the last administrator stays one', async () => {
  for (const argv of [
    ['set-role', 'Ada', 'viewer'],
    ['disable', 'Ada'],
  ]) {
    const { code, stderr } = await whence('user', ...argv);
    assert.deepEqual([code, stderr], [1, 'error: Ada is the last administrator; make another one first\n']);
  }
});

test('user: set-role, disable and its undoing, by name', async () => {
  await whence('user', 'create', 'Grace');
  assert.equal((await whence('user', 'set-role', 'grace', 'viewer')).stdout, 'Grace is viewer, has no password yet\n');
  assert.equal((await whence('user', 'disable', 'Grace')).stdout, 'Grace is viewer, disabled\n');
  assert.match((await whence('user', 'disable', 'Grace', '--undo')).stdout, /Grace is viewer, has no password yet/);
});

test('user: reset-password and setup-link print links that differ each time', async () => {
  const first = tokenIn((await whence('user', 'reset-password', 'Ada')).stdout);
  const second = tokenIn((await whence('user', 'setup-link')).stdout);
  assert.notEqual(first, second);
  assert.match(JSON.parse((await whence('user', 'setup-link', '--json')).stdout).link, /#[\w-]{43}$/);
});

test('user: links shows what is open, and revoke-link ends one', async () => {
  await whence('user', 'reset-password', 'Ada');
  const { stdout } = await whence('user', 'links');
  assert.match(stdout, /^id +kind +role +for +created by +expires\n/);
  assert.match(stdout, /\n\S+ +reset +admin +Ada +command line, .*\n/);
  const links: { id: string; kind: string }[] = JSON.parse((await whence('user', 'links', '--json')).stdout);
  const id = links.find(({ kind }) => kind === 'reset')?.id ?? assert.fail();
  assert.equal((await whence('user', 'revoke-link', id)).stdout, `link ${id} is revoked\n`);
  assert.ok(!(await whence('user', 'links')).stdout.includes(id));
  const again = await whence('user', 'revoke-link', id);
  assert.deepEqual([again.code, again.stderr], [1, `error: there is no link ${id}; npx wh user links shows them\n`]);
});

test('serve: prints a link to set up as long as there is no account, and not after', async () => {
  const fresh = new TestFolder();
  fresh.publish();
  try {
    const token = /\/set-up#([\w-]{43})\n/.exec(await firstWords(fresh))?.[1] ?? assert.fail();
    const server = await startInProcess(fresh);
    const client = new DashboardClient(server.url);
    await client.get('redeemLink', { body: { token, name: 'Ada', password: PASSWORD } });
    await server.close();
    assert.doesNotMatch(await firstWords(fresh), /set-up/);
  } finally {
    fresh.remove();
  }
});

test('user: links have the address of the server that runs, and of the settings when none does', async () => {
  const running = new TestFolder();
  running.publish();
  const server = serve(running.dataDir);
  try {
    const url = await urlOf(server);
    const linkOf = async () => (await runCommand(['user', 'setup-link'], running.environment)).stdout;
    assert.ok((await linkOf()).startsWith(`${url}/`), `${await linkOf()} of ${url}`);
    await server.stop();
    assert.match(await linkOf(), /^http:\/\/127\.0\.0\.1:8080\//);
  } finally {
    await server.kill();
    running.remove();
  }
});

test('user: create works for a user whom no passwd entry names', async () => {
  const owned = new TestFolder();
  try {
    if (ORDINARY_USER.uid !== undefined) chownSync(owned.dataDir, ORDINARY_USER.uid, -1);
    const argv = ['user', 'create', '--new', 'Ada'];
    const { code, stderr } = await new Command(argv, { WHENCE_DATA_DIR: owned.dataDir }, ORDINARY_USER).ended;
    const note = `note: no server uses ${owned.dataDir} now; start one before the link is opened\n`;
    assert.deepEqual([code, stderr], [0, note]);
  } finally {
    owned.remove();
  }
});

/** The output of `wh serve`, which is stopped as soon as it listens. */
async function firstWords({ dataDir }: TestFolder): Promise<string> {
  const environment = { WHENCE_DATA_DIR: dataDir, WHENCE_PORT: '0', WHENCE_LOG_LEVEL: 'fatal' };
  const child = spawn(process.execPath, [bin, 'serve'], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: 60_000,
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text;
    if (output.includes('listens on')) child.kill('SIGTERM');
  });
  await once(child, 'close');
  return output;
}
