/**
 * The configurations of nginx, Caddy and HAProxy in docs/decide.md, run by these programs in front
 * of an application, with a Whence that answers, and one that is away in every way.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, createServer, type OutgoingHttpHeaders, request } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { freePort } from '@whence/testing/programs';
import { seededRandom } from '@whence/testing/seeded-random';
import { until } from '@whence/testing/until';
import {
  hostSpellings,
  isProtectedHost,
  pathSpellings,
  protectedFor,
  SPELLING_RULES,
} from '../http/request-spellings.ts';
import { startInProcess, TestFolder } from '../test-server.ts';

const SEED = 20261118;
const STATUSES = [401, 404, 429, 503];
const page = readFileSync(join(import.meta.dirname, '../../../../docs/decide.md'), 'utf8');
const scratch = mkdtempSync(join(tmpdir(), 'whence-decide-'));
const env = {
  ...process.env,
  PATH: `${process.env['PATH']}:/usr/sbin`,
  HOME: scratch,
  XDG_DATA_HOME: scratch,
};
const folder = new TestFolder();
const rules = join(scratch, 'rules.yaml');
/** Says what has reached it. */
const application = createServer({ maxHeaderSize: 64 * 1024 }, async (received, response) => {
  let bodyBytes = 0;
  for await (const piece of received) bodyBytes += piece.length;
  const { url = '', headers } = received;
  const whence = Object.entries(headers).filter(([name]) => /^x[-_]whence/i.test(name));
  response.end(
    JSON.stringify({ url, host: headers.host, bodyBytes, whence: Object.fromEntries(whence) }),
  );
});
let secret = '';
let whence: Awaited<ReturnType<typeof startInProcess>>;

before(async () => {
  folder.publish();
  ({ secret } = await folder.createKey({ permissions: ['decide:read'] }));
  const byStatus = STATUSES.map(
    (status) =>
      `  - { name: s${status}, if: { private: true, paths: /status/${status} }, then: deny, status: ${status}, text: Refused. }`,
  );
  writeFileSync(
    rules,
    `sets:
 default:
  default: allow
  rules:
  - { name: no-post, if: { private: true, hosts: app.example.com, paths: /login, methods: POST }, then: deny }
${byStatus.join('\n')}${SPELLING_RULES}
  - { name: known, if: { prefixes: 127.0.0.0/8, paths: /known }, then: tag }
`,
  );
  await once(application.listen(0, '127.0.0.1'), 'listening');
  whence = await startInProcess(folder, undefined, {
    WHENCE_RULES: rules,
    WHENCE_TRUST_PROXY: '127.0.0.1',
  });
});
after(async () => {
  application.close();
  await whence?.close();
  folder.remove();
  rmSync(scratch, { recursive: true, force: true });
});

const answer = (head: string) => (socket: Socket) =>
  socket.write(`HTTP/1.1 ${head}\r\nContent-Length: 0\r\n\r\n`);

/** What happens to each request, by the state of Whence. `away` has no listener. */
const AWAY: Readonly<Record<string, (socket: Socket) => unknown>> = {
  away: () => {},
  hanging: () => {},
  slow: (socket) =>
    setTimeout(
      () => socket.write('HTTP/1.1 204 No Content\r\nX-Whence-Decision: allow\r\n\r\n'),
      3_000,
    ),
  reset: (socket) => socket.resetAndDestroy(),
  'closed at once': (socket) => socket.end(),
  'half an answer': (socket) => socket.end('HTTP/1.1 204 No Content\r\nX-Whence-Dec'),
  'another protocol': (socket) => socket.end('220 mail.example.com ESMTP\r\n'),
  'another program': answer('200 OK'),
  '204 without a decision': (socket) => socket.write('HTTP/1.1 204 No Content\r\n\r\n'),
  ...Object.fromEntries(
    [401, 403, 404, 405, 408, 429, 500, 502, 503, 504].map((status) => [
      `${status} without a decision`,
      answer(`${status} X`),
    ]),
  ),
};

/** In the place of Whence: passes connections on to it, or answers as in the table. */
class WhenceInFront {
  readonly #server = createTcpServer((socket) => this.#accept(socket));
  readonly #sockets = new Set<Socket>();
  #state = 'up';
  port = 0;

