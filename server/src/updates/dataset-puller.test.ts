import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { afterEach, beforeEach } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { publish, readManifest, useVersion } from '@whence/dataset/publish';
import { publishTo } from '@whence/dataset/published-folder';
import { sampleContent } from '@whence/dataset/sample-dataset';
import { FolderHost } from '@whence/testing/folder-host';
import { DatasetPuller, delaySeconds } from './dataset-puller.ts';

let folder = '';
let dataDir = '';
let host: FolderHost;
let puller: DatasetPuller;
let logged: string[] = [];
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'whence-puller-'));
  dataDir = join(folder, 'replica');
  host = await FolderHost.start(join(folder, 'www'));
  logged = [];
  const line = (level: string) => (fields: object, text: string) => {
    logged.push(`${level} ${text} ${JSON.stringify(fields).replaceAll(host.url, 'HOST')}`);
  };
  puller = new DatasetPuller({
    url: host.url,
    dataDir,
    keepVersions: 2,
    intervalSeconds: 0.02,
    log: { info: line('info'), warn: line('warn'), error: line('error') } as never,
    now: () => new Date('2026-11-15T00:00:00Z'),
    random: () => 0.5,
  });
});
afterEach(async () => {
  await puller.stop();
  await host.close();
  rmSync(folder, { recursive: true, force: true });
});

function release(number: number): void {
  const content = sampleContent({ routes: [['1.0.0.0/16', 64500, `Version ${number}`]] });
  publish(join(folder, 'builder'), content, new Date(Date.UTC(2026, 10, number)));
  publishTo(join(folder, 'builder'), host.folder, { keep: 3 });
}

async function until(what: string, isTrue: () => boolean): Promise<void> {
  for (let i = 0; !isTrue(); i++) {
    assert.ok(i < 500, `${what}: not within 5 s; ${JSON.stringify(puller.status)}`);
    await sleep(10);
  }
}
const current = () => readManifest(dataDir)?.current;

test('puller: waits for a host that has nothing yet, then follows it forwards and backwards', async () => {
  puller.start();
  await until('two failures', () => puller.status.failures >= 2);
  assert.equal(puller.status.last_error, `${host.url}/manifest.json: the server answered 404 Not Found`);
  release(1);
  await until('version 1', () => current() === 1);
  release(2);
  await until('version 2', () => current() === 2);
  useVersion(join(folder, 'builder'), 1);
  publishTo(join(folder, 'builder'), host.folder, { keep: 3 });
  await until('back to version 1', () => puller.status.version === 1 && puller.status.adoptions === 3);
  assert.deepEqual(logged, [
    'warn dataset could not be pulled {"reason":"HOST/manifest.json: the server answered 404 Not Found"}',
    'info dataset pulled {"version":1}',
    'info dataset pulled {"version":2}',
    'info dataset pulled {"version":1}',
  ]);
});

test('puller: a failure is logged once per reason, and so is its end; the version stays', async () => {
  release(1);
  puller.start();
  await until('version 1', () => puller.status.version === 1);
  host.intercept = (_, response) => response.writeHead(500).end() && true;
  await until('failures', () => puller.status.failures >= 3);
  assert.deepEqual(puller.status.last_success, new Date('2026-11-15T00:00:00Z'));
  host.intercept = (_, response) => response.writeHead(503).end() && true;
  await until('another reason', () => puller.status.last_error?.endsWith('503 Service Unavailable') === true);
  host.intercept = () => false;
  await until('success', () => puller.status.failures === 0);
  assert.equal('last_error' in puller.status, false);
  assert.equal(current(), 1);
  assert.deepEqual(logged, [
    'info dataset pulled {"version":1}',
    'warn dataset could not be pulled {"reason":"HOST/manifest.json: the server answered 500 Internal Server Error"}',
    'warn dataset could not be pulled {"reason":"HOST/manifest.json: the server answered 503 Service Unavailable"}',
    'info dataset host answers again {"version":1}',
  ]);
});

test('puller: old versions go', async () => {
  puller.start();
  for (const version of [1, 2, 3]) {
    release(version);
    await until(`version ${version}`, () => puller.status.version === version);
  }
  assert.deepEqual(
    readManifest(dataDir)?.versions.map(({ version }) => version),
    [2, 3],
  );
  assert.equal(readdirSync(join(dataDir, 'datasets')).filter((name) => name.endsWith('.whence')).length, 2);
});

test('puller: stopped in the middle of a download it ends at once and keeps what it has', async () => {
  release(1);
  let isLoading = false;
  host.intercept = (request, response) => {
    if (request.url === '/manifest.json') return false;
    response.writeHead(200).write(Buffer.alloc(1000), () => {
      isLoading = true;
    });
    return true;
  };
  puller.start();
  const downloads = () => readdirSync(join(dataDir, 'datasets')).filter((name) => name.endsWith('.download'));
  await until('a download', () => isLoading);
  const startedMs = performance.now();
  await sleep(50);
  await puller.stop();
  assert.ok(performance.now() - startedMs < 2_000);
  assert.equal(downloads().length, 1);
  assert.deepEqual(logged, []);
});

test('puller: a manifest of its own that is broken is a reason like any other', async () => {
  release(1);
  puller.start();
  await until('version 1', () => puller.status.version === 1);
  writeFileSync(join(dataDir, 'datasets/manifest.json'), '{');
  await until('a failure', () => puller.status.failures > 0);
  assert.match(puller.status.last_error ?? '', /manifest\.json is not a manifest/);
});

for (const [behaviour, interval, failures, random, want] of [
  ['the interval after a success', 60, 0, 0.5, 60],
  ['a fifth less at the least', 60, 0, 0, 48],
  ['a fifth more at the most', 60, 0, 1, 72],
  ['a second after a failure', 60, 1, 0.5, 1],
  ['twice that after another', 60, 2, 0.5, 2],
  ['never more than ten minutes', 60, 20, 0.5, 600],
  ['also where updates are daily', 86_400, 2000, 0.5, 600],
  ['no later than a short interval', 0.5, 1, 0.5, 0.5],
] as const) {
  test(`puller: waits ${behaviour}`, () => assert.ok(Math.abs(delaySeconds(interval, failures, random) - want) < 1e-6));
}
