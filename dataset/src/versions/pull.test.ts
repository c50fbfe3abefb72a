import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { afterEach, beforeEach } from 'node:test';
import { pathToFileURL } from 'node:url';
import { FolderHost } from '@whence/testing/servers/folder-host';
import { sampleContent } from '../test/sample-dataset.ts';
import { openCurrent, publish, readManifest, useVersion, verifyVersion } from './publish.ts';
import { publishTo } from './published-folder.ts';
import { parsePublished } from './published-manifest.ts';
import { type PullMemory, pull } from './pull.ts';

let folder = '';
let builder = '';
let replica = '';
let host: FolderHost;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'whence-pull-'));
  builder = join(folder, 'builder');
  replica = join(folder, 'replica');
  host = await FolderHost.start(join(folder, 'www'));
});
afterEach(async () => {
  await host.close();
  rmSync(folder, { recursive: true, force: true });
});

const now = () => new Date();
const TIMEOUTS = {
  manifest: { idleTimeoutMs: 500, totalTimeoutMs: 1_500 },
  file: { idleTimeoutMs: 500, totalTimeoutMs: 5_000 },
};
const pullNow = (memory: PullMemory = {}, url = host.url) =>
  pull(url, replica, { now, memory, timeouts: TIMEOUTS });

function release(name: string): void {
  publish(builder, sampleContent({ routes: [['1.0.0.0/16', 64500, name]] }), new Date());
  publishTo(builder, host.folder, { keep: 3 });
}
const published = () => parsePublished(readFileSync(join(host.folder, 'manifest.json'), 'utf8'));
const publishedPath = () => join(host.folder, published().file);
const served = () => openCurrent(replica)?.asn(64500)?.asn_name;
const leftovers = () =>
  readdirSync(join(replica, 'datasets')).filter((name) => name.endsWith('.download'));

function editManifest(edit: (entry: Record<string, unknown>) => void): void {
  const path = join(host.folder, 'manifest.json');
  const manifest = JSON.parse(readFileSync(path, 'utf8'));
  for (const entry of manifest.versions) if (entry.version === manifest.current) edit(entry);
  writeFileSync(path, JSON.stringify(manifest));
}

async function refused(want: RegExp, url = host.url): Promise<void> {
  const outcome = await pullNow({}, url);
  assert.equal(outcome.kind, 'failed');
  assert.match((outcome as { reason: string }).reason, want);
}

test('pull: the published version, its number and its digest', async () => {
  release('One');
  release('Two');
  assert.deepEqual(await pullNow(), { kind: 'adopted', version: 2 });
  assert.equal(served(), 'Two');
  const [entry] = readManifest(replica)?.versions ?? [];
  assert.ok(entry);
  assert.equal(entry.sha256, published().sha256);
  verifyVersion(replica, entry);
  assert.deepEqual(leftovers(), []);
});

test('pull: nothing new costs a header', async () => {
  release('One');
  const memory = {};
  await pullNow(memory);
  host.requests();
  assert.deepEqual(await pullNow(memory), { kind: 'unchanged', version: 1 });
  assert.deepEqual(host.requests(), ['/manifest.json 304']);
  release('Two');
  assert.deepEqual(await pullNow(memory), { kind: 'adopted', version: 2 });
  assert.deepEqual(host.requests(), ['/manifest.json 200', `/${published().file} 200`]);
});

test('pull: the publisher goes back to a version, which is here already and not loaded again', async () => {
  release('One');
  await pullNow();
  release('Two');
  await pullNow();
  useVersion(builder, 1);
  publishTo(builder, host.folder, { keep: 3 });
  host.requests();
  assert.deepEqual(await pullNow(), { kind: 'adopted', version: 1 });
  assert.deepEqual(host.requests(), ['/manifest.json 200']);
  assert.equal(served(), 'One');
});

test('pull: a version built or chosen here gives way to the published one', async () => {
  release('One');
  const memory = {};
  await pullNow(memory);
  publish(replica, sampleContent({ routes: [['1.0.0.0/16', 64500, 'Built here']] }), new Date());
  assert.equal(served(), 'Built here');
  assert.deepEqual(await pullNow(memory), { kind: 'adopted', version: 1 });
  assert.equal(served(), 'One');
});

test('pull: a publisher that has started over decides what its numbers mean', async () => {
  release('One');
  await pullNow();
  rmSync(builder, { recursive: true });
  release('Another one');
  assert.deepEqual(await pullNow(), { kind: 'adopted', version: 1 });
  assert.equal(served(), 'Another one');
});

test('pull: a version that is damaged here is pulled again', async () => {
  release('One');
  await pullNow();
  const [entry] = readManifest(replica)?.versions ?? [];
  truncateSync(join(replica, 'datasets', entry?.file ?? ''), 1000);
  assert.deepEqual(await pullNow(), { kind: 'adopted', version: 1 });
  assert.equal(served(), 'One');
});

