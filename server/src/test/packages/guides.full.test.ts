/**
 * docs/guides: the code of each page is run by the program it is written for, against a running
 * server.
 */
import assert from 'node:assert/strict';
import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { promisify } from 'node:util';
import { freePort } from '@whence/testing/programs';
import { NO_POSTGRES, PostgresServer } from '@whence/testing/servers/postgres-server';
import { until } from '@whence/testing/until';
import { runCommand } from '../run-command.ts';
import { startInProcess, TestFolder } from '../test-server.ts';
import { isRegistryReachable, ROOT, runIn } from './packed.ts';
import { blocksOf } from './page-blocks.ts';

const execute = promisify(execFile);
const missing = (program: string, packageName: string, ...args: string[]) =>
  spawnSync(program, args).error !== undefined &&
  `${program} is not here; apt-get install ${packageName}`;

// Before the first test: what the tests share is removed when none is left.
const hasRegistry = await isRegistryReachable();
const data = new TestFolder();
const folder = mkdtempSync(join(tmpdir(), 'whence-guides-'));
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
  const [program = ''] = blocksOf('docs/guides/python.md', 'python');
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
  const [, ...argv] = (blocksOf('docs/guides/postgresql.md', 'sh')[0] ?? '').trim().split(' ');
  const exported = argv.map((word) => word.replace('whence.csv', path('whence.csv')));
  assert.equal((await runCommand(exported, { WHENCE_DATA_DIR: data.dataDir })).code, 0);
  const [load = '', query = ''] = blocksOf('docs/guides/postgresql.md', 'sql');
  const postgres = await PostgresServer.start();
  try {
    const { url } = await postgres.createDatabase();
    const visits =
      "CREATE TABLE visits (ip inet); INSERT INTO visits VALUES ('8.8.8.8'), ('1.0.9.9'), ('2001:4860::1'), ('4.4.4.4');";
    writeFileSync(path('page.sql'), `${visits}\n${load}\n${query}`);
    const { stdout } = await execute(
      'psql',
      [
        '--no-psqlrc',
        '--quiet',
        '--tuples-only',
        '--csv',
        '--set=ON_ERROR_STOP=1',
        '--file',
        path('page.sql'),
        url,
      ],
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
  const [script = ''] = blocksOf('docs/guides/fail2ban.md', 'sh needs=fail2ban');
  const [defaults = ''] = blocksOf('docs/guides/fail2ban.md', 'ini');
  writeFileSync(path('whence-ignore'), here(script), { mode: 0o755 });
  writeFileSync(path('whence-key'), key, { mode: 0o600 });
  for (const name of ['filter.d', 'action.d']) mkdirSync(path(name));
  writeFileSync(
    path('fail2ban.conf'),
    '[DEFAULT]\nloglevel = INFO\ndbfile = None\ndbmaxmatches = 10\n\n[Definition]\n',
  );
  writeFileSync(
    path('filter.d/login.conf'),
    '[Definition]\nfailregex = ^ failed log-in from <HOST>$\n',
  );
  writeFileSync(
    path('action.d/note.conf'),
    `[Definition]\nactionban = echo <ip> >> ${path('banned')}\n`,
  );
  const jail = {
    enabled: 'true',
    filter: 'login',
    logpath: path('log'),
    backend: 'polling',
    maxretry: '1',
  };
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
    for (const address of ['9.0.0.1', '8.8.8.8'])
      appendFileSync(path('log'), `${now} failed log-in from ${address}\n`);
    await until('an address is banned', () => existsSync(path('banned')), waiting);
    assert.equal(readFileSync(path('banned'), 'utf8'), '8.8.8.8\n');
    assert.match(logged(), /Ignore 9\.0\.0\.1 by command/);
  } finally {
    child.kill('SIGTERM');
    if (child.exitCode === null) await once(child, 'exit');
  }
});

/** Programs that Debian has outside of the PATH of some users. */
const environment = {
  ...process.env,
  PATH: `${process.env['PATH']}:/usr/sbin`,
  HOME: folder,
  XDG_DATA_HOME: folder,
};

/** Runs the commands of a page, with its files in the test's folder. */
async function runExports(page: string): Promise<void> {
  const commands = blocksOf(page, 'sh').flatMap((block) => block.trim().split('\n'));
  for (const command of commands) {
    const argv = command.replace('--output ', `--output ${folder}/`).split(' ').slice(1);
    const { code, stderr } = await runCommand(argv, data.environment);
    assert.equal(code, 0, `${command}\n${stderr}`);
  }
}

