/** One builder, a static host, replicas: on real processes and sockets, with kills. */

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { afterEach, beforeEach } from 'node:test';
import { pathToFileURL } from 'node:url';
import { sampleContent } from '@whence/dataset/test/sample-dataset';
import { publish, readManifest, useVersion, verifyVersion } from '@whence/dataset/versions';
import { publishTo } from '@whence/dataset/versions/publish-to';
import { FolderHost } from '@whence/testing/servers/folder-host';
import { killAfter, until } from '@whence/testing/until';
import { afterBuild } from '../../commands/dataset/replica.ts';
import { openLog } from '../../log/log.ts';
import { DatasetPuller } from '../../versions/dataset-puller.ts';
import { runCommand } from '../run-command.ts';
import { ServerProcess, startInProcess, TestFolder } from '../test-server.ts';

const bin = join(import.meta.dirname, '../../bin.js');

let folder = '';
let builder = '';
let host: FolderHost;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'whence-replica-'));
  builder = join(folder, 'builder');
  host = await FolderHost.start(join(folder, 'www'));
});
afterEach(async () => {
  await host.close();
  rmSync(folder, { recursive: true, force: true });
});

function release(name: string): void {
  publish(builder, sampleContent({ routes: [['8.8.8.0/24', 15169, name]] }), new Date());
  publishTo(builder, host.folder, { keep: 3 });
}

const whence = (dataDir: string, ...argv: string[]) =>
  runCommand(argv, {
    WHENCE_DATA_DIR: dataDir,
    WHENCE_DATASET_URL: host.url,
    WHENCE_KEEP_VERSIONS: '2',
  });

type Json = { data: Record<string, unknown>; meta: { dataset_version: number } };

async function ask(url: string, secret: string): Promise<{ status: number; body: Json }> {
  const response = await fetch(`${url}/v1/ip/8.8.8.8`, { headers: { 'X-API-Key': secret } });
  return { status: response.status, body: (await response.json()) as Json };
}

/** What a server says of 8.8.8.8, as soon as it says the name that is wanted. */
async function untilNamed(url: string, secret: string, name: string): Promise<number> {
  let body: Json | undefined;
  await until(
    `${url} says ${name}`,
    async () => {
      ({ body } = await ask(url, secret));
      return body.data['asn_name'] === name;
    },
    { everyMs: 50 },
  );
  return body?.meta.dataset_version ?? 0;
}

async function withFolders(
  count: number,
  work: (folders: TestFolder[]) => Promise<void>,
): Promise<void> {
  const folders = Array.from({ length: count }, () => new TestFolder());
  try {
    await work(folders);
  } finally {
    for (const one of folders) one.remove();
  }
}

test('replica: the first start waits for the host with 503 and serves as soon as there is a version', async () => {
  await withFolders(1, async ([replica]) => {
    assert.ok(replica);
    const { secret } = await replica.createKey();
    const server = await ServerProcess.start(replica, {
      WHENCE_DATASET_URL: host.url,
      WHENCE_WORKERS: '2',
    });
    try {
      const { status, body } = await ask(server.url, secret);
      assert.deepEqual([status, body.data['code']], [503, 'DATASET_UNAVAILABLE']);
      const ready = await fetch(`${server.url}/readyz`);
      assert.equal(ready.status, 503);
      assert.match(await ready.text(), /"dataset":"missing"/);
      release('One');
      assert.equal(await untilNamed(server.url, secret, 'One'), 1);
      assert.equal(await server.stop(), 0);
    } finally {
      await server.stop('SIGKILL');
    }
  });
});

test('replica: on SIGTERM while it waits for the host, it exits with 0', async () => {
  await withFolders(1, async ([replica]) => {
    assert.ok(replica);
    await replica.createKey();
    const server = await ServerProcess.start(replica, { WHENCE_DATASET_URL: host.url });
    assert.equal(await server.stop(), 0);
  });
});

