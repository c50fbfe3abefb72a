/**
 * Clients that two generators make from the OpenAPI document of a running server: strict programs that use every
 * endpoint compile against them, and one of them runs.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import test, { after, before } from 'node:test';
import { promisify } from 'node:util';
import { type ScriptedDnsServer, startScriptedDnsServer } from '@whence/testing/servers/scripted-dns-server';
import { SAMPLE, startInProcess, TestFolder } from '../test-server.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../../../..');
const CLIENTS = join(ROOT, 'testing/generated-clients');
const DIST = join(CLIENTS, 'dist');
/** Scripts of npm use the programs of the Node that runs this test. */
const env = { ...process.env, PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH']}` };

const folder = new TestFolder();
let server: Awaited<ReturnType<typeof startInProcess>>;
let dns: ScriptedDnsServer;

before(async () => {
  folder.publish({ ...SAMPLE, routes: SAMPLE.routes.slice(0, 4) });
  folder.publish();
  dns = await startScriptedDnsServer({ 'example.com': { TXT: ['v=spf1 -all'] } });
  server = await startInProcess(folder, undefined, {
    WHENCE_DNS_SERVERS: dns.address,
    WHENCE_TRUST_PROXY: '127.0.0.1',
  });
});
after(async () => {
  await server.close();
  await dns.close();
  folder.remove();
});

test('generated clients: strict programs that use every endpoint compile, and one calls them all', async () => {
  rmSync(DIST, { recursive: true, force: true });
  mkdirSync(DIST, { recursive: true });
  const document = await (await fetch(`${server.url}/openapi.json`)).text();
  writeFileSync(join(DIST, 'openapi.json'), document);
  await run('npm', ['run', '--silent', 'generate'], { cwd: CLIENTS, env });
  const compiled = await run(join(ROOT, 'node_modules/.bin/tsc'), ['-p', join(CLIENTS, 'programs')], { env }).catch(
    (error: { stdout: string }) => error,
  );
  assert.equal(compiled.stdout, '');
  const program = join(DIST, 'compiled/programs/hey-api.js');
  const { stdout } = await run(process.execPath, [program, server.url, (await folder.createKey()).secret]);
  assert.equal(stdout, 'every endpoint answered\n');
});
