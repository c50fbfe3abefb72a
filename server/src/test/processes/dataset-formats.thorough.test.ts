/**
 * Upgrades across a change of the dataset format, with processes of this release (format 5) and of a next one
 * (format 6): builder first, replicas first, and back.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { afterEach, beforeEach } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { FolderHost } from '@whence/testing/servers/folder-host';
import { until } from '@whence/testing/until';
import { bin, ServerProcess, TestFolder } from '../test-server.ts';

const run = promisify(execFile);
const here = (file: string) => join(import.meta.dirname, file);

/** What this release is, and two next ones: one that can only read and write its own format, one that can do both. */
const PROGRAMS = {
  'format 5': {},
  'format 6': nextRelease('6'),
  'formats 6 and 5': nextRelease('6,5'),
};
type Program = keyof typeof PROGRAMS;

function nextRelease(formats: string): Record<string, string> {
  return {
    NODE_OPTIONS: `--no-warnings --import ${pathToFileURL(here('next-format.js')).href}`,
    WHENCE_TEST_FORMATS: formats,
  };
}

let folder = '';
let host: FolderHost;
let replica: TestFolder;
let secret = '';
let server: ServerProcess | undefined;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'whence-formats-'));
  host = await FolderHost.start(join(folder, 'www'));
  replica = new TestFolder();
  ({ secret } = await replica.createKey());
});
afterEach(async () => {
  await server?.stop('SIGKILL');
  server = undefined;
  await host.close();
  replica.remove();
  rmSync(folder, { recursive: true, force: true });
});

const builder = () => join(folder, 'builder');
const environmentOf = (program: Program, dataDir: string) => ({
  ...process.env,
  ...PROGRAMS[program],
  WHENCE_DATA_DIR: dataDir,
  WHENCE_DATASET_URL: host.url,
});

/** A version with this name, built and published by the program. */
async function release(program: Program, name: string): Promise<void> {
  const env = environmentOf(program, builder());
  await run(process.execPath, [here('build-sample.js'), builder(), host.folder, name], { env });
}

/** The server may be recording the history of the version before; old versions are then removed by the next pull. */
const NOT_REMOVED_YET = /^note: old versions were not removed: process \d+ is recording the history.*\n/gm;

/** `whence dataset pull` on the replica; a server follows it within half a second. */
async function pull(program: Program): Promise<string> {
  const env = environmentOf(program, replica.dataDir);
  const { stderr } = await run(process.execPath, [bin, 'dataset', 'pull'], { env }).catch((error) => error);
  return stderr.replace(NOT_REMOVED_YET, '');
}

async function restartWith(program: Program): Promise<void> {
  await server?.stop();
  server = await ServerProcess.start(replica, { ...PROGRAMS[program], WHENCE_DATASET_URL: host.url });
}

async function untilNamed(name: string): Promise<void> {
  const answer = async () => {
    const response = await fetch(`${server?.url}/v1/ip/8.8.8.8`, { headers: { 'X-API-Key': secret } });
    return ((await response.json()) as { data: { asn_name?: string } }).data.asn_name;
  };
  await until(`8.8.8.8 is ${name}`, async () => (await answer()) === name);
}

async function ready() {
  const response = await fetch(`${server?.url}/readyz`);
  const { data } = (await response.json()) as { data: { checks: object; update?: { refused_format?: number } } };
  return { status: response.status, checks: data.checks, format: data.update?.refused_format };
}

test('formats: the builder is upgraded first and writes both: replicas of both releases follow, also when rolled back', async () => {
  await release('format 5', 'One');
  await restartWith('format 5');
  await untilNamed('One');
  await release('formats 6 and 5', 'Two');
  assert.equal(await pull('format 5'), '');
  await untilNamed('Two');
  await restartWith('format 6');
  await untilNamed('Two');
  await release('formats 6 and 5', 'Three');
  assert.equal(await pull('format 6'), '');
  await untilNamed('Three');
  // Its data directory has the current version in format 6.
  await restartWith('format 5');
  await untilNamed('Three');
  await until('it is ready', async () => JSON.stringify((await ready()).checks).includes('"dataset":"ok"'));
});

test('formats: the builder is upgraded first and writes only the next one: replicas keep the last version, and say so', async () => {
  await release('format 5', 'One');
  await restartWith('format 5');
  await untilNamed('One');
  await release('format 6', 'Two');
  assert.match(
    await pull('format 5'),
    /names version 2 in format 6, which .* does not read \(it reads 5\): version 1 is/,
  );
  const { status, checks, format } = await ready();
  assert.deepEqual([status, checks, format], [200, { dataset: 'ok', storage: 'ok', update: 'failing' }, 6]);
  await untilNamed('One');
  // A replica without a dataset of its own, such as one that is moved to another machine.
  rmSync(join(replica.dataDir, 'datasets'), { recursive: true });
  await restartWith('format 5');
  await untilNamed('One');
  await restartWith('format 6');
  await untilNamed('Two');
  // And back, with the builder.
  await restartWith('format 5');
  await untilNamed('One');
  await release('format 5', 'Three');
  assert.equal(await pull('format 5'), '');
  await untilNamed('Three');
});

test('formats: replicas are upgraded first: they use files of the format before, or are not ready until there is one', async () => {
  await release('format 5', 'One');
  await restartWith('format 5');
  await untilNamed('One');
  await restartWith('formats 6 and 5');
  await untilNamed('One');
  await release('format 5', 'Two');
  assert.equal(await pull('formats 6 and 5'), '');
  await untilNamed('Two');
  await restartWith('format 6');
  assert.match(await pull('format 6'), /names version 2 in format 5, which .* does not read \(it reads 6\)/);
  assert.equal((await ready()).status, 503);
  await release('format 6', 'Three');
  assert.equal(await pull('format 6'), '');
  await untilNamed('Three');
});
