/** How `wh serve` starts, and how it fails to: on real processes, with real ports and files. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { sampleContent } from '@whence/dataset/test/sample-dataset';
import { publish, readManifest } from '@whence/dataset/versions';
import { isWellFormed } from '../../keys/secret-form.ts';
import { Command, ORDINARY_USER, serve, urlOf } from '../command.ts';
import { TestFolder } from '../test-server.ts';

let taken: Server;
let takenPort = '';
before(async () => {
  taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  takenPort = String((taken.address() as AddressInfo).port);
});
after(() => taken.close());

async function withFolder(work: (folder: TestFolder) => Promise<void>): Promise<void> {
  const folder = new TestFolder();
  try {
    await work(folder);
  } finally {
    folder.remove();
  }
}

type Refusal = {
  environment?: () => Record<string, string>;
  prepare?: (dataDir: string) => void | Promise<void>;
  /** Without the rights of root, which may do what others may not. */
  isOrdinaryUser?: boolean;
  code: 2 | 3;
  message: RegExp;
};

const database = (dataDir: string) => join(dataDir, 'whence.sqlite');
/** Root's files, if the tests run as root; the user's own without permission otherwise. */
const NOT_OURS =
  process.getuid?.() === 0
    ? /^error: \S+ belongs to root, and this process runs as user 54321\. As root: chown -R 54321:54321 '\S+'\n$/
    : /^error: /;

