/** The configurations of nginx and Caddy in deploy/, run by these programs in front of two servers, with TLS. */
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { untilTrue } from './command.ts';
import { freePort } from './postgres-server.ts';
import { startInProcess, TestFolder } from './test-server.ts';

const deploy = join(import.meta.dirname, '../../../deploy');
const scratch = mkdtempSync(join(tmpdir(), 'whence-proxies-'));
/** Debian keeps nginx in /usr/sbin, which not every user has in PATH. */
const env = { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin`, HOME: scratch, XDG_DATA_HOME: scratch };

function without(program: string): string | false {
  const isThere = spawnSync('sh', ['-c', `command -v ${program}`], { env }).status === 0;
  return isThere ? false : `${program} is not installed`;
}

let folder: TestFolder;
let secret: string;
before(async () => {
  folder = new TestFolder();
  folder.publish();
  ({ secret } = await folder.createKey());
});
after(() => {
  folder.remove();
  rmSync(scratch, { recursive: true, force: true });
});

/** Status of a lookup through the proxy; 0 if there is none. Its certificate is of its own making. */
function lookup(port: number, agent: Agent): Promise<number> {
  return new Promise((resolve) => {
    const headers = { 'X-API-Key': secret };
    const request = get(`https://localhost:${port}/v1/ip/8.8.8.8`, { agent, headers, timeout: 20_000 }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    });
    request.on('error', () => resolve(0));
  });
}

/** Through a proxy that is started on `port`: both servers get requests, and one that ends costs none. */
async function balances(port: number, start: (upstreams: readonly [string, string]) => ChildProcess): Promise<void> {
  const servers = [await startInProcess(folder), await startInProcess(folder)] as const;
  const proxy = start([new URL(servers[0].url).host, new URL(servers[1].url).host]);
  let output = '';
  for (const stream of [proxy.stdout, proxy.stderr])
    stream?.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  const exited = once(proxy, 'exit');
  const agent = new Agent({ keepAlive: true, maxSockets: 4, rejectUnauthorized: false });
  try {
    await untilTrue('it answers', async () => (await lookup(port, agent)) === 200).catch((error) => {
      throw new Error(output.slice(-2_000), { cause: error });
    });
    const answered = (i: 0 | 1) => servers[i].metrics().routes['ip']?.statuses['200'] ?? 0;
    for (let i = 0; i < 40; i++) assert.equal(await lookup(port, agent), 200);
    assert.ok(answered(0) > 5 && answered(1) > 5, `${answered(0)} and ${answered(1)}`);
    await servers[0].close();
    for (let i = 0; i < 40; i++) assert.equal(await lookup(port, agent), 200, `after one has ended, request ${i}`);
  } finally {
    agent.destroy();
    proxy.kill('SIGTERM');
    await exited;
    await servers[1].close();
  }
}

test('deploy: nginx with its configuration balances over servers', {
  skip: without('nginx') || without('openssl'),
}, async () => {
  const certificate = ['-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=whence.example.com', '-days', '1'];
  const [key, chain] = [join(scratch, 'privkey.pem'), join(scratch, 'fullchain.pem')];
  execFileSync('openssl', ['req', ...certificate, '-keyout', key, '-out', chain], { stdio: 'ignore' });
  mkdirSync(join(scratch, 'logs'), { recursive: true });
  const port = await freePort();
  await balances(port, ([first, second]) => {
    const site = readFileSync(join(deploy, 'nginx.conf'), 'utf8')
      .replaceAll('/etc/ssl/whence', scratch)
      .replace('192.0.2.11:8080', first)
      .replace('192.0.2.12:8080', second)
      .replaceAll(/listen (\[::\]:)?443/g, (_, ipv6 = '') => `listen ${ipv6 === '' ? '127.0.0.1:' : '[::1]:'}${port}`);
    writeFileSync(join(scratch, 'whence.conf'), site);
    const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${scratch};`);
    const main = `pid ${scratch}/pid; error_log stderr; daemon off; events {}
      http { access_log off; ${places.join(' ')} include ${scratch}/whence.conf; }`;
    writeFileSync(join(scratch, 'nginx.conf'), main);
    return spawn('nginx', ['-p', scratch, '-c', join(scratch, 'nginx.conf')], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  });
});

test('deploy: Caddy with its configuration balances over servers', { skip: without('caddy') }, async () => {
  const port = await freePort();
  await balances(port, ([first, second]) => {
    // Without what needs root, or a port that another one may have.
    const options = '{\n\tadmin off\n\tskip_install_trust\n\tauto_https disable_redirects\n}\n';
    const site = readFileSync(join(deploy, 'docker/Caddyfile'), 'utf8')
      .replace('whence-1:8080', first)
      .replace('whence-2:8080', second);
    writeFileSync(join(scratch, 'Caddyfile'), options + site);
    const args = ['run', '--config', join(scratch, 'Caddyfile'), '--adapter', 'caddyfile'];
    return spawn('caddy', args, {
      env: { ...env, WHENCE_DOMAIN: `https://localhost:${port}` },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  });
});
