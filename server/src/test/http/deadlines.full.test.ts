/**
 * Every request ends with a status, whatever it waits for: more of each class than are served, on a
 * real server whose DNS does not answer. How long each took is a diagnostic, not an assertion.
 * Clients that send slowly, do not read, or disconnect leave nothing behind.
 */
import assert from 'node:assert/strict';
import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import test, { after, before, type TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import { until } from '@whence/testing/until';
import { REQUEST_TIMEOUT_MS, STALLED_MS } from '../../http/limits.ts';
import type { COST_CLASSES } from '../../limits/cost-classes.ts';
import { PERMISSIONS } from '../../vocabulary.ts';
import { type DashboardClient, PASSWORD, signedInAs } from '../dashboard/dashboard-client.ts';
import { ServerProcess, TestFolder } from '../test-server.ts';

const folder = new TestFolder();
/** Takes questions and answers none. */
const dns: UdpSocket = createSocket('udp4');
let questions = 0;
let server: ServerProcess;
let client: DashboardClient;
const keys: string[] = [];

before(async () => {
  folder.publish();
  folder.publish();
  dns.on('message', () => questions++);
  dns.bind(0, '127.0.0.1');
  await once(dns, 'listening');
  for (let i = 0; i < 3; i++) {
    const key = { tier: 'enterprise', permissions: PERMISSIONS } as const;
    keys.push((await folder.createKey(key)).secret);
  }
  server = await ServerProcess.start(folder, {
    WHENCE_DNS_SERVERS: `127.0.0.1:${dns.address().port}`,
    WHENCE_SMTP_PROBE: 'on',
  });
  client = await signedInAs(folder, server.url, 'Administrator', 'admin');
  await until('files are written', async () => {
    return (await send({ path: '/v1/databases/whence' })).status === 200;
  });
});
after(async () => {
  await server.stop();
  dns.close();
  folder.remove();
});

type Asked = {
  readonly path: string;
  readonly body?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  /** The client disconnects after so many milliseconds. */
  readonly leavesMs?: number;
  /** The client reads the status and no more. */
  readonly isUnread?: boolean;
};
type Ended = { readonly status: number; readonly ms: number };

/** Status 0: the connection was closed without any. The time begins when all was sent. */
function send(
  { path, body, headers = {}, leavesMs, isUnread = false }: Asked,
  key = 0,
): Promise<Ended> {
  let beganMs = performance.now();
  const { hostname, port } = new URL(server.url);
  return new Promise((resolve) => {
    const sent = request({
      hostname,
      port,
      path,
      agent: false,
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'X-API-Key': keys[key] ?? '', 'Content-Type': 'application/json', ...headers },
    });
    const end = (status: number) => resolve({ status, ms: performance.now() - beganMs });
    sent.on('finish', () => {
      beganMs = performance.now();
    });
    sent.on('response', (response) => {
      end(response.statusCode ?? 0);
      if (isUnread) return;
      response.on('error', () => {});
      response.resume();
    });
    sent.on('error', () => end(0));
    sent.on('close', () => end(0));
    if (leavesMs !== undefined) setTimeout(() => sent.destroy(), leavesMs);
    sent.end(body);
  });
}

type QueuedClass = {
  [Name in keyof typeof COST_CLASSES]: (typeof COST_CLASSES)[Name] extends undefined ? never : Name;
}[keyof typeof COST_CLASSES];

const addresses = Array.from({ length: 1_000 }, (_, i) => `8.8.${i >> 8}.${i & 255}`);
const batch = JSON.stringify({ ips: addresses, include: ['routing', 'privacy'] });
const record = (i: number) =>
  `<record><row><source_ip>2001:db8:${(i >> 12).toString(16)}::${(i & 4095).toString(16)}</source_ip><count>1</count><policy_evaluated><disposition>none</disposition><dkim>fail</dkim><spf>fail</spf></policy_evaluated></row><identifiers><header_from>example.com</header_from></identifiers><auth_results><spf><domain>h${i}.example</domain><result>fail</result></spf></auth_results></record>`;
/** Another id each, so that none is a repetition. Together they are too few rows for a flood. */
const report = (id: number, rows = 2_500) =>
  gzipSync(
    `<?xml version="1.0"?><feedback><report_metadata><org_name>x</org_name><email>a@x.example</email><report_id>${id}</report_id><date_range><begin>1790000000</begin><end>1790080000</end></date_range></report_metadata><policy_published><domain>example.com</domain><p>none</p></policy_published>${Array.from({ length: rows }, (_, i) => record(i)).join('')}</feedback>`,
  );
const ofPages = (path: string): Asked => ({
  path: `/dashboard/api${path}`,
  headers: { Cookie: client.cookie, Origin: server.url, 'X-CSRF-Token': client.csrf },
});

