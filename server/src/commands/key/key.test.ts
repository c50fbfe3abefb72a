/**
 * `wh key` in the hands of operators: wrong folders, secrets as arguments, users without a name,
 * full disks.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { makeSecret } from '../../keys/secret.ts';
import { maskSecret } from '../../keys/secret-form.ts';
import { openStorage } from '../../storage/open-storage.ts';
import { runCommand } from '../../test/run-command.ts';
import { newBatch } from '../../test/storage/new-batch.ts';

const folder = mkdtempSync(join(tmpdir(), 'whence-key-'));
const dataDir = join(folder, 'data');
after(() => rmSync(folder, { recursive: true, force: true }));

const whenceIn = (dir: string, ...argv: string[]) => runCommand(argv, { WHENCE_DATA_DIR: dir });
const whence = (...argv: string[]) => whenceIn(dataDir, ...argv);
const create = async () => (await whence('key', 'create', '--new', '--name', 'shop')).stdout.trim();
const list = async () =>
  JSON.parse((await whence('key', 'list', '--json')).stdout) as Record<string, string>[];

before(create);

for (const argv of [
  ['key', 'create', '--name', 'shop'],
  ['key', 'list'],
  ['key', 'revoke', 'abcdefghjk'],
  ['key', 'revoke', makeSecret()],
  ['user', 'create', 'Ada'],
  ['user', 'setup-link'],
  ['user', 'list'],
  ['storage', 'check'],
  ['storage', 'migrate', '--to', join(folder, 'target')],
]) {
  test(`${argv.slice(0, 2).join(' ')}: in a wrong folder it says which, and makes none`, async () => {
    const dir = join(folder, 'wrong');
    const { code, stdout, stderr } = await whenceIn(dir, ...argv);
    assert.deepEqual([code, stdout], [3, '']);
    assert.equal(
      stderr,
      `error: there is no database in ${dir}: give --data-dir with the data directory of the server, set ` +
        'WHENCE_DATA_DIR, or run the command where it was started' +
        `${/create|setup-link/.test(argv[1] ?? '') ? '; --new starts an empty one here' : ''}\n`,
    );
    assert.ok(!existsSync(dir) && !existsSync(join(folder, 'target')));
  });
}

for (const [behaviour, nameOf] of [
  ['by the secret itself', (secret: string) => secret],
  ['by its masked form', maskSecret],
  [
    'by its masked form, typed with dots',
    (secret: string) => maskSecret(secret).replace('…', '...'),
  ],
] as const) {
  test(`key revoke: a key is revoked ${behaviour}, which is not printed`, async () => {
    const secret = await create();
    const { code, stdout, stderr } = await whence('key', 'revoke', nameOf(secret));
    const key = (await list()).find(({ masked }) => masked === maskSecret(secret));
    assert.deepEqual([code, stdout, stderr], [0, `${key?.['id']} is revoked\n`, '']);
    assert.ok(key?.['revoked_at'] !== undefined);
    assert.equal(
      (await whence('key', 'revoke', nameOf(secret))).stdout,
      `${key['id']} is already revoked\n`,
    );
  });
}

const shown = async (name: string) =>
  JSON.parse((await whence('key', 'show', name, '--json')).stdout) as Record<string, unknown>;

test('key set: attributes are changed, shown and removed, each on a line', async () => {
  const { id = '' } = await shown(await create());
  const set = (...argv: string[]) => whence('key', 'set', String(id), ...argv);
  const changed = await set(
    '--name',
    'store',
    '--note',
    'of the web team',
    '--tier',
    'pro',
    '--permissions',
    'ip:read,asn:read',
    '--expires',
    '2099-12-31',
    '--networks',
    '192.0.2.0/24,2001:db8::1',
    '--requests-per-second',
    '20',
    '--daily-limit',
    '50000',
  );
  assert.equal(
    changed.stdout,
    [
      'name: shop -> store',
      'tier: free -> pro',
      'permissions: ip:read ip:batch asn:read email:read decide:read -> ip:read asn:read',
      'note: none -> of the web team',
      'expires: never -> 2099-12-31T00:00:00.000Z',
      'networks: any -> 192.0.2.0/24 2001:db8::1/128',
      'rate: unlimited -> 20 a second',
      'daily limit: tier -> 50000 a day',
    ]
      .map((line) => `${id}: ${line}\n`)
      .join(''),
  );
  const key = await shown(String(id));
  assert.deepEqual(
    ['name', 'note', 'expires_at', 'allowed_networks', 'requests_per_second', 'daily_limit'].map(
      (name) => key[name],
    ),
    [
      'store',
      'of the web team',
      '2099-12-31T00:00:00.000Z',
      ['192.0.2.0/24', '2001:db8::1/128'],
      20,
      50_000,
    ],
  );
  const { stdout: text } = await whence('key', 'show', String(id));
  assert.match(text, /^networks +192\.0\.2\.0\/24 2001:db8::1\/128$/m);
  assert.match(text, /^state +active until 2099-12-31$/m);
  assert.match(text, /^tier +pro, 50,000 requests a day$/m);
  assert.match((await whence('key', 'list')).stdout, new RegExp(`^${id} .* pro +50,000 `, 'm'));
  await set(
    '--note',
    '',
    '--expires',
    'never',
    '--networks',
    'any',
    '--requests-per-second',
    'unlimited',
  );
  await set('--daily-limit', 'tier');
  assert.deepEqual(
    Object.keys(await shown(String(id))).filter((name) =>
      /note|expires|networks|second|limit/.test(name),
    ),
    [],
  );
  assert.equal((await set('--tier', 'pro')).stdout, `${id} is as it was\n`);
});

for (const [argv, said] of [
  [[], 'tier free, 1,000 requests a day, 10 addresses per batch'],
  [['--daily-limit', '50000'], 'tier free, 50,000 requests a day, 10 addresses per batch'],
  [
    ['--tier', 'enterprise'],
    'tier enterprise, unlimited requests a day, 1,000 addresses per batch',
  ],
] as const) {
  test(`key create: standard error says ${said}`, async () => {
    const { code, stdout, stderr } = await whence('key', 'create', '--name', 'shop', ...argv);
    assert.deepEqual([code, stderr], [0, `created key shop: ${said}\n`]);
    assert.match(stdout, /^whence_\w{36}\n$/);
  });
}

test('key set --state: paused and active again, by the secret, and the list says so', async () => {
  const secret = await create();
  const { id } = await shown(secret);
  assert.equal(
    (await whence('key', 'set', secret, '--state', 'paused')).stdout,
    `${id}: state: active -> paused\n`,
  );
  assert.equal(
    (await whence('key', 'set', secret, '--state', 'paused')).stdout,
    `${id} is as it was\n`,
  );
  assert.match((await whence('key', 'list')).stdout, new RegExp(`^${id} .* paused \\d{4}-`, 'm'));
  assert.equal(
    (await whence('key', 'set', secret, '--state', 'active')).stdout,
    `${id}: state: paused -> active\n`,
  );
});

test('key rotate: prints the successor alone, and schedules the end of the old key', async () => {
  const old = await create();
  await whence('key', 'set', old, '--networks', '192.0.2.0/24', '--daily-limit', '7');
  const { code, stdout } = await whence('key', 'rotate', old, '--revoke-old-in', '24h');
  assert.equal(code, 0);
  const successor = await shown(stdout.trim());
  const before = await shown(old);
  assert.deepEqual(
    [successor['allowed_networks'], successor['daily_limit']],
    [['192.0.2.0/24'], 7],
  );
  const hours = (Date.parse(String(before['revoke_at'])) - Date.now()) / 3_600_000;
  assert.ok(hours > 23 && hours <= 24, `${hours}`);
  const again = await whence('key', 'rotate', old);
  assert.deepEqual([again.code, again.stdout], [1, '']);
  assert.match(again.stderr, /already has an active successor/);
  assert.match(
    (await whence('key', 'set', old, '--revoke', 'never')).stdout,
    /revocation: .* -> none/,
  );
  await whence('key', 'revoke', old);
  const changed = await whence('key', 'set', old, '--tier', 'pro');
  assert.deepEqual(
    [changed.code, changed.stderr],
    [1, `error: the key ${before['id']} is revoked and cannot be changed\n`],
  );
});

test('key usage: requests by day, endpoint and status', async () => {
  const secret = await create();
  const { id } = await shown(secret);
  assert.match(
    (await whence('key', 'usage', secret)).stdout,
    /^no requests between \d{4}-\d\d-\d\d and /,
  );
  const storage = await openStorage(dataDir);
  const day = new Date().toISOString().slice(0, 10);
  const rows = [{ keyId: String(id), day, endpoint: 'ip', statusClass: 2, requests: 1_234 }];
  await storage.usage.add(newBatch(), rows, new Map());
  await storage.close();
  assert.equal(
    (await whence('key', 'usage', secret)).stdout,
    `day         endpoint  status  requests\n${day}  ip        2xx     1,234\n`,
  );
  const { rows: described } = JSON.parse((await whence('key', 'usage', secret, '--json')).stdout);
  assert.deepEqual(described, [{ day, endpoint: 'ip', status_class: 2, requests: 1_234 }]);
});

for (const [behaviour, argv, message] of [
  ['nothing to change', ['set', 'x'], /nothing to change/],
  [
    'a network with bits behind its length',
    ['set', 'x', '--networks', '192.0.2.7/24'],
    /the network is 192\.0\.2\.0\/24/,
  ],
  [
    'a daily limit of nothing',
    ['set', 'x', '--daily-limit', '0'],
    /a daily limit is a whole number from 1 to 2,147,483,646/,
  ],
  [
    'an expiry in the past',
    ['set', 'x', '--expires', '2020-01-01'],
    /the expiry must be a time in the future/,
  ],
  [
    'an expiry without a zone',
    ['create', '--name', 'x', '--expires', '2099-01-01T10:00'],
    /the expiry must be a time in the future/,
  ],
  ['no requests per second', ['set', 'x', '--requests-per-second', '0'], /a whole number from 1/],
  [
    'a period that is none',
    ['rotate', 'x', '--revoke-old-in', 'soon'],
    /--revoke-old-in must be a time in the future/,
  ],
  ['days that are none', ['usage', 'x', '--days', '0'], /a number from 1 to 400/],
] as const) {
  test(`key: ${behaviour} is wrong usage`, async () => {
    const { code, stdout, stderr } = await whence('key', ...argv);
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(stderr, message);
  });
}

const find = (input: string, ...argv: string[]) =>
  runCommand(['key', 'find', ...argv], { WHENCE_DATA_DIR: dataDir }, { input });

for (const [behaviour, textOf] of [
  ['alone', (secret: string) => `${secret}\n`],
  ['in a line of a file', (secret: string) => `first line\nexport WHENCE_KEY="${secret}"\n`],
] as const) {
  test(`key find: a leaked key on standard input, ${behaviour}, leads to its id and is not printed`, async () => {
    const leaked = await create();
    const { id } = await shown(leaked);
    const { code, stdout, stderr } = await find(textOf(leaked), '-');
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(stdout, new RegExp(`^id +${id}$`, 'm'));
    assert.match(stdout, new RegExp(`^revoke it +npx wh key revoke ${id}$`, 'm'));
    assert.ok(!stdout.includes(leaked));
    assert.equal(JSON.parse((await find(leaked, '-', '--json')).stdout).id, id);
  });
}

test('key find: a key as an argument is refused with the reason', async () => {
  const leaked = await create();
  const { code, stdout, stderr } = await find('', leaked);
  assert.deepEqual([code, stdout, stderr.includes(leaked)], [2, '', false]);
  assert.match(stderr, /it would stay in the history of the shell/);
});

for (const [behaviour, input, exitCode, message] of [
  ['a key of another server', makeSecret(), 1, /there is no key with this secret/],
  [
    'a key with a typing error',
    `${makeSecret().slice(0, -1)}-`,
    2,
    /there is no whole key on standard input/,
  ],
  ['nothing', '', 2, /standard input is empty/],
] as const) {
  test(`key find: ${behaviour} is not found`, async () => {
    const { code, stdout, stderr } = await find(input, '-');
    assert.deepEqual([code, stdout], [exitCode, '']);
    assert.match(stderr, message);
  });
}

for (const command of ['show', 'usage', 'rotate']) {
  test(`key ${command}: an unknown id is named`, async () => {
    const { code, stderr } = await whence('key', command, 'abcdefghjk');
    assert.deepEqual(
      [code, stderr],
      [1, 'error: there is no key abcdefghjk; npx wh key list shows them\n'],
    );
  });
}

const secret = makeSecret();
for (const [behaviour, name, message] of [
  [
    'a secret that belongs to no key',
    secret,
    /^error: there is no key with this secret; npx wh key list shows/,
  ],
  [
    'a secret that is cut off',
    secret.slice(0, 30),
    /^error: this is neither the id nor the whole secret of a key;/,
  ],
  [
    'a secret in quotes',
    `"${secret}"`,
    /^error: this is neither the id nor the whole secret of a key;/,
  ],
  [
    'a secret without its prefix',
    secret.slice(7),
    /^error: this is neither the id nor the whole secret of a key;/,
  ],
  ['a part of a secret', secret.slice(7, 19), /^error: (this is neither|there is no key)/],
  [
    'an id that is unknown',
    'abcdefghjk',
    /^error: there is no key abcdefghjk; npx wh key list shows them\n$/,
  ],
] as const) {
  test(`key revoke: ${behaviour} revokes nothing and is not printed`, async () => {
    const { code, stdout, stderr } = await whence('key', 'revoke', name);
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, message);
    if (name !== 'abcdefghjk') assert.ok(!stderr.includes(secret.slice(12, 17)), stderr);
    assert.ok((await list()).every(({ id }) => id !== name));
  });
}

for (const argv of [
  ['key', secret],
  [secret],
  ['ip', secret],
  ['asn', secret],
  ['dataset', 'use', secret],
  ['key', 'create', '--name', 'x', '--tier', secret],
  ['key', 'create', '--name', `the key ${secret}`],
]) {
  test(`cli: a secret in the wrong place is not printed: ${argv.join(' ').replace(secret, 'SECRET')}`, async () => {
    const { code, stdout, stderr } = await whence(...argv);
    assert.notEqual(code, 0);
    assert.equal(stdout, '');
    assert.ok(!stderr.includes(secret.slice(12, 30)), stderr);
  });
}
