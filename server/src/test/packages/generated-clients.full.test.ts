/**
 * What other programs make of the OpenAPI document of a running server: a linter, and generators of
 * clients. Strict programs that use every endpoint compile against them, and one of them runs.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { promisify } from 'node:util';
import { missingTool, toolCommand, toolRequire } from '@whence/testing/installed-tools';
import {
  type ScriptedDnsServer,
  startScriptedDnsServer,
} from '@whence/testing/servers/scripted-dns-server';
import { SAMPLE, startInProcess, TestFolder } from '../test-server.ts';
import { CLIENT_TYPES, COMMAND, generateClientTypes } from './client-types.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../../../..');
const CLIENTS = join(ROOT, 'testing/generated-clients');
const DIST = join(CLIENTS, 'dist');
const skip = missingTool('openapi-typescript');

/** The part of `@redocly/openapi-core` that is used here. */
type Redocly = {
  createConfig(config: { extends: string[] }): Promise<object>;
  lintFromString(options: {
    source: string;
    absoluteRef: string;
    config: object;
  }): Promise<{ ruleId: string; message: string; location: { pointer?: string }[] }[]>;
};

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

test('generated clients: the Redocly linter reports no problems', { skip }, async () => {
  const { createConfig, lintFromString } = toolRequire('@redocly/openapi-core') as Redocly;
  const document = (await (await fetch(`${server.url}/openapi.json`)).json()) as object;
  const source = JSON.stringify({ ...document, servers: [{ url: 'https://whence.test' }] });
  const config = await createConfig({ extends: ['recommended-strict'] });
  const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config });
  const reported = problems.map(
    ({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`,
  );
  assert.deepEqual(reported, []);
});

test('generated clients: the types of our client are generated from the document', {
  skip,
}, async () => {
  const generated = await generateClientTypes();
  assert.ok(readFileSync(CLIENT_TYPES, 'utf8') === generated, `out of date: ${COMMAND}`);
});

test('generated clients: strict programs that use every endpoint compile, and one calls them all', {
  skip,
}, async () => {
  rmSync(DIST, { recursive: true, force: true });
  mkdirSync(DIST, { recursive: true });
  const document = await (await fetch(`${server.url}/openapi.json`)).text();
  writeFileSync(join(DIST, 'openapi.json'), document);
  for (const [generator, ...args] of [
    ['openapi-typescript', 'dist/openapi.json', '--output', 'dist/openapi-typescript/schema.ts'],
    ['openapi-ts', '--input', './dist/openapi.json', '--output', 'dist/hey-api', '--no-log-file'],
  ] as const)
    await run(process.execPath, [toolCommand(generator), ...args], { cwd: CLIENTS });
  const compiler = join(ROOT, 'node_modules/.bin/tsc');
  const compiled = await run(compiler, ['-p', join(CLIENTS, 'programs')]).catch(
    (error: { stdout: string }) => error,
  );
  assert.equal(compiled.stdout, '');
  const program = join(DIST, 'compiled/programs/hey-api.js');
  const { stdout } = await run(process.execPath, [
    program,
    server.url,
    (await folder.createKey()).secret,
  ]);
  assert.equal(stdout, 'every endpoint answered\n');
});
