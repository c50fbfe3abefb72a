/** `wh user`, as it is typed. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { DashboardClient, PASSWORD } from '../../test/dashboard/dashboard-client.ts';
import { runCommand } from '../../test/run-command.ts';
import { startInProcess, TestFolder } from '../../test/test-server.ts';

const folder = new TestFolder();
after(() => folder.remove());

const whence = (...argv: string[]) =>
  runCommand(argv, {
    WHENCE_DATA_DIR: folder.dataDir,
    WHENCE_PUBLIC_URL: 'https://whence.example',
  });

const tokenIn = (text: string) =>
  /https:\/\/whence\.example\/set-up#([\w-]{43})/.exec(text)?.[1] ?? assert.fail(text);

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
  assert.match(
    (await whence('user', 'list')).stdout,
    /^id +name +role .*\n\S+ +Ada +admin .* active\n/,
  );
  const { accounts } = JSON.parse((await whence('user', 'list', '--json')).stdout);
  const [ada] = accounts;
  assert.deepEqual([ada.name, ada.role, ada.state], ['Ada', 'admin', 'active']);
});

for (const [behaviour, argv, message] of [
  ['a name that is taken', ['create', 'ADA'], 'another account has this name'],
  [
    'an unknown role',
    ['create', 'Eve', '--role', 'root'],
    'Allowed choices are viewer, member, admin',
  ],
  [
    'a domain that is none',
    ['create', 'Eve', '--domains', 'example.com,no domain!'],
    'is neither a domain such as example.com nor *.example.com',
  ],
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
  assert.deepEqual(
    [code, stderr],
    [1, 'error: there is no account Eve; npx wh user list shows them\n'],
  );
});

test('user: the last administrator stays one', async () => {
  for (const argv of [
    ['set-role', 'Ada', 'viewer'],
    ['disable', 'Ada'],
  ]) {
    const { code, stderr } = await whence('user', ...argv);
    assert.deepEqual(
      [code, stderr],
      [1, 'error: Ada is the last administrator; make another one first\n'],
    );
  }
});

test('user: set-role, disable and its undoing, by name', async () => {
  await whence('user', 'create', 'Grace');
  assert.equal(
    (await whence('user', 'set-role', 'grace', 'viewer')).stdout,
    'Grace is viewer, has no password yet\n',
  );
  assert.equal((await whence('user', 'disable', 'Grace')).stdout, 'Grace is viewer, disabled\n');
  assert.match(
    (await whence('user', 'disable', 'Grace', '--undo')).stdout,
    /Grace is viewer, has no password yet/,
  );
});

for (const [behaviour, list, words, want] of [
  [
    'a list of domains',
    ['--domains', 'Example.com,*.example.net'],
    ' (viewer, for reports of example.com, *.example.net) sets',
    ['example.com', '*.example.net'],
  ],
  ['all domains', ['--domains', 'all'], ' (viewer) sets', []],
  ['no list', [], ' (viewer) sets', []],
] as const) {
  test(`user: create with ${behaviour} limits the account from its first sign-in`, async () => {
    const name = `Mary ${behaviour}`;
    const { stdout } = await whence('user', 'create', name, '--role', 'viewer', ...list);
    assert.ok(stdout.includes(words), stdout);
    const { accounts } = JSON.parse((await whence('user', 'list', '--json')).stdout);
    const made = accounts.find((account: { name: string }) => account.name === name);
    assert.deepEqual(made.domains, want);
  });
}

test('user: reset-password and setup-link print links that differ each time', async () => {
  const first = tokenIn((await whence('user', 'reset-password', 'Ada')).stdout);
  const second = tokenIn((await whence('user', 'setup-link')).stdout);
  assert.notEqual(first, second);
  assert.match(
    JSON.parse((await whence('user', 'setup-link', '--json')).stdout).link,
    /#[\w-]{43}$/,
  );
});

test('user: list shows links that have not been used', async () => {
  await whence('user', 'reset-password', 'Ada');
  const { stdout } = await whence('user', 'list');
  assert.match(stdout, /\nopen link +kind +role +for +created by +expires\n/);
  assert.match(stdout, /\n\S+ +reset +admin +Ada +command line, .*\n/);
  const { links } = JSON.parse((await whence('user', 'list', '--json')).stdout);
  assert.ok(links.some(({ kind }: { kind: string }) => kind === 'reset'));
});