test('pull: a download that breaks off is continued, not begun again', async () => {
  release('One');
  const bytes = readFileSync(publishedPath());
  host.intercept = (request, response) => {
    if (request.url === '/manifest.json') return false;
    response.writeHead(200, { 'Content-Length': bytes.length });
    response.write(bytes.subarray(0, 100_000), () => response.destroy());
    return true;
  };
  await refused(/\.whence: the connection broke$/);
  assert.equal(leftovers().length, 1);
  host.intercept = () => false;
  host.seen.splice(0);
  assert.deepEqual(await pullNow(), { kind: 'adopted', version: 1 });
  assert.equal(host.seen[1]?.status, 206);
  assert.match(host.seen[1]?.headers.range ?? '', /^bytes=[1-9]\d*-$/);
  assert.deepEqual(leftovers(), []);
});

for (const [behaviour, leaveBehind, want] of [
  [
    'of another process that has ended is continued',
    (bytes: Buffer) => bytes.subarray(0, 1000),
    [206],
  ],
  ['that is whole is not loaded again', (bytes: Buffer) => bytes, []],
  [
    'that is longer than the file is begun again',
    (bytes: Buffer) => Buffer.concat([bytes, bytes]),
    [200],
  ],
] as const) {
  test(`pull: a download ${behaviour}`, async () => {
    release('One');
    await pullNow();
    release('Two');
    const { sha256 } = published();
    const path = join(replica, 'datasets', `${sha256}.999999999.download`);
    writeFileSync(path, leaveBehind(readFileSync(publishedPath())));
    host.seen.splice(0);
    assert.deepEqual(await pullNow(), { kind: 'adopted', version: 2 });
    assert.deepEqual(
      host.seen.slice(1).map(({ status }) => status),
      want,
    );
    assert.deepEqual(leftovers(), []);
  });
}

test('pull: an abandoned download of another file is removed; one that another process is loading stays', async () => {
  release('One');
  await pullNow();
  release('Two');
  const old = `${'a'.repeat(64)}.999999999.download`;
  const busy = `${'b'.repeat(64)}.${process.ppid}.download`;
  for (const name of [old, busy]) writeFileSync(join(replica, 'datasets', name), 'x');
  await pullNow();
  assert.deepEqual(leftovers(), [busy]);
});

test('pull: a wrong beginning is detected and removed', async () => {
  release('One');
  await pullNow();
  release('Two');
  writeFileSync(
    join(replica, 'datasets', `${published().sha256}.999999999.download`),
    'something else',
  );
  await refused(/: checksum mismatch: not the SHA-256 that the manifest says$/);
  assert.equal(served(), 'One');
  assert.deepEqual(await pullNow(), { kind: 'adopted', version: 2 });
});

for (const [behaviour, spoil, want] of [
  [
    'another digest',
    () => editManifest((e) => Object.assign(e, { sha256: 'c'.repeat(64) })),
    /: checksum mismatch/,
  ],
  [
    'a changed byte',
    () => {
      const bytes = readFileSync(publishedPath());
      bytes[5000] = (bytes[5000] ?? 0) ^ 1;
      writeFileSync(publishedPath(), bytes);
    },
    /: checksum mismatch/,
  ],
  [
    'a truncated file',
    () => truncateSync(publishedPath(), 70_000),
    /: ended after 70000 of \d+ bytes$/,
  ],
  [
    'a file that is too long',
    () => appendFileSync(publishedPath(), 'x'),
    /: larger than the \d+ bytes that the manifest says$/,
  ],
  [
    'a missing file',
    () => rmSync(publishedPath()),
    /\/000002-[0-9a-f]{16}\.whence: the server answered 404 Not Found$/,
  ],
  [
    'a missing manifest',
    () => rmSync(join(host.folder, 'manifest.json')),
    /\/manifest\.json: the server answered 404 Not Found$/,
  ],
  [
    'a web page for a manifest',
    () => writeFileSync(join(host.folder, 'manifest.json'), '<html>'),
    /\/manifest\.json is a web page, not a manifest$/,
  ],
  [
    'an endless manifest',
    () => writeFileSync(join(host.folder, 'manifest.json'), ' '.repeat(2_000_000)),
    /\/manifest\.json: larger than 1\.0 MB$/,
  ],
  [
    'a path upwards',
    () => editManifest((e) => Object.assign(e, { file: '../builder/datasets/000002.whence' })),
    /is not a plain file name/,
  ],
  [
    'a file that is not a dataset',
    () => {
      const bytes = Buffer.from('not a dataset at all, but with the right digest');
      writeFileSync(publishedPath(), bytes);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      editManifest((e) => Object.assign(e, { sha256, bytes: bytes.length }));
    },
    /^http:\/\/127\.0\.0\.1:\d+\/000002-[0-9a-f]{16}\.whence: /,
  ],
] as const) {
  test(`pull: ${behaviour} is refused, over HTTP and from a folder, and the version in use stays`, async () => {
    release('One');
    await pullNow();
    release('Two');
    spoil();
    await refused(want);
    assert.equal((await pullNow({}, pathToFileURL(host.folder).href)).kind, 'failed');
    assert.equal(served(), 'One');
    assert.equal(readManifest(replica)?.versions.length, 1);
  });
}

