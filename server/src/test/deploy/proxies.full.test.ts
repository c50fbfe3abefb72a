/**
 * The configurations of nginx and Caddy in deploy/, run by these programs in front of two servers,
 * with TLS.
 */

import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { Agent, get, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { freePort } from '@whence/testing/programs';
import { until } from '@whence/testing/until';
import { MAX_BODY_BYTES, MAX_REPORT_BYTES } from '../../http/limits.ts';
import { DEFAULT_PERMISSIONS } from '../../vocabulary.ts';
import { startInProcess, TestFolder } from '../test-server.ts';

const deploy = join(import.meta.dirname, '../../../../deploy');
const scratch = mkdtempSync(join(tmpdir(), 'whence-proxies-'));
/** Debian keeps nginx in /usr/sbin, which not every user has in PATH. */
const env = {
  ...process.env,
  PATH: `${process.env['PATH']}:/usr/sbin`,
  HOME: scratch,
  XDG_DATA_HOME: scratch,
};

function without(program: string): string | false {
  const isThere = spawnSync('sh', ['-c', `command -v ${program}`], { env }).status === 0;
  return isThere ? false : `${program} is not installed`;
}

let folder: TestFolder;
let secret: string;
before(async () => {
  folder = new TestFolder();
  folder.publish();
  const permissions = [...DEFAULT_PERMISSIONS, 'reports:write'] as const;
  ({ secret } = await folder.createKey({ permissions }));
});
after(() => {
  folder.remove();
  rmSync(scratch, { recursive: true, force: true });
});

/**
 * Status of a lookup through the proxy; 0 if there is none. Its certificate is of its own making.
 */
function lookup(port: number, agent: Agent): Promise<number> {
  return new Promise((resolve) => {
    const headers = { 'X-API-Key': secret };
    const sent = get(
      `https://localhost:${port}/v1/ip/8.8.8.8`,
      { agent, headers, timeout: 20_000 },
      (response) => {
        response.resume().on('end', () => resolve(response.statusCode ?? 0));
      },
    );
    sent.on('error', () => resolve(0));
  });
}

/** The largest body of each route reaches the server, which refuses a larger one itself. */
async function passesLargestBodies(port: number, agent: Agent): Promise<void> {
  const batch = JSON.stringify({ ips: ['8.8.8.8'] });
  for (const [path, type, body, want] of [
    ['/v1/ip/batch', 'application/json', batch.padEnd(MAX_BODY_BYTES), 200],
    ['/v1/ip/batch', 'application/json', batch.padEnd(MAX_BODY_BYTES + 1), 413],
    ['/v1/email/reports', 'application/octet-stream', ' '.repeat(MAX_REPORT_BYTES), 415],
  ] as const) {
    const headers = { 'X-API-Key': secret, 'Content-Type': type };
    const answer = await new Promise<{ status: number; id: unknown }>((resolve, reject) => {
      const sent = request(
        `https://localhost:${port}${path}`,
        { agent, method: 'POST', headers: { ...headers, 'Content-Length': body.length } },
        (response) => {
          const { statusCode: status = 0, headers: received } = response;
          response.resume().on('end', () => resolve({ status, id: received['x-request-id'] }));
        },
      );
      sent.on('error', reject);
      sent.end(body);
    });
    assert.deepEqual([answer.status, typeof answer.id], [want, 'string'], `${path}, ${want}`);
  }
}

/**
 * Through a proxy that is started on `port`: both servers get requests, and one that ends costs
 * none.
 */
async function balances(
  port: number,
  start: (upstreams: readonly [string, string]) => ChildProcess,
): Promise<void> {
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
    await until('it answers', async () => (await lookup(port, agent)) === 200).catch((error) => {
      throw new Error(output.slice(-2_000), { cause: error });
    });
    const answered = (i: 0 | 1) => servers[i].metrics().routes['ip']?.statuses['200'] ?? 0;
    for (let i = 0; i < 40; i++) assert.equal(await lookup(port, agent), 200);
    assert.ok(answered(0) > 5 && answered(1) > 5, `${answered(0)} and ${answered(1)}`);
    await passesLargestBodies(port, agent);
    await servers[0].close();
    for (let i = 0; i < 40; i++)
      assert.equal(await lookup(port, agent), 200, `after one has ended, request ${i}`);
  } finally {
    agent.destroy();
    proxy.kill('SIGTERM');
    await exited;
    await servers[1].close();
  }
}