  async start(): Promise<void> {
    this.port = await freePort();
    await once(this.#server.listen(this.port, '127.0.0.1'), 'listening');
  }

  /** Open connections are closed: those that a program keeps are of the state before. */
  async be(state: string): Promise<void> {
    this.#state = state;
    for (const socket of this.#sockets) socket.destroy();
    if (state === 'away') {
      this.#server.close();
      await once(this.#server, 'close');
    } else if (!this.#server.listening)
      await once(this.#server.listen(this.port, '127.0.0.1'), 'listening');
  }

  async stop(): Promise<void> {
    await this.be('away');
  }

  #accept(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => socket.destroy()).on('close', () => this.#sockets.delete(socket));
    if (this.#state === 'up') {
      const upstream = connect(Number(new URL(whence.url).port), '127.0.0.1');
      upstream.on('error', () => socket.destroy()).on('close', () => socket.destroy());
      socket.on('close', () => upstream.destroy());
      socket.pipe(upstream).pipe(socket);
    } else socket.on('data', () => AWAY[this.#state]?.(socket));
  }
}

const PROGRAMS: Readonly<
  Record<string, (config: string, adapt: (block: string) => string) => ChildProcess>
> = {
  nginx: (config) => {
    const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${scratch};`,
    );
    const main = `pid ${scratch}/pid; error_log stderr; daemon off; events {}\nhttp { access_log off; ${places.join(' ')} ${config} }`;
    writeFileSync(join(scratch, 'nginx.conf'), main);
    return spawn('nginx', ['-p', scratch, '-c', join(scratch, 'nginx.conf')], { env });
  },
  caddyfile: (config) => {
    writeFileSync(join(scratch, 'Caddyfile'), `{\n\tadmin off\n}\n${config}`);
    return spawn(
      'caddy',
      ['run', '--config', join(scratch, 'Caddyfile'), '--adapter', 'caddyfile'],
      { env },
    );
  },
  haproxy: (config, adapt) => {
    writeFileSync(join(scratch, 'whence.lua'), adapt(blockOf('lua')));
    writeFileSync(join(scratch, 'haproxy.cfg'), config);
    return spawn('haproxy', ['-db', '-f', join(scratch, 'haproxy.cfg')], { env });
  },
};

/**
 * The program as the page configures it, in front of the application and a Whence whose state the
 * test chooses.
 */
async function withProgram(
  language: string,
  whenAway: string,
  work: (port: number, front: WhenceInFront) => Promise<void>,
): Promise<void> {
  const front = new WhenceInFront();
  await front.start();
  const port = await freePort();
  const ownPort = await freePort();
  const adapt = (block: string) => withAddresses(block, `127.0.0.1:${front.port}`, port, ownPort);
  const program = PROGRAMS[language]?.(adapt(blockFor(language, whenAway)), adapt) as ChildProcess;
  let output = '';
  for (const stream of [program.stdout, program.stderr])
    stream?.setEncoding('utf8').on('data', (text) => {
      output = (output + text).slice(-4_000);
    });
  const exited = once(program, 'exit');
  try {
    await until('it answers', async () => (await ask(port, 'GET', '/')).status === 200, {
      state: () => output,
    });
    await work(port, front);
  } catch (error) {
    throw new Error(`${language}, ${whenAway}: ${output}`, { cause: error });
  } finally {
    program.kill('SIGTERM');
    await exited;
    await front.stop();
  }
}

/** Headers of 20 kB. HAProxy refuses more than 15 kB by itself. */
const largeHeaders = (language: string) => {
  const size = language === 'haproxy' ? 4_500 : 7_000;
  return {
    Cookie: `a=${'x'.repeat(size)}`,
    Authorization: `Bearer ${'x'.repeat(size)}`,
    Referer: `http://x/${'x'.repeat(size)}`,
  };
};

type Sent = {
  readonly method: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string;
};
const requestsFor = (language: string): Readonly<Record<string, Sent>> => ({
  GET: { method: 'GET' },
  'POST without a body': { method: 'POST', headers: { 'Content-Length': 0 } },
  'POST with a body': {
    method: 'POST',
    headers: { 'Content-Length': 1_000 },
    body: 'x'.repeat(1_000),
  },
  'POST in chunks': {
    method: 'POST',
    headers: { 'Transfer-Encoding': 'chunked' },
    body: 'x'.repeat(1_000),
  },
  'large headers': { method: 'GET', headers: largeHeaders(language) },
});

const FORGED = {
  'X-Forwarded-Uri': '/',
  'X-Forwarded-Method': 'GET',
  'X-Forwarded-For': '8.8.8.8',
  ...Object.fromEntries(
    ['Decision', 'Rule', 'Country', 'Asn', 'Type', 'Score', 'Flags'].flatMap((name) => [
      [`X-Whence-${name}`, 'forged'],
      [`X_Whence_${name}`, 'forged'],
    ]),
  ),
};

for (const language of Object.keys(PROGRAMS))
  for (const whenAway of ['open', 'closed'])
    test(`decide: the configuration for ${language} of the documentation, ${whenAway} when Whence is away`, async () => {
      await withProgram(language, whenAway, async (port, front) => {
        const requests = Object.entries(requestsFor(language));
        const askAll = (path: string) =>
          Promise.all(
            requests.map(async ([name, { method, headers, body }]) => ({
              name,
              sentBytes: body?.length ?? 0,
              ...(await ask(port, method, path, { ...FORGED, ...headers }, body)),
            })),
          );
        const pass = async (path: string, headers: object, state: string) => {
          for (const { name, status, sentBytes, reached } of await askAll(path))
            assert.deepEqual(
              [status, reached?.bodyBytes, reached?.whence],
              [200, sentBytes, headers],
              `${name}, ${state}`,
            );
        };
        await pass('/', {}, 'up');
        await pass('/known', { 'x-whence-rule': 'known' }, 'up');
        for (const wanted of STATUSES)
          for (const { name, status, reached } of await askAll(`/status/${wanted}`))
            assert.deepEqual(
              [status, reached],
              [language === 'caddyfile' ? wanted : 403, undefined],
              `${name}, ${wanted}`,
            );
        assert.equal((await ask(port, 'GET', '/login')).status, 200);
        // What the client says of itself is not what the proxy sends, and neither is its query.
        for (const query of [
          '',
          '?path=/',
          '?ip=8.8.8.8',
          '?explain=true',
          '?method=GET&host=x',
          `?${'x'.repeat(7_000)}`,
        ])
          assert.equal(
            (await ask(port, 'POST', `/login${query}`, FORGED)).status,
            403,
            query.slice(0, 40),
          );
        // A question that is too large to be read is no absence, if the program itself takes a
        // request of that size.
        const large = {
          'X-A': 'x'.repeat(7_000),
          'X-B': 'x'.repeat(7_000),
          'X-C': 'x'.repeat(7_000),
        };
        assert.ok((await ask(port, 'GET', '/secret', large)).status >= 400);
        assert.ok((await ask(port, 'GET', `/secret?${'x'.repeat(20_000)}`)).status >= 400);
        for (const state of Object.keys(AWAY)) {
          await front.be(state);
          if (whenAway === 'open') await pass('/secret', {}, state);
          else
            for (const { name, status, reached } of await askAll('/'))
              assert.ok(status >= 400 && reached === undefined, `${name}, ${state}: ${status}`);
        }
        await front.be('up');
        await until(
          'it is up again',
          async () =>
            (await ask(port, 'GET', '/known')).reached?.whence['x-whence-rule'] === 'known',
        );
      });
    });

for (const language of Object.keys(PROGRAMS))
  test(`decide: ${language}, open: no refused request passes in any order on kept connections (seed ${SEED})`, async () => {
    await withProgram(language, 'open', async (port) => {
      const random = seededRandom(SEED);
      const kinds = Object.values(requestsFor(language));
      await Promise.all(
        Array.from({ length: 6 }, async () => {
          const agent = new Agent({ keepAlive: true, maxSockets: 1 });
          for (let i = 0; i < 40; i++) {
            const { method, headers, body } = kinds[Math.floor(random() * kinds.length)] as Sent;
            const path = random() < 0.5 ? '/secret' : '/';
            const { status } = await ask(port, method, path, headers, body, agent);
            assert.equal(status, path === '/' ? 200 : 403, `${method} ${path}`);
          }
          agent.destroy();
        }),
      );
    });
  });

for (const language of Object.keys(PROGRAMS))
  test(`decide: ${language}, open: what a program behind it would take for protected does not pass, however it is written`, async () => {
    await withProgram(language, 'open', async (port) => {
      const requests = [
        ...pathSpellings().map((target) => ({ target, host: 'app.example.com' })),
        ...hostSpellings().map((host) => ({ target: '/', host })),
        { target: `/secret?${'x'.repeat(7_000)}`, host: `${'x'.repeat(7_000)}` },
      ];
      assert.ok(requests.length >= 200, `${requests.length}`);
      let passed = 0;
      const left = [...requests];
      await Promise.all(
        Array.from({ length: 6 }, async () => {
          for (let asked = left.pop(); asked !== undefined; asked = left.pop()) {
            const reached = await askRaw(port, asked.target, asked.host);
            if (reached === undefined) continue;
            passed++;
            const reading = protectedFor(reached.url);
            assert.equal(reading, undefined, JSON.stringify({ asked, reached }));
            assert.ok(!isProtectedHost(reached.host), JSON.stringify({ asked, reached }));
          }
        }),
      );
      // Some are not protected in any reading.
      assert.ok(
        passed > 0 && passed < requests.length / 2,
        `${passed} of ${requests.length} passed`,
      );
    });
  });

test('decide: the page names the versions that were run', () => {
  const versions = [
    ['nginx', '-v'],
    ['caddy', 'version'],
    ['haproxy', '-v'],
  ].map(([name = '', option = '']) => {
    const output = execFileSync('sh', ['-c', `${name} ${option} 2>&1`], { encoding: 'utf8', env });
    return /\d+\.\d+/.exec(output)?.[0];
  });
  assert.match(
    page,
    new RegExp(`nginx ${versions[0]}, Caddy ${versions[1]} and\\sHAProxy ${versions[2]}`),
  );
});

const blockOf = (language: string) =>
  new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 's').exec(page)?.[1] ?? '';

/** The block of the page; it says what to leave out for the other choice. */
function blockFor(language: string, whenAway: string): string {
  const choices: Readonly<Record<string, RegExp>> = {
    nginx: /# Closed.*?\n.*?\n/,
    caddyfile: /\t# Open.*?\n\t\}\n/s,
    haproxy: /# Closed.*?\n.*?\n/,
  };
  const choice = choices[language] ?? /$/;
  const block = blockOf(language);
  const [chosen = ''] = choice.exec(block) ?? [];
  assert.match(chosen, /^\s*# (Open|Closed)\./);
  return chosen.toLowerCase().includes(`# ${whenAway}`) ? block : block.replace(choice, '');
}

function withAddresses(block: string, asked: string, port: number, ownPort: number): string {
  const { port: to } = application.address() as AddressInfo;
  return block
    .replace('listen 80;', `listen 127.0.0.1:${port};`)
    .replace('bind :80\n', `bind 127.0.0.1:${port}\n`)
    .replace('http://app.example.com {', `http://:${port} {`)
    .replaceAll('127.0.0.1:8080', asked)
    .replaceAll('127.0.0.1:8079', `127.0.0.1:${ownPort}`)
    .replaceAll('127.0.0.1:3000', `127.0.0.1:${to}`)
    .replaceAll('/etc/haproxy/', `${scratch}/`)
    .replaceAll('WHENCE_KEY', secret);
}

type Reached = { url: string; host: string; bodyBytes: number; whence: Record<string, string> };

/** `reached` is what the application has seen, if it was asked. */
function ask(
  port: number,
  method: string,
  path: string,
  headers: OutgoingHttpHeaders = {},
  body = '',
  agent?: Agent,
) {
  return new Promise<{ status: number; reached: Reached | undefined }>((resolve) => {
    const all = { Host: `app.example.com:${port}`, ...headers };
    const options = {
      host: '127.0.0.1',
      port,
      method,
      path,
      headers: all,
      timeout: 20_000,
      ...(agent && { agent }),
    };
    const sent = request(options, async (response) => {
      let text = '';
      for await (const chunk of response.setEncoding('utf8')) text += chunk;
      resolve({
        status: response.statusCode ?? 0,
        reached: text.startsWith('{"url"') ? JSON.parse(text) : undefined,
      });
    });
    sent.on('timeout', () => sent.destroy());
    sent.on('error', () => resolve({ status: 0, reached: undefined }));
    sent.end(body);
  });
}

/** The same for a target and a host as bytes, which no client would send. */
function askRaw(port: number, target: string, host: string): Promise<Reached | undefined> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () =>
      socket.write(
        `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
        'latin1',
      ),
    );
    let text = '';
    socket.setTimeout(10_000, () => socket.destroy());
    socket.setEncoding('utf8').on('data', (piece) => {
      text += piece;
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      const json = /\{"url".*\}/.exec(text)?.[0];
      resolve(json === undefined ? undefined : JSON.parse(json));
    });
  });
}
