/**
 * An upgrade across a change of the dataset format, with processes of this release (format 8) and
 * of the next one (format 9), where the builder is upgraded first.
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

const PROGRAMS = {
  'this release': {},
  'next release': {
    NODE_OPTIONS: `--no-warnings --import ${pathToFileURL(here('next-format.js')).href}`,
  },
};
type Program = keyof typeof PROGRAMS;

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

/** `wh dataset pull` on the replica; a server follows it within half a second. */
async function pull(program: Program): Promise<string> {
  const env = environmentOf(program, replica.dataDir);
  const { stderr } = await run(process.execPath, [bin, 'dataset', 'pull'], { env }).catch(
    (error) => error,
  );
  return stderr;
}

async function restartWith(program: Program): Promise<void> {
  await server?.stop();
  server = await ServerProcess.start(replica, {
    ...PROGRAMS[program],
    WHENCE_DATASET_URL: host.url,
  });
}

async function untilNamed(name: string): Promise<void> {
  const answer = async () => {
    const response = await fetch(`${server?.url}/v1/ip/8.8.8.8`, {
      headers: { 'X-API-Key': secret },
    });
    return ((await response.json()) as { data: { asn_name?: string } }).data.asn_name;
  };
  await until(`8.8.8.8 is ${name}`, async () => (await answer()) === name);
}

async function ready() {
  const response = await fetch(`${server?.url}/readyz`);
  const { data } = (await response.json()) as {
    data: { checks: object; update?: { refused_format?: number } };
  };
  return { status: response.status, checks: data.checks, format: data.update?.refused_format };
}

test('formats: a replica of this release keeps its version if the builder is upgraded first, and says so', async () => {
  await release('this release', 'One');
  await restartWith('this release');
  await untilNamed('One');
  await release('next release', 'Two');
  assert.match(
    await pull('this release'),
    /names version 2, which has format 9, which .* does not read; upgrade wh/,
  );
  const { status, checks, format } = await ready();
  assert.deepEqual(
    [status, checks, format],
    [200, { dataset: 'ok', storage: 'ok', update: 'failing' }, 9],
  );
  await untilNamed('One');
  await restartWith('next release');
  await untilNamed('Two');
});
