/** docs/integrations: the code of each page is run by the program it is written for, against a running server. */
import assert from 'node:assert/strict';
import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { promisify } from 'node:util';
import { freePort } from '@whence/testing/programs';
import { NO_POSTGRES, PostgresServer } from '@whence/testing/servers/postgres-server';
import { until } from '@whence/testing/until';
import { runCommand } from '../run-command.ts';
import { startInProcess, TestFolder } from '../test-server.ts';
import { blocksOf } from './page-blocks.ts';

const execute = promisify(execFile);
const missing = (program: string, packageName: string, ...args: string[]) =>
  spawnSync(program, args).error !== undefined && `${program} is not here; apt-get install ${packageName}`;

const data = new TestFolder();
const folder = mkdtempSync(join(tmpdir(), 'whence-integrations-'));
const path = (name: string) => join(folder, name);
let server: Awaited<ReturnType<typeof startInProcess>>;
let key = '';
before(async () => {
  data.publish();
  server = await startInProcess(data);
  key = (await data.createKey()).secret;
});
after(async () => {
  await server.close();
  data.remove();
  rmSync(folder, { recursive: true, force: true });
});

test('python page: its program prints what the server knows', {
  skip: missing('python3', 'python3', '-V'),
}, async () => {
  const [program = ''] = blocksOf('docs/integrations/python.md', 'python');
  writeFileSync(path('example.py'), program);
  const { stdout } = await execute('python3', [path('example.py')], {
    env: { ...process.env, WHENCE_URL: server.url, WHENCE_KEY: key },
  });
  assert.deepEqual(stdout.trim().split('\n'), [
    '8.8.8.8 False',
    '1.0.9.9 True',
    '10.0.0.1 True',
    '8.8.8.8 Google LLC',
    '10.0.0.1 NOT_FOUND',
  ]);
});

test('python page: a server that does not answer, or refuses the key, locks no user out', {
  skip: missing('python3', 'python3', '-V'),
}, async () => {
  const closed = `http://127.0.0.1:${await freePort()}`;
  for (const [url, secret] of [
    [closed, key],
    [server.url, 'whence_wrong'],
  ] as const) {
    const question = 'import example; print(example.needs_second_factor("1.0.9.9"))';
    const { stdout } = await execute('python3', ['-c', question], {
      cwd: folder,
      env: { ...process.env, WHENCE_URL: url, WHENCE_KEY: secret },
    });
    assert.equal(stdout.trim(), 'False', url);
  }
});

test('postgresql page: its commands load the export, and its query finds the networks', {
  skip: NO_POSTGRES,
}, async () => {
  const [, ...argv] = (blocksOf('docs/integrations/postgresql.md', 'console')[0] ?? '')
    .trim()
    .replace('$ ', '')
    .split(' ');
  const exported = argv.map((word) => word.replace('whence.csv', path('whence.csv')));
  assert.equal((await runCommand(exported, { WHENCE_DATA_DIR: data.dataDir })).code, 0);
  const [load = '', query = ''] = blocksOf('docs/integrations/postgresql.md', 'sql');
  const postgres = await PostgresServer.start();
  try {
    const { url } = await postgres.createDatabase();
    const visits =
      "CREATE TABLE visits (ip inet); INSERT INTO visits VALUES ('8.8.8.8'), ('1.0.9.9'), ('2001:4860::1'), ('4.4.4.4');";
    writeFileSync(path('page.sql'), `${visits}\n${load}\n${query}`);
    const { stdout } = await execute(
      'psql',
      ['--no-psqlrc', '--quiet', '--tuples-only', '--csv', '--set=ON_ERROR_STOP=1', '--file', path('page.sql'), url],
      { cwd: folder },
    );
    assert.deepEqual(stdout.trim().split('\n'), [
      '1.0.9.9,64500,"Exämple ""Nord"" GmbH",AU,t',
      '4.4.4.4,,,,',
      '8.8.8.8,15169,Google LLC,US,f',
      '2001:4860::1,15169,Google LLC,US,f',
    ]);
  } finally {
    await postgres.stop();
  }
});

test('fail2ban page: a mobile address is not banned, another one is', {
  skip: missing('fail2ban-server', 'fail2ban', '--version'),
}, async () => {
  // The page names files where Debian has them.
  const here = (text: string) =>
    text.replaceAll('/etc/fail2ban/', `${folder}/`).replaceAll('http://127.0.0.1:8080', server.url);
  const [script = ''] = blocksOf('docs/integrations/fail2ban.md', 'sh');
  const [defaults = ''] = blocksOf('docs/integrations/fail2ban.md', 'ini');
  writeFileSync(path('whence-ignore'), here(script), { mode: 0o755 });
  writeFileSync(path('whence-key'), key, { mode: 0o600 });
  for (const name of ['filter.d', 'action.d']) mkdirSync(path(name));
  writeFileSync(
    path('fail2ban.conf'),
    '[DEFAULT]\nloglevel = INFO\ndbfile = None\ndbmaxmatches = 10\n\n[Definition]\n',
  );
  writeFileSync(path('filter.d/login.conf'), '[Definition]\nfailregex = ^ failed log-in from <HOST>$\n');
  writeFileSync(path('action.d/note.conf'), `[Definition]\nactionban = echo <ip> >> ${path('banned')}\n`);
  const jail = { enabled: 'true', filter: 'login', logpath: path('log'), backend: 'polling', maxretry: '1' };
  const jailLines = Object.entries({ ...jail, bantime: '60', action: 'note' }).map(
    ([name, value]) => `${name} = ${value}`,
  );
  writeFileSync(path('jail.conf'), `${here(defaults)}\n[login]\n${jailLines.join('\n')}\n`);
  writeFileSync(path('log'), '');

  const log = path('fail2ban.log');
  const child = spawn(
    'fail2ban-server',
    ['-f', '-c', folder, '-s', path('socket'), '-p', path('pid'), '--logtarget', log, 'start'],
    { stdio: 'ignore' },
  );
  const logged = () => (existsSync(log) ? readFileSync(log, 'utf8') : '');
  const waiting = { state: logged };
  try {
    await until('the jail is started', () => /Jail 'login' started/.test(logged()), waiting);
    const now = new Date(Date.now() - new Date().getTimezoneOffset() * 60_000)
      .toISOString()
      .slice(0, 19)
      .replace('T', ' ');
    for (const address of ['9.0.0.1', '8.8.8.8']) appendFileSync(path('log'), `${now} failed log-in from ${address}\n`);
    await until('an address is banned', () => existsSync(path('banned')), waiting);
    assert.equal(readFileSync(path('banned'), 'utf8'), '8.8.8.8\n');
    assert.match(logged(), /Ignore 9\.0\.0\.1 by command/);
  } finally {
    child.kill('SIGTERM');
    if (child.exitCode === null) await once(child, 'exit');
  }
});
