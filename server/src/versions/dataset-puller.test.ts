import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { afterEach, beforeEach } from 'node:test';
import { sampleContent } from '@whence/dataset/test/sample-dataset';
import { publish, readManifest, useVersion } from '@whence/dataset/versions';
import { publishTo } from '@whence/dataset/versions/publish-to';
import { FolderHost } from '@whence/testing/servers/folder-host';
import { until } from '@whence/testing/until';
import { DatasetPuller, delaySeconds } from './dataset-puller.ts';
import type { UpdateReport } from './update-report.ts';

let folder = '';
let dataDir = '';
let host: FolderHost;
let puller: DatasetPuller;
let logged: string[] = [];
let told: UpdateReport[] = [];
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'whence-puller-'));
  dataDir = join(folder, 'replica');
  host = await FolderHost.start(join(folder, 'www'));
  logged = [];
  told = [];
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
    onUnwritten: (report) => told.push(report),
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

const untilPuller = (what: string, isTrue: () => boolean) =>
  until(what, isTrue, { state: () => puller.status });
const current = () => readManifest(dataDir)?.current;

test('puller: an outcome that cannot be written is told', async () => {
  mkdirSync(dataDir);
  writeFileSync(join(dataDir, 'feeds'), '');
  puller.start();
  await untilPuller('two failures', () => told.length >= 2);
  const { outcome, error } = told.at(-1) ?? {};
  assert.deepEqual([outcome, error], ['failed', puller.status.last_error]);
  release(1);
  await untilPuller('it is pulled', () => told.at(-1)?.outcome === 'unchanged');
});

test('puller: waits for a host that has nothing yet, then follows it forwards and backwards', async () => {
  puller.start();
  await untilPuller('two failures', () => puller.status.failures >= 2);
  assert.equal(
    puller.status.last_error,
    `${host.url}/manifest.json: the server answered 404 Not Found`,
  );
  release(1);
  await untilPuller('version 1', () => current() === 1);
  release(2);
  await untilPuller('version 2', () => current() === 2);
  useVersion(join(folder, 'builder'), 1);
  publishTo(join(folder, 'builder'), host.folder, { keep: 3 });
  await untilPuller(
    'back to version 1',
    () => puller.status.version === 1 && puller.status.adoptions === 3,
  );
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
  await untilPuller('version 1', () => puller.status.version === 1);
  host.intercept = (_, response) => response.writeHead(500).end() && true;
  await untilPuller('failures', () => puller.status.failures >= 3);
  assert.deepEqual(puller.status.last_success, new Date('2026-11-15T00:00:00Z'));
  host.intercept = (_, response) => response.writeHead(503).end() && true;
  await untilPuller(
    'another reason',
    () => puller.status.last_error?.endsWith('503 Service Unavailable') === true,
  );
  host.intercept = () => false;
  await untilPuller('success', () => puller.status.failures === 0);
  assert.equal('last_error' in puller.status, false);
  assert.equal(current(), 1);
  assert.deepEqual(logged, [
    'info dataset pulled {"version":1}',
    'warn dataset could not be pulled {"reason":"HOST/manifest.json: the server answered 500 Internal Server Error"}',
    'warn dataset could not be pulled {"reason":"HOST/manifest.json: the server answered 503 Service Unavailable"}',
    'info dataset host answers again {"version":1}',
  ]);
});

test('puller: old versions are removed', async () => {
  puller.start();
  for (const version of [1, 2, 3]) {
    release(version);
    await untilPuller(`version ${version}`, () => puller.status.version === version);
  }
  const versions = () => readManifest(dataDir)?.versions.map(({ version }) => version);
  await untilPuller('two versions', () => versions()?.join() === '2,3');
  assert.equal(
    readdirSync(join(dataDir, 'datasets')).filter((name) => name.endsWith('.whence')).length,
    2,
  );
});

test('puller: stopped during a download, it ends at once and keeps the partial file', async () => {
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
  // With at least one byte: an empty file is not kept.
  const downloads = () => {
    const names = readdirSync(join(dataDir, 'datasets')).filter((name) =>
      name.endsWith('.download'),
    );
    return names.filter((name) => statSync(join(dataDir, 'datasets', name)).size > 0);
  };
  await untilPuller('a download', () => isLoading && downloads().length > 0);
  // The download would never end.
  await puller.stop();
  assert.equal(downloads().length, 1);
  assert.deepEqual(logged, []);
});

test('puller: a damaged local manifest is reported like any other failure', async () => {
  release(1);
  puller.start();
  await untilPuller('version 1', () => puller.status.version === 1);
  writeFileSync(join(dataDir, 'datasets/manifest.json'), '{');
  await untilPuller('a failure', () => puller.status.failures > 0);
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
  test(`puller: waits ${behaviour}`, () =>
    assert.ok(Math.abs(delaySeconds(interval, failures, random) - want) < 1e-6));
}