test('replica: two replicas of one host follow within a poll interval, refuse a wrong digest, and roll back with the publisher', async () => {
  release('One');
  await withFolders(2, async (folders) => {
    const replicas = await Promise.all(
      folders.map(async (replica) => {
        const puller = new DatasetPuller({
          url: host.url,
          dataDir: replica.dataDir,
          keepVersions: 7,
          intervalSeconds: 0.2,
          log: openLog('fatal').logger,
          now: () => new Date(),
          random: Math.random,
        });
        puller.start();
        const { secret } = await replica.createKey();
        return { puller, secret, server: await startInProcess(replica) };
      }),
    );
    const say = (name: string) =>
      Promise.all(replicas.map(({ server, secret }) => untilNamed(server.url, secret, name)));
    try {
      assert.deepEqual(await say('One'), [1, 1]);
      release('Two');
      assert.deepEqual(await say('Two'), [2, 2]);

      release('Three');
      const manifest = join(host.folder, 'manifest.json');
      const { file } = JSON.parse(readFileSync(manifest, 'utf8')).versions.at(-1);
      const good = readFileSync(join(host.folder, file));
      writeFileSync(
        join(host.folder, file),
        Buffer.concat([good.subarray(0, -1), Buffer.from('x')]),
      );
      await until('the wrong digest is noticed', () =>
        replicas.every(({ puller }) => /checksum mismatch/.test(puller.status.last_error ?? '')),
      );
      assert.deepEqual(await say('Two'), [2, 2]);
      writeFileSync(join(host.folder, file), good);
      assert.deepEqual(await say('Three'), [3, 3]);

      useVersion(builder, 1);
      publishTo(builder, host.folder, { keep: 3 });
      assert.deepEqual(await say('One'), [1, 1]);

      // The builder starts over: number 1 means something else now, and every replica says the
      // same.
      rmSync(builder, { recursive: true });
      release('Another one');
      assert.deepEqual(await say('Another one'), [1, 1]);
    } finally {
      for (const { puller, server } of replicas) {
        await puller.stop();
        await server.close();
      }
    }
  });
});

test('replica: killed at any moment of a pull, the current version stays intact and the next pull succeeds', async () => {
  release('One');
  const dataDir = join(folder, 'replica');
  assert.equal((await whence(dataDir, 'dataset', 'pull')).code, 0);
  release('Two');
  // Slow enough to be killed in the middle: the file in twenty pieces.
  host.intercept = (request, response) => {
    const bytes =
      request.url === '/manifest.json'
        ? undefined
        : readFileSync(join(host.folder, request.url ?? ''));
    if (bytes === undefined) return false;
    const from = Number(/\d+/.exec(request.headers.range ?? '')?.[0] ?? 0);
    response.writeHead(from > 0 ? 206 : 200, {
      'Content-Range': `bytes ${from}-${bytes.length - 1}/${bytes.length}`,
    });
    let sent = from;
    const timer = setInterval(() => {
      if (sent >= bytes.length) response.end();
      else response.write(bytes.subarray(sent, sent + bytes.length / 20));
      sent += Math.floor(bytes.length / 20);
    }, 10);
    response.on('close', () => clearInterval(timer));
    return true;
  };
  for (let kill = 0; kill < 6; kill++) {
    host.seen.splice(0);
    const environment = { ...process.env, WHENCE_DATA_DIR: dataDir, WHENCE_DATASET_URL: host.url };
    const child = spawn(process.execPath, [bin, 'dataset', 'pull'], {
      env: environment,
      stdio: 'ignore',
    });
    await until('the pull has started', () => host.seen.length > 0 || child.exitCode !== null, {
      everyMs: 2,
    });
    await killAfter(child, kill * 25);
    const manifest = readManifest(dataDir);
    const current = manifest?.versions.find(({ version }) => version === manifest.current);
    assert.ok(current);
    assert.equal(verifyVersion(dataDir, current).meta.version, current.version);
  }
  const { code, stdout } = await whence(dataDir, 'dataset', 'pull', '--json');
  assert.deepEqual([code, JSON.parse(stdout).version], [0, 2]);
  // Killed after the adoption, a pull leaves its lock. One that finds nothing to do needs none; the
  // next that writes takes it over.
  assert.equal((await whence(dataDir, 'dataset', 'use', '2')).code, 0);
  assert.deepEqual(
    readdirSync(join(dataDir, 'datasets')).filter(
      (name) => !/^(\d{6}-[0-9a-f]{16}\.whence|manifest\.json)$/.test(name),
    ),
    [],
    'nothing unfinished is left',
  );
});