const refusals: Record<string, Refusal> = {
  'a port that is taken': {
    environment: () => ({ WHENCE_PORT: takenPort }),
    code: 3,
    message:
      /^error: port \d+ on 127\.0\.0\.1 is in use by another process: stop that process, or change WHENCE_PORT\n$/,
  },
  'a port that is taken, with two workers': {
    environment: () => ({ WHENCE_PORT: takenPort, WHENCE_WORKERS: '2' }),
    code: 3,
    message:
      /^error: port \d+ on 127\.0\.0\.1 is in use by another process: stop that process, or change WHENCE_PORT\n$/,
  },
  'a port for metrics that is taken': {
    environment: () => ({ WHENCE_METRICS_PORT: takenPort }),
    code: 3,
    message:
      /^error: port \d+ on 127\.0\.0\.1 is in use by another process: stop that process, or change WHENCE_METRICS_PORT\n$/,
  },
  'a port for metrics that is taken, with two workers': {
    environment: () => ({ WHENCE_METRICS_PORT: takenPort, WHENCE_WORKERS: '2' }),
    code: 3,
    message:
      /^error: port \d+ on 127\.0\.0\.1 is in use by another process: stop that process, or change WHENCE_METRICS_PORT\n$/,
  },
  'one port for both': {
    environment: () => ({ WHENCE_PORT: '8080', WHENCE_METRICS_PORT: '8080' }),
    code: 2,
    message: /^error: WHENCE_PORT and WHENCE_METRICS_PORT are both 8080: change one\n$/,
  },
  'a host that does not exist': {
    environment: () => ({ WHENCE_HOST: 'no-such-host.invalid' }),
    code: 2,
    message:
      /^error: WHENCE_HOST is "no-such-host\.invalid", a name that cannot be resolved to an address\n$/,
  },
  'an address of another machine': {
    environment: () => ({ WHENCE_HOST: '192.0.2.1', WHENCE_WORKERS: '2' }),
    code: 2,
    message: /^error: WHENCE_HOST is "192\.0\.2\.1", which is not an address of this machine\n$/,
  },
  'an address of another machine for metrics': {
    environment: () => ({ WHENCE_METRICS_PORT: '192.0.2.1:0' }),
    code: 2,
    message:
      /^error: WHENCE_METRICS_PORT is "192\.0\.2\.1", which is not an address of this machine\n$/,
  },
  'proxies that are everyone': {
    environment: () => ({ WHENCE_TRUST_PROXY: '0.0.0.0/0' }),
    code: 2,
    message:
      /^error: WHENCE_TRUST_PROXY is "0\.0\.0\.0\/0", but must be .* any client could forge its address\n$/,
  },
  'a data directory that is a file': {
    environment: () => ({ WHENCE_DATA_DIR: import.meta.filename }),
    code: 3,
    message:
      /^error: the data directory is not a directory: .*start\.full\.test\.js \(.*\)\. WHENCE_DATA_DIR sets .*\n$/,
  },
  'a data directory below a file': {
    environment: () => ({ WHENCE_DATA_DIR: join(import.meta.filename, 'data') }),
    code: 3,
    message:
      /^error: the data directory is not a directory: .*data \(.*\)\. WHENCE_DATA_DIR sets .*\n$/,
  },
  'a data directory that the system does not create': {
    environment: () => ({ WHENCE_DATA_DIR: '/proc/whence' }),
    code: 3,
    message:
      /^error: the data directory cannot be created: \/proc\/whence \(.*\)\. WHENCE_DATA_DIR sets .*\n$/,
  },
  'a data directory whose name is too long': {
    environment: () => ({ WHENCE_DATA_DIR: `/tmp/${'x'.repeat(300)}` }),
    code: 3,
    message: /^error: the data directory cannot be created: .* \(.*\)\. WHENCE_DATA_DIR sets .*\n$/,
  },
  'a data directory that is not writable': {
    prepare: (dataDir) => chmodSync(dataDir, 0o555),
    isOrdinaryUser: true,
    code: 3,
    message: NOT_OURS,
  },
  'a damaged database': {
    prepare: (dataDir) => writeFileSync(database(dataDir), 'not a database'.repeat(1000)),
    code: 3,
    message:
      /^error: .*whence\.sqlite: not a Whence database: restore a backup, .* \(SQLITE_NOTADB\)\n$/,
  },
  'a database that is cut off': {
    prepare: async (dataDir) => {
      await new Command(['key', 'create', '--new', '--name', 'one'], { WHENCE_DATA_DIR: dataDir })
        .ended;
      truncateSync(database(dataDir), 6000);
    },
    environment: () => ({ WHENCE_WORKERS: '2' }),
    code: 3,
    message: /^error: .*whence\.sqlite: damaged: restore a backup, .* \(SQLITE_CORRUPT\)\n$/,
  },
  'a database that is read-only': {
    prepare: async (dataDir) => {
      chmodSync(dataDir, 0o777);
      await new Command(['key', 'create', '--new', '--name', 'one'], { WHENCE_DATA_DIR: dataDir })
        .ended;
      chmodSync(database(dataDir), 0o444);
    },
    isOrdinaryUser: true,
    code: 3,
    message: NOT_OURS,
  },
  'a database that root created': {
    prepare: async (dataDir) => {
      chmodSync(dataDir, 0o777);
      await new Command(['key', 'create', '--new', '--name', 'one'], { WHENCE_DATA_DIR: dataDir })
        .ended;
    },
    isOrdinaryUser: true,
    code: 3,
    message: NOT_OURS,
  },
  'a log of the database that root left': {
    prepare: async (dataDir) => {
      await new Command(['key', 'create', '--new', '--name', 'one'], { WHENCE_DATA_DIR: dataDir })
        .ended;
      const { uid = process.getuid?.() ?? 0 } = ORDINARY_USER;
      for (const path of [dataDir, database(dataDir)]) chownSync(path, uid, uid);
      for (const suffix of ['-wal', '-shm'])
        writeFileSync(`${database(dataDir)}${suffix}`, '', { mode: 0o600 });
    },
    isOrdinaryUser: true,
    code: 3,
    message: NOT_OURS,
  },
  'datasets that root created': {
    prepare: (dataDir) => {
      chmodSync(dataDir, 0o777);
      mkdirSync(join(dataDir, 'datasets'), { mode: 0o700 });
    },
    isOrdinaryUser: true,
    code: 3,
    message: NOT_OURS,
  },
  'a manifest that is not one': {
    prepare: (dataDir) => {
      mkdirSync(join(dataDir, 'datasets'));
      writeFileSync(join(dataDir, 'datasets', 'manifest.json'), '{"current":');
    },
    code: 3,
    message:
      /^error: .*manifest\.json is not a manifest; move it away and build the dataset again\n$/,
  },
};

for (const [
  behaviour,
  { environment = () => ({}), prepare, isOrdinaryUser, code, message },
] of Object.entries(refusals)) {
  test(`start: ${behaviour} ends the process with one error line`, () =>
    withFolder(async ({ dataDir }) => {
      await prepare?.(dataDir);
      const options = isOrdinaryUser === true ? ORDINARY_USER : {};
      const server = serve(dataDir, { WHENCE_LOG_LEVEL: 'fatal', ...environment() }, options);
      try {
        const ended = await server.ended;
        assert.match(ended.stderr, message);
        assert.deepEqual([ended.code, ended.stdout], [code, '']);
      } finally {
        await server.kill();
        if (isOrdinaryUser === true) chmodSync(dataDir, 0o755);
      }
    }));
}