/** Requests of each class, more than it serves at once, and how many. */
const REQUESTS: Readonly<Record<QueuedClass, readonly [count: number, ask: (i: number) => Asked]>> =
  {
    turn: [40, () => ({ path: '/v1/ip/batch', body: batch })],
    search: [40, (i) => ({ path: `/v1/asn/search?q=${'aeiou'[i % 5]}&limit=100` })],
    scan: [20, (i) => ({ path: `/v1/prefix/${i}.0.0.0/${8 + (i % 4)}` })],
    hostname: [80, (i) => ({ path: `/v1/ip/8.8.8.${i}?include=hostname` })],
    email_check: [30, (i) => ({ path: `/v1/email/domain/d${i}.example/dns` })],
    judgement: [12, (i) => ({ path: `/v1/email/domain/example.com/senders?days=${i + 1}` })],
    smtp_probe: [6, (i) => ({ path: `/v1/email/domain/s${i}.example/dns?include=smtp` })],
    past_version: [20, (i) => ({ path: `/v1/ip/8.8.8.${i}/history` })],
    report_import: [
      7,
      (i) => ({
        path: '/v1/email/reports',
        body: report(i),
        headers: { 'Content-Type': 'application/gzip' },
      }),
    ],
    password: [
      30,
      (i) => ({
        ...ofPages('/session'),
        body: JSON.stringify({ name: `guess ${i}`, password: PASSWORD }),
        headers: { ...ofPages('').headers, Cookie: '', 'Content-Type': 'application/json' },
      }),
    ],
    export: [12, () => ({ ...ofPages('/audit/export'), isUnread: true })],
    download: [300, () => ({ path: '/v1/databases/whence', isUnread: true })],
  };
const classes = Object.keys(REQUESTS) as QueuedClass[];

/** There is no DNS, and a guess of a password is refused. */
const WITHOUT_200: readonly QueuedClass[] = ['email_check', 'smtp_probe', 'password'];

async function expectStatuses(t: TestContext, asked: readonly QueuedClass[]): Promise<void> {
  const ended = await Promise.all(
    asked.flatMap((cost) => {
      const [count, ask] = REQUESTS[cost];
      return Array.from({ length: count }, async (_, i) => ({
        cost,
        ...(await send(ask(i), i % keys.length)),
      }));
    }),
  );
  for (const cost of asked) {
    const own = ended.filter((end) => end.cost === cost);
    const slowest = Math.round(Math.max(...own.map(({ ms }) => ms)));
    const refused = own.filter(({ status }) => status === 503).length;
    t.diagnostic(`${cost}: ${own.length} requests, ${refused} refused, at most ${slowest} ms`);
  }
  for (const { cost, status, ms } of ended) {
    assert.ok(status !== 0, `${cost}: no status after ${ms} ms`);
    assert.ok([200, 401, 429, 503].includes(status), `${cost}: ${status}`);
  }
}

for (const cost of classes)
  test(`deadlines: more requests of the class ${cost} than are served end with a status`, (t) =>
    expectStatuses(t, [cost]));

// The server refuses most of them, because new connections wait too long.
test('deadlines: so do requests of all classes at once', (t) => expectStatuses(t, classes));

test('deadlines: clients that disconnect leave no slot occupied', async () => {
  await Promise.all(
    classes.flatMap((cost) => {
      const [count, ask] = REQUESTS[cost];
      return Array.from({ length: count }, (_, i) =>
        send({ ...ask(i), leavesMs: 50 + 10 * (i % 30) }),
      );
    }),
  );
  for (const cost of classes)
    await until(`${cost} is answered`, async () => {
      const [, ask] = REQUESTS[cost];
      const { status } = await send({ ...ask(0), isUnread: false }, 1);
      return status === 200 || (WITHOUT_200.includes(cost) && status !== 0);
    });
});

test('deadlines: a flood that is imported already waits for no DNS', async () => {
  const body = report(1_000, 25_000);
  const headers = { 'X-API-Key': keys[0] ?? '', 'Content-Type': 'application/gzip' };
  const post = async () => {
    const response = await fetch(`${server.url}/v1/email/reports`, {
      method: 'POST',
      headers,
      body,
    });
    const { data } = (await response.json()) as { data: { reports: { state: string }[] } };
    return data.reports.map(({ state }) => state);
  };
  assert.deepEqual(await post(), ['read']);
  assert.ok(questions > 0);
  questions = 0;
  assert.deepEqual([await post(), questions], [['repeated'], 0]);
});

/** The status of the answer to these bytes, of which some are sent late; 0 without any. */
async function answerTo(first: string, later: string): Promise<number> {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  socket.write(first);
  const dripping = setInterval(() => socket.write(later), 1_000);
  let text = '';
  socket.on('error', () => {});
  socket.on('data', (bytes) => {
    text += bytes.toString('latin1');
    clearInterval(dripping);
    socket.end();
  });
  await once(socket, 'close');
  clearInterval(dripping);
  const [, status = 0] = /^HTTP\/1\.1 (\d+)/.exec(text) ?? [];
  return Number(status);
}

test('deadlines: a client that sends its fields or its body slowly gets 408', async () => {
  const fields = `POST /v1/email/reports HTTP/1.1\r\nHost: x\r\nX-API-Key: ${keys[0]}\r\n`;
  const [slowFields, slowBody] = await Promise.all([
    answerTo(fields, 'X-A: b\r\n'),
    answerTo(`${fields}Content-Length: 1000000\r\n\r\n`, '<'),
  ]);
  assert.equal(slowFields, 408);
  assert.equal(slowBody, 408);
  assert.ok(REQUEST_TIMEOUT_MS < STALLED_MS);
});