const PAGE = 4_096;
const canMount = () => {
  const place = mkdtempSync(join(tmpdir(), 'whence-mount-'));
  const { status } = spawnSync('mount', ['-t', 'tmpfs', 'none', place]);
  if (status === 0) spawnSync('umount', [place]);
  rmSync(place, { recursive: true, force: true });
  return status === 0;
};

test('replica: with a disk that is full at any point of a pull, the version in use is answered; with space, the new one', {
  skip: canMount() ? false : 'a small file system cannot be mounted here',
}, async () => {
  release('One');
  const replica = new TestFolder();
  assert.equal(
    spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'none', replica.dataDir]).status,
    0,
  );
  try {
    const { secret } = await replica.createKey();
    assert.equal((await whence(replica.dataDir, 'dataset', 'pull')).code, 0);
    const server = await ServerProcess.start(replica);
    const filler = join(replica.dataDir, 'filler');
    try {
      assert.equal(await untilNamed(server.url, secret, 'One'), 1);
      release('Two');
      // The file of the version is written first, then the manifest.
      const needed = Math.ceil(
        readFileSync(join(host.folder, newestFile(host.folder))).length / PAGE,
      );
      const failed = new Set<string>();
      const succeeded = new Set<number>();
      for (const free of [
        0,
        1,
        Math.floor(needed / 2),
        needed - 1,
        needed,
        needed + 1,
        needed + 2,
      ]) {
        fill(filler, replica.dataDir, free * PAGE);
        const { code, stderr } = await whence(replica.dataDir, 'dataset', 'pull');
        const { status, body } = await ask(server.url, secret);
        assert.equal(status, 200);
        const manifest = readManifest(replica.dataDir);
        const current = manifest?.versions.find(({ version }) => version === manifest.current);
        assert.ok(current);
        assert.equal(verifyVersion(replica.dataDir, current).meta.version, current.version);
        if (code === 0) succeeded.add(free);
        else failed.add(stderr);
        if (code !== 0)
          assert.deepEqual([body.data['asn_name'], current.version], ['One', 1], stderr);
        rmSync(filler);
        if (code === 0) break;
      }
      assert.ok(failed.size > 0, 'the disk was full');
      for (const stderr of failed) assert.match(stderr, /no space left/);
      if (succeeded.size === 0)
        assert.equal((await whence(replica.dataDir, 'dataset', 'pull')).code, 0);
      assert.equal(await untilNamed(server.url, secret, 'Two'), 2);
    } finally {
      await server.stop('SIGKILL');
    }
  } finally {
    spawnSync('umount', ['-l', replica.dataDir]);
    replica.remove();
  }
});

