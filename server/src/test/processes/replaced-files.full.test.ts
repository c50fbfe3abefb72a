/** A server whose files are replaced by an upgrade before it is restarted. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { startScriptedDnsServer } from '@whence/testing/servers/scripted-dns-server';
import { until } from '@whence/testing/until';
import { WHENCE } from '@whence/testing/whence-program';
import { DEFAULT_PERMISSIONS } from '../../vocabulary.ts';
import { workersOf } from '../http/requests.ts';
import { runIn } from '../packages/packed.ts';
import { ServerProcess, TestFolder } from '../test-server.ts';

const SERVER = join(WHENCE, '../..');
const REPLACED = /the files of this program were replaced after it was started: restart it/;

/** The program as it is installed: a build, and one page of the dashboard. */
async function install(folder: TestFolder) {
  // Builds what has changed.
  await runIn(SERVER, process.execPath, [WHENCE, '--version'], {});
  const id = readFileSync(join(SERVER, 'build/current'), 'utf8');
  const place = join(folder.dataDir, 'installed/server');
  for (const name of ['bin', 'package.json', `build/${id}`])
    cpSync(join(SERVER, name), join(place, name), { recursive: true });
  mkdirSync(join(place, 'dashboard-dist'));
  writeFileSync(join(place, 'dashboard-dist/index.html'), '<title>Whence</title>');
  symlinkSync(join(SERVER, '../node_modules'), join(place, '../node_modules'));
  const remove = () => rmSync(join(place, '..'), { recursive: true });
  return { program: join(place, 'build', id, 'bin.js'), remove };
}

test('replaced files: every route answers as before', async (t) => {
  const folder = new TestFolder();
  folder.publish();
  const dns = await startScriptedDnsServer({
    'example.com': { TXT: ['v=spf1 -all'], MX: [[0, '.']] },
    '_dmarc.example.com': { TXT: ['v=DMARC1; p=reject'] },
  });
  const { secret } = await folder.createKey({
    permissions: [...DEFAULT_PERMISSIONS, 'reports:read', 'reports:write'],
  });
  const { program, remove } = await install(folder);
  const server = await ServerProcess.start(folder, { WHENCE_DNS_SERVERS: dns.address }, program);
  t.after(async () => {
    await server.stop();
    await dns.close();
    folder.remove();
  });
  remove();
  const headers = { 'X-API-Key': secret, 'Content-Type': 'application/json' };
  const body = JSON.stringify({ spf: 'v=spf1 ~all' });
  for (const [path, expected, init] of [
    ['/', 200, { headers: { Accept: 'text/html' } }],
    ['/docs', 200, { headers: { Accept: 'text/html' } }],
    ['/healthz', 200, {}],
    ['/readyz', 200, {}],
    ['/openapi.json', 200, {}],
    ['/openapi.json', 200, {}],
    ['/v1/dataset', 200, { headers }],
    ['/v1/ip/8.8.8.8?explain=true&include=hostname,routing,privacy', 200, { headers }],
    ['/v1/ip/batch', 200, { headers, method: 'POST', body: JSON.stringify({ ips: ['8.8.8.8'] }) }],
    ['/v1/prefix/8.8.8.0/24', 200, { headers }],
    ['/v1/asn/15169', 200, { headers }],
    ['/v1/asn/search?q=google', 200, { headers }],
    ['/v1/email/domain/example.com/dns', 200, { headers }],
    ['/v1/email/domain/example.com/try', 200, { headers, method: 'POST', body }],
    // The thread of statistics is started when it is needed.
    ['/v1/email/domain/example.com/senders', 503, { headers }],
    ['/v1/email/reports', 503, { headers, method: 'POST', body: '<feedback/>' }],
    ['/dashboard/api/session', 200, {}],
  ] as const) {
    const answer = await fetch(server.url + path, init);
    const text = await answer.text();
    assert.equal(answer.status, expected, `${path}: ${text}`);
    if (path === '/v1/email/reports') assert.match(text, /"code":"RESTART_REQUIRED"/);
  }
});

test('replaced files: a worker is not replaced by one of another build, and without workers the server ends', async () => {
  const folder = new TestFolder();
  folder.publish();
  const { program, remove } = await install(folder);
  const child = spawn(process.execPath, [program, 'serve'], {
    env: { ...process.env, ...folder.environment, WHENCE_PORT: '0', WHENCE_WORKERS: '2' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const workers = () => workersOf({ child });
  const state = () => output;
  try {
    await until('it listens', () => output.includes('listens on'), { state });
    const [url = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(output) ?? [];
    remove();
    const [first = 0, second = 0] = workers();
    process.kill(first, 'SIGKILL');
    await until('it is reported', () => REPLACED.test(output), { state });
    assert.equal((await fetch(`${url}/healthz`)).status, 200);
    assert.deepEqual(workers(), [second]);
    const exited = once(child, 'exit');
    process.kill(second, 'SIGKILL');
    assert.deepEqual(await exited, [1, null]);
  } finally {
    child.kill('SIGKILL');
    folder.remove();
  }
});