test('start: a port below 1024 without permission is reported with its setting', () =>
  withFolder(async (folder) => {
    // Containers often let every user have them.
    const first = Number(readFileSync('/proc/sys/net/ipv4/ip_unprivileged_port_start', 'utf8'));
    chownSync(folder.dataDir, Number(ORDINARY_USER.uid ?? process.getuid?.()), -1);
    const server = serve(
      folder.dataDir,
      { WHENCE_PORT: '1', WHENCE_LOG_LEVEL: 'fatal' },
      ORDINARY_USER,
    );
    if (first > 1) {
      const { code, stderr } = await server.ended;
      assert.match(
        stderr,
        /^error: permission denied to listen on port 1 of 127\.0\.0\.1: set WHENCE_PORT to 1024 or more\n$/,
      );
      assert.equal(code, 3);
    } else await urlOf(server);
    await server.kill();
  }));

test('start: files that settings name and that do not exist are mentioned, and the server starts', () =>
  withFolder(async (folder) => {
    folder.publish();
    const server = serve(folder.dataDir, {
      WHENCE_FEEDS: '/nowhere/feeds.json',
      WHENCE_OVERRIDES: '/nowhere/o.json',
    });
    await urlOf(server);
    const { code, stderr } = await server.stop();
    assert.equal(code, 0);
    assert.ok(
      stderr.includes('"msg":"WHENCE_FEEDS names /nowhere/feeds.json, which does not exist"'),
      stderr,
    );
    assert.match(
      stderr,
      /"reason":"\/nowhere\/o\.json: .*"msg":"the overrides were refused; the last valid ones, if any, stay in use"/,
    );
  }));

/** The secret that was printed, if any. */
const secretIn = ({ stdout }: { stdout: string }) =>
  /^ {2}(whence_[0-9A-Za-z]{36})$/m.exec(stdout)?.[1];
const keysOf = (folder: TestFolder) => folder.withKeys((keys) => keys.list());

test('first key: printed as soon as the server listens, before the dataset; it has no limit', () =>
  withFolder(async (folder) => {
    const server = serve(folder.dataDir, { WHENCE_DATASET_URL: 'http://127.0.0.1:9/' });
    try {
      const url = await urlOf(server);
      const [, secret = ''] = await server.printed(/^ {2}(whence_[0-9A-Za-z]{36})$/m);
      assert.ok(isWellFormed(secret));
      const response = await fetch(`${url}/v1/ip/8.8.8.8`, { headers: { 'X-API-Key': secret } });
      assert.deepEqual(
        [response.status, response.headers.get('x-ratelimit-limit')],
        [503, '2147483647'],
      );
      const [key, ...others] = await keysOf(folder);
      assert.deepEqual([key?.tier, others.length], ['enterprise', 0]);
      assert.ok(key?.permissions.includes('reports:write'));
      assert.ok(!key?.permissions.includes('database:read'));
      assert.equal((await server.stop()).code, 0);
      assert.ok(!server.stderr.includes(secret), 'it is not in the log');
    } finally {
      await server.kill();
    }
  }));

test('first key: a failed start creates none, so that none is lost', () =>
  withFolder(async (folder) => {
    const { stdout } = await serve(folder.dataDir, { WHENCE_PORT: takenPort }).ended;
    assert.equal(stdout, '');
    assert.deepEqual(await keysOf(folder), []);
    folder.publish();
    const server = serve(folder.dataDir);
    await urlOf(server);
    await server.printed(/curl/);
    const ended = await server.stop();
    assert.ok(secretIn(ended) !== undefined, ended.stdout);
  }));

test('first key: what stops the first build does not lose it', () =>
  withFolder(async (folder) => {
    const settings = { WHENCE_LOG_LEVEL: 'fatal', WHENCE_FEEDS: '/nowhere/feeds.json' };
    const { code, stdout, stderr } = await serve(folder.dataDir, settings).ended;
    assert.equal(code, 3);
    assert.match(stderr, /^error: the first dataset could not be built: WHENCE_FEEDS names .*\n/);
    assert.ok(secretIn({ stdout }) !== undefined, stdout);
    assert.equal((await keysOf(folder)).length, 1);
  }));

test('first key: two servers that start at the same time in one folder create one key', () =>
  withFolder(async (folder) => {
    folder.publish();
    const servers = [1, 2, 3].map(() => serve(folder.dataDir));
    try {
      await Promise.all(servers.map(urlOf));
      const ended = await Promise.all(servers.map((server) => server.stop()));
      assert.equal(ended.map(secretIn).filter((secret) => secret !== undefined).length, 1);
      assert.equal((await keysOf(folder)).length, 1);
    } finally {
      await Promise.all(servers.map((server) => server.kill()));
    }
  }));

