/** The example of the client's readme, as it is written, against a running server. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { promisify } from 'node:util';
import { startScriptedDnsServer } from '@whence/testing/servers/scripted-dns-server';
import { SAMPLE, startInProcess, TestFolder } from '../test-server.ts';

const CLIENT = join(import.meta.dirname, '../../../../client');
const REQUEST_ID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/;

test('client readme: the example prints the output shown below it', async (t) => {
  const readme = readFileSync(join(CLIENT, 'README.md'), 'utf8');
  const [, example = '', output = ''] = /```ts\n(.*?)```\n\n```text\n(.*?)```/s.exec(readme) ?? [];
  const work = mkdtempSync(join(tmpdir(), 'whence-readme-'));
  mkdirSync(join(work, 'node_modules/@whence'), { recursive: true });
  symlinkSync(CLIENT, join(work, 'node_modules/@whence/client'));
  writeFileSync(join(work, 'example.mjs'), example);

  const folder = new TestFolder();
  folder.publish({ ...SAMPLE, routes: SAMPLE.routes.slice(0, 4) });
  folder.publish();
  const dns = await startScriptedDnsServer({
    'example.com': { TXT: ['v=spf1 -all'], MX: [[0, '.']] },
    '_dmarc.example.com': { TXT: ['v=DMARC1; p=reject; rua=mailto:dmarc@example.com'] },
    's1._domainkey.example.com': { TXT: ['v=DKIM1; p='] },
    's2._domainkey.example.com': { TXT: ['v=DKIM1; p='] },
  });
  const server = await startInProcess(folder, undefined, { WHENCE_DNS_SERVERS: dns.address });
  t.after(async () => {
    await server.close();
    await dns.close();
    folder.remove();
    rmSync(work, { recursive: true, force: true });
  });
  const { secret } = await folder.createKey({ tier: 'free' });
  const env = { ...process.env, WHENCE_URL: server.url, WHENCE_KEY: secret };
  const { stdout } = await promisify(execFile)(process.execPath, ['example.mjs'], {
    cwd: work,
    env,
  });
  assert.match(stdout, REQUEST_ID);
  assert.equal(stdout.replace(REQUEST_ID, ''), output.replace(REQUEST_ID, ''));
});