/** The page's program is in front of a client that says where it comes from. */
async function answersByCountry(
  start: (port: number) => ReturnType<typeof spawn>,
  welcome: RegExp,
): Promise<void> {
  const port = await freePort();
  const child = start(port);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  const ask = (address: string) =>
    fetch(`http://127.0.0.1:${port}/`, { headers: { 'X-Forwarded-For': address } }).catch(
      () => undefined,
    );
  try {
    await until('it listens', async () => (await ask('8.8.8.8')) !== undefined, {
      state: () => output,
    });
    const known = await ask('8.8.8.8');
    assert.match((await known?.text()) ?? '', welcome);
    assert.equal((await ask('1.0.9.9'))?.status, 403);
  } finally {
    child.kill('SIGTERM');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
}

const start = (program: string, ...args: string[]) =>
  spawn(program, args, { env: environment, cwd: folder });

test('haproxy page: a country for each client, and none from Tor', {
  skip: missing('haproxy', 'haproxy', '-v'),
}, async () => {
  await runExports('docs/guides/haproxy.md');
  const [config = ''] = blocksOf('docs/guides/haproxy.md', 'haproxy');
  await answersByCountry((port) => {
    const here = config
      .replaceAll('/etc/haproxy/', `${folder}/`)
      .replace('bind :8080', `bind 127.0.0.1:${port}`);
    writeFileSync(path('haproxy.cfg'), here);
    return start('haproxy', '-db', '-f', path('haproxy.cfg'));
  }, /^country US$/);
});

const NO_NGINX =
  spawnSync('nginx', ['-v'], { env: environment }).error !== undefined &&
  'nginx is not here; apt-get install nginx-light';
for (const [kind, module] of [
  ['geo', undefined],
  ['geoip2', '/usr/lib/nginx/modules/ngx_http_geoip2_module.so'],
] as const)
  test(`nginx page: a country for each client, and none from Tor: ${kind}`, {
    skip:
      NO_NGINX ||
      (module !== undefined && !existsSync(module) && 'apt-get install libnginx-mod-http-geoip2'),
  }, async () => {
    await runExports('docs/guides/nginx.md');
    const [config = ''] = blocksOf('docs/guides/nginx.md', `nginx ${kind}`);
    await answersByCountry((port) => {
      const here = config
        .replaceAll('/etc/nginx/', `${folder}/`)
        .replace('listen 8080', `listen 127.0.0.1:${port}`);
      const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
        (name) => `${name}_temp_path ${path(name)};`,
      );
      const head = module === undefined ? '' : `load_module ${module};\n`;
      writeFileSync(
        path('nginx.conf'),
        `${head}daemon off; pid ${path('nginx.pid')}; error_log stderr;\nevents {}\nhttp {\naccess_log off;\n${paths.join('\n')}\n${here}}\n`,
      );
      return start('nginx', '-p', folder, '-c', path('nginx.conf'));
    }, /^country US\n$/);
  });

test('caddy page: its command writes the list, and Caddy refuses Tor', {
  skip: missing('caddy', 'caddy', 'version'),
}, async () => {
  const [script = ''] = blocksOf('docs/guides/caddy.md', 'sh');
  const [config = ''] = blocksOf('docs/guides/caddy.md', 'caddy');
  const wh = `${process.execPath} ${join(import.meta.dirname, '../../bin.js')}`;
  const env = { ...environment, ...data.environment };
  // The test has one address; the others come in a header, which this matcher reads up to Caddy
  // 2.6.
  const forwarded = script.replace('remote_ip', 'remote_ip forwarded');
  await execute('sh', ['-c', forwarded.replace(/^wh/, wh)], { cwd: folder, env });
  await answersByCountry((port) => {
    const options = `{\n\tadmin off\n}\n`;
    writeFileSync(
      path('Caddyfile'),
      `${options}${config.replaceAll('/etc/caddy/', `${folder}/`).replace(':8080', `http://127.0.0.1:${port}`)}`,
    );
    return start('caddy', 'run', '--config', path('Caddyfile'));
  }, /^welcome$/);
});

for (const name of ['express', 'fastify'])
  test(`${name} page: a country for each client, and none from Tor`, {
    skip:
      name === 'express' &&
      !hasRegistry &&
      'the npm registry cannot be reached, so Express cannot be installed',
  }, async () => {
    const project = path(name);
    mkdirSync(join(project, 'node_modules'), { recursive: true });
    if (name === 'express')
      await runIn(
        project,
        'npm',
        [
          'install',
          '--no-save',
          '--no-package-lock',
          '--prefer-offline',
          '--prefix',
          project,
          'express@5',
        ],
        {},
      );
    else symlinkSync(join(ROOT, 'node_modules/fastify'), join(project, 'node_modules/fastify'));
    symlinkSync(join(ROOT, 'node_modules/@whence'), join(project, 'node_modules/@whence'));
    const [program = ''] = blocksOf(`docs/guides/${name}.md`, 'js');
    writeFileSync(join(project, 'server.mjs'), program);
    await answersByCountry(
      (port) =>
        spawn(process.execPath, [join(project, 'server.mjs')], {
          env: { ...environment, ...data.environment, PORT: String(port) },
        }),
      /^country US\n$/,
    );
  });

test('guides: each is run here, or says that it is not', () => {
  const tested = readFileSync(import.meta.filename, 'utf8');
  for (const name of readdirSync(join(ROOT, 'docs/guides')))
    assert.ok(
      tested.includes(name) ||
        ['express.md', 'fastify.md'].includes(name) ||
        /[Nn]ot run by our tests/.test(readFileSync(join(ROOT, 'docs/guides', name), 'utf8')),
      name,
    );
});
