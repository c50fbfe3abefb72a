/** The configurations of nginx, Caddy and HAProxy in docs/decide.md, run by these programs in front of an application. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { freePort } from '@whence/testing/programs';
import { until } from '@whence/testing/until';
import { startInProcess, TestFolder } from '../test-server.ts';

const page = readFileSync(join(import.meta.dirname, '../../../../docs/decide.md'), 'utf8');
const scratch = mkdtempSync(join(tmpdir(), 'whence-decide-'));
const env = { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin`, HOME: scratch, XDG_DATA_HOME: scratch };
const folder = new TestFolder();
const rules = join(scratch, 'rules.yaml');
/** Says who asked, and by which rule it passed. */
const application = createServer(({ headers }, response) => response.end(`rule ${headers['x-whence-rule'] ?? ''}`));
let secret = '';

before(async () => {
  folder.publish();
  ({ secret } = await folder.createKey({ permissions: ['decide:read'] }));
  writeFileSync(
    rules,
    `sets: {default: {default: allow, rules: [
      {name: no-post, if: {private: true, hosts: app.example.com, paths: /login, methods: POST}, then: deny},
      {name: known, if: {prefixes: 127.0.0.0/8}, then: tag}]}}`,
  );
  await once(application.listen(0, '127.0.0.1'), 'listening');
});
after(() => {
  application.close();
  folder.remove();
  rmSync(scratch, { recursive: true, force: true });
});

const PROGRAMS: Readonly<Record<string, (config: string, adapt: (block: string) => string) => ChildProcess>> = {
  nginx: (config) => {
    const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${scratch};`);
    const main = `pid ${scratch}/pid; error_log stderr; daemon off; events {}\nhttp { access_log off; ${places.join(' ')} ${config} }`;
    writeFileSync(join(scratch, 'nginx.conf'), main);
    return spawn('nginx', ['-p', scratch, '-c', join(scratch, 'nginx.conf')], { env });
  },
  caddyfile: (config) => {
    writeFileSync(join(scratch, 'Caddyfile'), `{\n\tadmin off\n}\n${config}`);
    return spawn('caddy', ['run', '--config', join(scratch, 'Caddyfile'), '--adapter', 'caddyfile'], { env });
  },
  haproxy: (config, adapt) => {
    writeFileSync(join(scratch, 'whence.lua'), adapt(blockOf('lua')));
    writeFileSync(join(scratch, 'haproxy.cfg'), config);
    return spawn('haproxy', ['-db', '-f', join(scratch, 'haproxy.cfg')], { env });
  },
};

for (const [language, start] of Object.entries(PROGRAMS))
  for (const whenAway of ['open', 'closed'])
    test(`decide: the configuration for ${language} of the documentation, ${whenAway} when Whence is away`, async () => {
      const settings = { WHENCE_RULES: rules, WHENCE_TRUST_PROXY: '127.0.0.1' };
      const whence = await startInProcess(folder, undefined, settings);
      const port = await freePort();
      const adapt = (block: string) => withAddresses(block, new URL(whence.url).host, port);
      const program = start(adapt(blockFor(language, whenAway)), adapt);
      let output = '';
      for (const stream of [program.stdout, program.stderr])
        stream?.setEncoding('utf8').on('data', (text) => {
          output += text;
        });
      const exited = once(program, 'exit');
      try {
        await until('it answers', async () => (await ask(port, 'GET', '/')).status === 200, { state: () => output });
        assert.deepEqual(await ask(port, 'GET', '/login'), { status: 200, text: 'rule known' });
        assert.equal((await ask(port, 'POST', '/login')).status, 403);
        assert.equal((await ask(port, 'POST', '/x/..%2flogin')).status, 403);
        // A body stays with the proxy, and the next question on the same connection is not read as that body.
        assert.equal((await ask(port, 'POST', '/', {}, 'x'.repeat(1_000))).status, 200);
        assert.equal((await ask(port, 'POST', '/login')).status, 403);
        // What the client says of itself is not what the proxy sends.
        const forged = {
          'X-Forwarded-Uri': '/',
          'X-Forwarded-Method': 'GET',
          'X-Forwarded-For': '8.8.8.8',
          'X-Whence-Rule': 'x',
        };
        assert.equal((await ask(port, 'POST', '/login', forged)).status, 403);
        assert.deepEqual(await ask(port, 'GET', '/', forged), { status: 200, text: 'rule known' });
        await whence.close();
        const { status } = await ask(port, 'POST', '/login');
        assert.equal(status === 200, whenAway === 'open', `${status}\n${output}`);
      } finally {
        program.kill('SIGTERM');
        await exited;
        await whence.close().catch(() => {});
      }
    });

const blockOf = (language: string) => new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 's').exec(page)?.[1] ?? '';

/** The block of the page; it says what to leave out for the other choice. */
function blockFor(language: string, whenAway: string): string {
  const choices: Readonly<Record<string, RegExp>> = {
    nginx: /# Open.*?_whence_away;\n/s,
    caddyfile: /\t# Open.*?\n\t\}\n/s,
    haproxy: /# Closed.*?\n.*?\n/,
  };
  const choice = choices[language] ?? /$/;
  const block = blockOf(language);
  const [chosen = ''] = choice.exec(block) ?? [];
  assert.match(chosen, /^\s*# (Open|Closed)\./);
  return chosen.toLowerCase().includes(`# ${whenAway}`) ? block : block.replace(choice, '');
}

function withAddresses(block: string, whence: string, port: number): string {
  const { port: to } = application.address() as AddressInfo;
  return block
    .replace('listen 80;', `listen 127.0.0.1:${port};`)
    .replace('bind :80\n', `bind 127.0.0.1:${port}\n`)
    .replace('http://app.example.com {', `http://app.example.com:${port} {`)
    .replaceAll('127.0.0.1:8080', whence)
    .replaceAll('127.0.0.1:3000', `127.0.0.1:${to}`)
    .replaceAll('/etc/haproxy/', `${scratch}/`)
    .replaceAll('WHENCE_KEY', secret);
}

function ask(port: number, method: string, path: string, headers: Record<string, string> = {}, body = '') {
  return new Promise<{ status: number; text: string }>((resolve) => {
    const all = { Host: `app.example.com:${port}`, ...headers };
    const sent = request({ host: '127.0.0.1', port, method, path, headers: all, timeout: 20_000 }, async (response) => {
      let text = '';
      for await (const chunk of response.setEncoding('utf8')) text += chunk;
      resolve({ status: response.statusCode ?? 0, text });
    });
    sent.on('error', () => resolve({ status: 0, text: '' }));
    sent.end(body);
  });
}