/** Leaves `free` bytes on the file system of the folder. */
function fill(filler: string, folder: string, free: number): void {
  const { bavail, bsize } = statfsSync(folder);
  try {
    writeFileSync(filler, Buffer.alloc(bavail * bsize - free));
  } catch (error) {
    // The server has written meanwhile, and the disk is full.
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}

const newestFile = (place: string) =>
  readdirSync(place)
    .filter((name) => name.endsWith('.whence'))
    .sort()
    .at(-1) ?? '';

test('replica: a running server follows a pull from the command line', async () => {
  release('One');
  await withFolders(1, async ([replica]) => {
    assert.ok(replica);
    const { secret } = await replica.createKey();
    const server = await ServerProcess.start(replica, {
      WHENCE_DATASET_URL: pathToFileURL(host.folder).href,
    });
    try {
      assert.equal(await untilNamed(server.url, secret, 'One'), 1);
      release('Two');
      assert.deepEqual(await whence(replica.dataDir, 'dataset', 'pull'), {
        code: 0,
        stdout: 'version 2 is current\n',
        stderr: '',
      });
      assert.equal(await untilNamed(server.url, secret, 'Two'), 2);
    } finally {
      await server.stop('SIGKILL');
    }
  });
});

test('cli: dataset publish and pull, in words and in JSON', async () => {
  publish(builder, sampleContent({ routes: [['8.8.8.0/24', 15169, 'One']] }), new Date());
  const replica = join(folder, 'replica');
  const to = host.folder;
  const publishing = await whence(builder, 'dataset', 'publish', '--to', to);
  assert.deepEqual(publishing, {
    code: 0,
    stdout: `${to}: version 1 is current, 1 version published, 1 file written, 0 removed\n`,
    stderr: '',
  });
  const again = JSON.parse(
    (await whence(builder, 'dataset', 'publish', '--to', to, '--keep', '1', '--json')).stdout,
  );
  assert.deepEqual(again, { current: 1, versions: [1], written: [], removed: [], left_out: [] });
  assert.equal((await whence(replica, 'dataset', 'pull')).stdout, 'version 1 is current\n');
  assert.equal(
    (await whence(replica, 'dataset', 'pull')).stdout,
    'no change: version 1 is current\n',
  );
  assert.equal(
    (await whence(replica, 'dataset', 'pull', '--json')).stdout,
    '{"version":1,"is_new":false}\n',
  );
});

test('cli: selecting a version on a replica prints a note', async () => {
  release('One');
  const replica = join(folder, 'replica');
  await whence(replica, 'dataset', 'pull');
  const { code, stderr } = await whence(replica, 'dataset', 'use', '1');
  assert.equal(code, 0);
  assert.match(
    stderr,
    /^note: WHENCE_DATASET_URL is set: the next pull makes the published version current again\n$/,
  );
});

test('cli: a build removes old versions; on a replica, or when a lock keeps them, it prints a note', () => {
  for (const name of ['One', 'Two', 'Three'])
    publish(builder, sampleContent({ routes: [['8.8.8.0/24', 15169, name]] }), new Date());
  let stderr = '';
  const output = {
    write(text: string) {
      stderr += text;
    },
  };
  afterBuild({ dataDir: builder, datasetUrl: undefined, keepVersions: 2 }, new Date(), output);
  assert.equal(stderr, '');
  assert.equal(readManifest(builder)?.versions.length, 2);
  const lock = { id: '4f0a1f0e-0000-4000-8000-000000000000', pid: process.ppid };
  writeFileSync(join(builder, 'datasets/lock'), JSON.stringify(lock));
  afterBuild({ dataDir: builder, datasetUrl: host.url, keepVersions: 2 }, new Date(), output);
  assert.match(
    stderr,
    /^note: old versions were not removed: process \d+ is publishing .*\nnote: WHENCE_DATASET_URL is set: /,
  );
});

test('cli: a failure is one error line', async () => {
  const replica = join(folder, 'replica');
  const failed = await whence(replica, 'dataset', 'pull');
  assert.deepEqual([failed.code, failed.stdout], [3, '']);
  assert.equal(
    failed.stderr,
    `error: ${host.url}/manifest.json: the server answered 404 Not Found. The version in use is unchanged.\n`,
  );
  assert.equal((await runCommand(['dataset', 'pull'], { WHENCE_DATA_DIR: replica })).code, 2);
  assert.equal((await whence(replica, 'dataset', 'publish')).code, 2);
  const nothing = await whence(replica, 'dataset', 'publish', '--to', host.folder);
  assert.deepEqual([nothing.code, /there is no dataset in /.test(nothing.stderr)], [3, true]);
  publish(builder, sampleContent({ routes: [['8.8.8.0/24', 15169, 'One']] }), new Date());
  writeFileSync(join(folder, 'file'), '');
  const blocked = await whence(builder, 'dataset', 'publish', '--to', join(folder, 'file'));
  assert.equal(blocked.code, 3);
  assert.match(
    blocked.stderr,
    /^error: cannot publish to .*\/file: EEXIST.*The published versions are unchanged\.\n$/,
  );
});