/** nginx with the configuration, but with other addresses and a certificate made for the test. */
function startNginx(port: number, [first, second]: readonly [string, string]): ChildProcess {
  const certificate = [
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-subj',
    '/CN=whence.example.com',
    '-days',
    '1',
  ];
  const key = join(scratch, 'privkey.pem');
  const chain = join(scratch, 'fullchain.pem');
  execFileSync('openssl', ['req', ...certificate, '-keyout', key, '-out', chain], {
    stdio: 'ignore',
  });
  mkdirSync(join(scratch, 'logs'), { recursive: true });
  const site = readFileSync(join(deploy, 'nginx.conf'), 'utf8')
    .replaceAll('/etc/ssl/whence', scratch)
    .replace('192.0.2.11:8080', first)
    .replace('192.0.2.12:8080', second)
    .replaceAll(
      /listen (\[::\]:)?443/g,
      (_, ipv6 = '') => `listen ${ipv6 === '' ? '127.0.0.1:' : '[::1]:'}${port}`,
    );
  writeFileSync(join(scratch, 'whence.conf'), site);
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${scratch};`,
  );
  const main = `pid ${scratch}/pid; error_log stderr; daemon off; events {}
      http { access_log off; ${places.join(' ')} include ${scratch}/whence.conf; }`;
  writeFileSync(join(scratch, 'nginx.conf'), main);
  return spawn('nginx', ['-p', scratch, '-c', join(scratch, 'nginx.conf')], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

const withoutNginx = without('nginx') || without('openssl');

test('deploy: nginx with its configuration balances over servers', {
  skip: withoutNginx,
}, async () => {
  const port = await freePort();
  await balances(port, (upstreams) => startNginx(port, upstreams));
});

/** A server that answers every request with its status, and counts them by method. */
async function upstream(): Promise<{
  server: Server;
  host: string;
  status: number;
  counts: Record<string, number>;
}> {
  const counts: Record<string, number> = {};
  const state = { server: createServer(), host: '', status: 200, counts };
  state.server.on('request', (received, response) => {
    counts[received.method ?? ''] = (counts[received.method ?? ''] ?? 0) + 1;
    received.resume().on('end', () => {
      if (state.status === 503) response.setHeader('Retry-After', '10');
      response.writeHead(state.status).end('of the replica');
    });
  });
  await once(state.server.listen(0, '127.0.0.1'), 'listening');
  state.host = `127.0.0.1:${(state.server.address() as AddressInfo).port}`;
  return state;
}

test('deploy: nginx sends what one replica answers with 503 to the other', {
  skip: withoutNginx,
}, async () => {
  const first = await upstream();
  const second = await upstream();
  const port = await freePort();
  const nginx = startNginx(port, [first.host, second.host]);
  nginx.stdout?.resume();
  nginx.stderr?.resume();
  const exited = once(nginx, 'exit');
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
  const ask = (method: string) =>
    new Promise<string>((resolve) => {
      const sent = request(
        `https://localhost:${port}/`,
        { agent, method, timeout: 20_000 },
        (response) => {
          const from = response.headers['retry-after'] === undefined ? '' : ' with Retry-After';
          response.resume().on('end', () => resolve(`${response.statusCode}${from}`));
        },
      );
      sent.on('error', () => resolve('none'));
      sent.end(method === 'POST' ? '{}' : undefined);
    });
  const askTimes = async (method: string) => {
    for (const { counts } of [first, second]) counts[method] = 0;
    const answers: string[] = [];
    for (let i = 0; i < 20; i++) answers.push(await ask(method));
    return {
      answers: [...new Set(answers)].sort(),
      received: (first.counts[method] ?? 0) + (second.counts[method] ?? 0),
    };
  };
  try {
    await until('nginx answers', async () => (await ask('HEAD')) === '200');
    first.status = 503;
    const gets = await askTimes('GET');
    assert.deepEqual(gets.answers, ['200'], 'no client sees the 503 of one replica');
    assert.ok(
      (first.counts['GET'] ?? 0) > 5,
      'the replica still gets requests, which may be answered again',
    );
    assert.deepEqual(
      await askTimes('POST'),
      { answers: ['200', '503 with Retry-After'], received: 20 },
      'a request that is not idempotent reaches one replica',
    );
    second.status = 503;
    assert.deepEqual(
      await askTimes('GET'),
      { answers: ['503 with Retry-After'], received: 40 },
      'if all replicas answer 503, the client gets their answer and not one of nginx',
    );
    first.status = 200;
    second.status = 200;
    assert.deepEqual(
      await askTimes('GET'),
      { answers: ['200'], received: 20 },
      'and service continues at once',
    );
  } finally {
    agent.destroy();
    nginx.kill('SIGTERM');
    await exited;
    for (const { server } of [first, second]) {
      server.closeAllConnections();
      server.close();
    }
  }
});

test('deploy: Caddy with its configuration balances over servers', {
  skip: without('caddy'),
}, async () => {
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