const answers =
  (status: number, headers: Record<string, string> = {}) =>
  (_: IncomingMessage, response: ServerResponse) => {
    response.writeHead(status, headers).end();
    return true;
  };

for (const [behaviour, intercept, want] of [
  ['an error', answers(500), /\/manifest\.json: the server answered 500 Internal Server Error$/],
  [
    'missing credentials',
    answers(401),
    /answered 401 Unauthorized; user name and password in the URL are missing or wrong$/,
  ],
  ['304 to an unconditional request', answers(304), /answered 304 Not Modified$/],
  [
    'a redirect loop',
    answers(302, { Location: '/manifest.json' }),
    /: the server redirected more than 5 times$/,
  ],
  ['a redirect without a target', answers(302), /: the server answered 302 Found$/],
  [
    'a redirect to a file',
    answers(302, { Location: 'file:///etc/passwd' }),
    /: the server redirected to a URL with the scheme file: and not https: or http:$/,
  ],
  ['silence', () => true, /: no answer within 0\.5 s$/],
  [
    'one byte and then silence',
    (_: IncomingMessage, response: ServerResponse) => response.writeHead(200).write('{') || true,
    /: no more data within 0\.5 s$/,
  ],
  [
    'one byte at a time, for ever',
    (_: IncomingMessage, response: ServerResponse) => {
      const timer = setInterval(() => response.write(' '), 50);
      response.on('close', () => clearInterval(timer));
      return true;
    },
    /: not finished within 1\.5 s$/,
  ],
] as const) {
  test(`pull: ${behaviour} is a sentence`, async () => {
    host.intercept = intercept;
    await refused(want);
  });
}

test('pull: no server on the port', async () => {
  const { url } = host;
  await host.close();
  await refused(
    /^http:\/\/127\.0\.0\.1:\d+\/manifest\.json: 127\.0\.0\.1 refused the connection$/,
    url,
  );
  host = await FolderHost.start(join(folder, 'www'));
});

test('pull: a redirect is followed; the password stays with the host it was given for', async () => {
  release('One');
  const front = await FolderHost.start(folder);
  front.intercept = (request, response) =>
    answers(307, { Location: `${host.url}${request.url}` })(request, response);
  try {
    const url = `${front.url.replace('//', '//user:p%40ss@')}/`;
    assert.deepEqual(await pullNow({}, url), { kind: 'adopted', version: 1 });
    const basic = `Basic ${Buffer.from('user:p@ss').toString('base64')}`;
    assert.deepEqual(
      front.seen.map(({ headers }) => headers.authorization),
      [basic, basic],
    );
    assert.deepEqual(
      host.seen.map(({ headers }) => headers.authorization),
      [undefined, undefined],
    );
  } finally {
    await front.close();
  }
});

test('pull: neither password nor query is in a reason; the query is sent', async () => {
  const url = `${host.url.replace('//', '//user:secret@')}/deep/folder/?token=secret`;
  const outcome = await pullNow({}, url);
  assert.equal(
    outcome.kind === 'failed' && outcome.reason,
    `${host.url}/deep/folder/manifest.json: the server answered 404 Not Found`,
  );
  assert.equal(host.seen[0]?.path, '/deep/folder/manifest.json?token=secret');
});

test('pull: from a folder', async () => {
  release('One');
  const url = pathToFileURL(host.folder).href;
  assert.deepEqual(await pullNow({}, url), { kind: 'adopted', version: 1 });
  assert.deepEqual(await pullNow({}, url), { kind: 'unchanged', version: 1 });
  await refused(/\/nowhere\/manifest\.json: no such file$/, `${url}/nowhere`);
});

test('pull: while another process publishes here it fails, and the next pull does not load the file again', async () => {
  release('One');
  await pullNow();
  release('Two');
  const lock = join(replica, 'datasets/lock');
  writeFileSync(lock, String(process.ppid));
  await refused(/is publishing a dataset; try again/);
  rmSync(lock);
  host.requests();
  assert.deepEqual(await pullNow(), { kind: 'adopted', version: 2 });
  assert.deepEqual(host.requests(), ['/manifest.json 200']);
});

test('pull: a replica that read the manifest just before a publication still finds its file', async () => {
  release('One');
  // Built before: the host answers nothing meanwhile, and the replica does not wait for long.
  publish(builder, sampleContent({ routes: [['1.0.0.0/16', 64500, 'Two']] }), new Date());
  host.intercept = (request) => {
    // Published between the manifest and the file.
    if (request.url !== '/manifest.json' && published().version === 1)
      publishTo(builder, host.folder, { keep: 1 });
    return false;
  };
  assert.deepEqual(await pullNow(), { kind: 'adopted', version: 1 });
  assert.deepEqual(await pullNow(), { kind: 'adopted', version: 2 });
});