test('first key: WHENCE_FIRST_KEY=file writes it to a file of its owner and prints none', () =>
  withFolder(async (folder) => {
    folder.publish();
    const server = serve(folder.dataDir, { WHENCE_FIRST_KEY: 'file', WHENCE_WORKERS: '2' });
    try {
      const url = await urlOf(server);
      await server.printed(/is in .*first-key, which only this user can read/);
      const path = join(folder.dataDir, 'first-key');
      const secret = readFileSync(path, 'utf8').trim();
      assert.equal(statSync(path).mode & 0o777, 0o600);
      const response = await fetch(`${url}/v1/ip/8.8.8.8`, { headers: { 'X-API-Key': secret } });
      assert.equal(response.status, 200);
      await server.printed(/sets up the dashboard is in .*setup-link/);
      const link = join(folder.dataDir, 'setup-link');
      assert.match(readFileSync(link, 'utf8'), /^http:.*\/set-up#\S+\n$/);
      assert.equal(statSync(link).mode & 0o777, 0o600);
      const { stdout, stderr } = await server.stop();
      assert.ok(!stdout.includes(secret) && !stderr.includes(secret));
      assert.ok(!stdout.includes('/set-up#') && !stderr.includes('/set-up#'));
    } finally {
      await server.kill();
    }
  }));

test('first key: one whose file was not finished when the server was killed is found again', () =>
  withFolder(async (folder) => {
    folder.publish();
    const { secret } = await folder.createKey();
    const unfinished = join(folder.dataDir, 'first-key.4242');
    writeFileSync(unfinished, `${secret}\n`, { mode: 0o600 });
    const server = serve(folder.dataDir, { WHENCE_FIRST_KEY: 'file' });
    await server.printed(/is in .*first-key, which only this user can read/);
    await server.stop();
    assert.equal(readFileSync(join(folder.dataDir, 'first-key'), 'utf8').trim(), secret);
    assert.ok(!existsSync(unfinished));
  }));

test('first key: WHENCE_FIRST_KEY=off creates none and prints how to create one', () =>
  withFolder(async (folder) => {
    folder.publish();
    const server = serve(folder.dataDir, { WHENCE_FIRST_KEY: 'off' });
    await server.printed(/WHENCE_FIRST_KEY is off: npx wh key create --name NAME makes one/);
    const { stdout } = await server.stop();
    assert.ok(!stdout.includes('/set-up#'));
    assert.deepEqual(await keysOf(folder), []);
    assert.ok(!existsSync(join(folder.dataDir, 'first-key')));
  }));

test('start: with every version damaged, the embedded default is built; the log has nothing but JSON', () =>
  withFolder(async (folder) => {
    for (const name of ['One', 'Two'])
      publish(folder.dataDir, sampleContent({ routes: [['8.8.8.0/24', 15169, name]] }), new Date());
    for (const { file } of readManifest(folder.dataDir)?.versions ?? [])
      truncateSync(join(folder.dataDir, 'datasets', file), 1000);
    const server = serve(folder.dataDir, { WHENCE_FIRST_KEY: 'off' });
    try {
      await server.printed(/The first dataset is being built/);
      await server.printed(/The dataset is ready/);
      const ready = await fetch(`${await urlOf(server)}/readyz`);
      assert.equal(ready.status, 200);
      const { code, stderr } = await server.stop();
      assert.equal(code, 0);
      const lines = stderr.split('\n').filter((line) => line !== '');
      const logged = lines.map((line) => JSON.parse(line) as { level: string; msg: string });
      assert.ok(logged.some(({ msg }) => msg === 'building the dataset'));
      const words = ['listening', 'Server listening'];
      assert.deepEqual(
        logged
          .filter(({ msg }) => words.some((word) => msg.startsWith(word)))
          .map(({ level }) => level),
        ['info'],
      );
    } finally {
      await server.kill();
    }
  }));

test('start: a dataset that root created is logged with its owner, and the server listens', () =>
  withFolder(async (folder) => {
    folder.publish();
    const datasets = join(folder.dataDir, 'datasets');
    chmodSync(folder.dataDir, 0o777);
    chmodSync(datasets, 0o755);
    for (const name of readdirSync(datasets))
      if (name.endsWith('.whence')) chmodSync(join(datasets, name), 0o000);
    // Nothing is built instead.
    const environment = {
      WHENCE_LOG_LEVEL: 'error',
      WHENCE_DATASET_URL: 'http://127.0.0.1:9/',
      WHENCE_FIRST_KEY: 'off',
    };
    const server = serve(folder.dataDir, environment, ORDINARY_USER);
    try {
      await server.printed(/listens on/);
      const wanted =
        process.getuid?.() === 0
          ? /belongs to root, and this process runs as user 54321/
          : /EACCES/;
      assert.match(server.stderr, wanted);
    } finally {
      await server.kill();
    }
  }));
