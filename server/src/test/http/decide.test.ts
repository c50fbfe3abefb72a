import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { createClient } from '@whence/client';
import { periodPasses, until } from '@whence/testing/until';
import { runCommand } from '../run-command.ts';
import { startInProcess, TestFolder } from '../test-server.ts';
import { RawConnection } from './raw-connection.ts';
import { parseAnswers } from './raw-http.ts';
import { decideRandomSpellings } from './request-spellings.ts';

const RULES = `
sets:
  default:
    default: allow
    rules:
      - { name: crawlers, if: { flags: ai_crawler }, then: deny, status: 451, text: No crawlers. }
      - { name: login, if: { hosts: app.example.com, paths: /login, methods: POST, countries: US }, then: deny }
  watched: { mode: observe, default: deny }
  opened: { default: deny, rules: [{ name: site, if: { hosts: [www.example.com, "*.example.net"] }, then: allow }] }
  closed: { default: allow, rules: [{ name: site, if: { hosts: [www.example.com, "*.example.net"] }, then: deny }] }
`;
const folder = new TestFolder();
const files = mkdtempSync(join(tmpdir(), 'whence-rules-'));
const path = join(files, 'rules.yaml');
const servers: Awaited<ReturnType<typeof startInProcess>>[] = [];
let key = '';

/** The second one trusts the proxy on 127.0.0.1. The third one reads by `data` events. */
before(async () => {
  folder.publish();
  writeFileSync(path, RULES);
  key = (await folder.createKey({ permissions: ['decide:read'] })).secret;
  for (const proxies of ['', '127.0.0.1'])
    servers.push(
      await startInProcess(folder, undefined, { WHENCE_RULES: path, WHENCE_TRUST_PROXY: proxies }),
    );
  servers.push(
    await startInProcess(folder, undefined, { WHENCE_RULES: path }, { readMode: 'data-events' }),
  );
});

after(async () => {
  for (const server of servers) await server.close();
  folder.remove();
  rmSync(files, { recursive: true });
});

async function ask(query: string, headers: Record<string, string> = {}, server = 0) {
  const response = await fetch(`${servers[server]?.url}/v1/decide?${query}`, {
    headers: { 'X-API-Key': key, ...headers },
  });
  const whence = Object.fromEntries(
    [...response.headers].filter(([name]) => name.startsWith('x-whence-')),
  );
  return { status: response.status, whence, text: await response.text() };
}

/**
 * Headers of an answer to a question that a client may have made impossible to answer: a proxy must
 * not let it pass.
 */
const DENIED = { 'x-whence-decision': 'deny' };

for (const [behaviour, query, parameter] of [
  ['the address', 'ip=8.8.8.8&path=/x&ip=9.0.0.1', 'ip'],
  ['the path, with explain', 'explain=true&ip=8.8.8.8&path=/login&path=/', 'path'],
] as const)
  test(`decide: a parameter that is there twice is refused: ${behaviour}`, async () => {
    const { status, whence, text } = await ask(query);
    assert.deepEqual([status, JSON.parse(text).data.details], [400, { parameter }]);
    assert.deepEqual(whence, DENIED);
  });

const OF_GOOGLE = {
  'x-whence-country': 'US',
  'x-whence-asn': '15169',
  'x-whence-type': 'datacenter',
  'x-whence-flags': 'datacenter',
};

for (const [behaviour, query, expected] of [
  [
    'an allowed address',
    'ip=8.8.8.8',
    { status: 204, text: '', whence: { 'x-whence-decision': 'allow', ...OF_GOOGLE } },
  ],
  [
    'an address without a record',
    'ip=9.9.9.9',
    { status: 204, text: '', whence: { 'x-whence-decision': 'allow' } },
  ],
  [
    'the client, which is on this machine',
    '',
    { status: 204, text: '', whence: { 'x-whence-decision': 'allow' } },
  ],
  [
    'a refused request',
    'ip=8.8.8.8&host=app.example.com&path=/x/../login&method=post',
    {
      status: 403,
      text: '',
      whence: { 'x-whence-decision': 'deny', 'x-whence-rule': 'login', ...OF_GOOGLE },
    },
  ],
  [
    'a set that observes',
    'ip=8.8.8.8&set=watched',
    { status: 204, text: '', whence: { 'x-whence-decision': 'observe', ...OF_GOOGLE } },
  ],
] as const)
  test(`decide: ${behaviour}`, async () => assert.deepEqual(await ask(query), expected));

test('decide: the status and the text of a rule', async () => {
  const { status, whence, text } = await ask('ip=3.0.0.17');
  assert.deepEqual([status, whence['x-whence-rule'], text], [451, 'crawlers', 'No crawlers.\n']);
});

for (const [query, status, code, whence = {}] of [
  ['ip=nonsense', 400, 'INVALID_IP', DENIED],
  ['ip=8.8.8.8&explain=maybe', 400, 'INVALID_QUERY', DENIED],
  ['ip=8.8.8.8&hots=example.com', 400, 'UNKNOWN_PARAMETER', DENIED],
  ['ip=8.8.8.8&set=other', 404, 'RULE_SET_NOT_FOUND'],
  [`path=/${'x'.repeat(9_000)}`, 414, 'URI_TOO_LONG', DENIED],
  [`path=/${'x'.repeat(20_000)}`, 431, 'HEADERS_TOO_LARGE', DENIED],
] as const)
  test(`decide: ${query.slice(0, 30)} is ${code}`, async () => {
    const answer = await ask(query);
    assert.deepEqual(
      [answer.status, JSON.parse(answer.text).data.code, answer.whence],
      [status, code, whence],
    );
  });

for (const [behaviour, uri, query, status] of [
  ['another path', '/login?path=/', 'path=/', 400],
  ['another address, in another spelling', '/login?%69p=3.0.0.%31', 'ip=3.0.0.1', 400],
  ['another set', '/login?set=watched', 'set=watched', 400],
  ['an explanation, whose status is 200', '/login?explain=true', 'explain=true', 400],
  ['an explanation, with a mistake', '/login?explain=x', 'explain=x', 400],
  ['a set behind that of the proxy', '/login?path=/', 'set=default&path=/', 400],
  ['nothing that is read', '/login?q=1', 'q=1', 400],
  ['an explanation, in another spelling', '/login?explain=TRUE', 'explain=1', 400],
  ['nothing, and the proxy has its own', '/login?q=1', 'set=default', 403],
] as const)
  test(`decide: the client's query, left in the question by its proxy, asks for ${behaviour}`, async () => {
    const answer = await ask(query, { ...FORWARDED, 'X-Forwarded-Uri': uri }, 1);
    assert.deepEqual([answer.status, answer.whence['x-whence-decision']], [status, 'deny']);
  });

test('decide: explain has the rule, what met its conditions, the record and its evidence', async () => {
  const { status, text } = await ask(
    'ip=8.8.8.8&host=app.example.com&path=/login&method=POST&explain=true',
  );
  const { decision, rule, matched, record, evidence } = JSON.parse(text).data;
  const met = { methods: 'POST', hosts: 'app.example.com', paths: '/login', countries: 'US' };
  assert.deepEqual(
    [status, decision, rule, matched, record.asn],
    [200, 'deny', 'login', met, 15_169],
  );
  assert.ok(evidence.length > 0);
});

const FORWARDED = {
  'X-Forwarded-For': '8.8.8.8',
  'X-Forwarded-Host': 'app.example.com',
  'X-Forwarded-Uri': '/login',
  'X-Forwarded-Method': 'POST',
};
test('decide: forwarding headers are those of a trusted proxy only', async () => {
  const stranger = await ask('', FORWARDED);
  const proxy = await ask('', FORWARDED, 1);
  assert.deepEqual([stranger.status, stranger.whence['x-whence-asn']], [204, undefined]);
  assert.deepEqual([proxy.status, proxy.whence['x-whence-rule']], [403, 'login']);
  // Values of the query are what the proxy chose to send.
  assert.equal((await ask('path=/', FORWARDED, 1)).status, 204);
});

const question = (more = '') =>
  `GET /v1/decide?ip=3.0.0.17 HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n${more}\r\n`;

/** The answers on one connection, to what is sent piece by piece, and how it ended. */
async function exchangePieces(url: string, pieces: readonly string[]) {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  let received = '';
  let error = '';
  let isEnded = false;
  socket.setEncoding('latin1').on('data', (text) => {
    received += text;
  });
  socket.on('end', () => {
    isEnded = true;
  });
  socket.on('error', ({ message }) => {
    error = message;
  });
  for (const piece of pieces) {
    socket.write(piece, 'latin1');
    await periodPasses(100);
  }
  await until('an answer, and the end of the connection if it is announced', () =>
    /connection: close\r\n/i.test(received) || error !== ''
      ? isEnded || error !== ''
      : received.split('HTTP/1.1 451').length === 3,
  );
  socket.destroy();
  return {
    statuses: [...received.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => Number(status)),
    received,
    error,
  };
}

for (const [behaviour, pieces, statuses = [451]] of [
  [
    'whose bytes look like a request',
    () => [question('Content-Length: 300\r\n') + question().padEnd(300)],
  ],
  ['that is followed by a request', () => [`${question('Content-Length: 2\r\n')}{}${question()}`]],
  [
    'that never comes, but the next question does',
    () => [question('Content-Length: 300\r\n'), question(), question()],
  ],
  ['that comes slowly', () => [question('Content-Length: 6\r\n'), ...'abcdef']],
  [
    'that comes slowly, and more than was declared',
    () => [question('Content-Length: 2\r\n'), ...'{}', question()],
  ],
  [
    'in chunks',
    () => [question('Transfer-Encoding: chunked\r\n'), '2\r\n{}\r\n', `0\r\n\r\n${question()}`],
  ],
  ['in chunks that are not valid', () => [question('Transfer-Encoding: chunked\r\n'), question()]],
  [
    'that waits for 100 Continue',
    () => [question('Content-Length: 2\r\nExpect: 100-continue\r\n'), `{}${question()}`],
    [100, 451],
  ],
  ['of length 0', () => [question('Content-Length: 0\r\n'), question()], [451, 451]],
] as const)
  for (const readMode of ['shared-buffer', 'data-events'] as const)
    test(`decide: a body ${behaviour}: one answer, and the connection is closed without a reset (${readMode})`, async () => {
      const { url } = servers[readMode === 'shared-buffer' ? 0 : 2] ?? {};
      const answered = await exchangePieces(url ?? '', pieces());
      assert.deepEqual([answered.statuses, answered.error], [statuses, '']);
      assert.equal(
        /connection: close\r\n/i.test(answered.received),
        statuses.filter((status) => status === 451).length === 1,
      );
    });

test('decide: a client that never ends its body does not keep its connection', async () => {
  const { hostname, port } = new URL(servers[0]?.url ?? '');
  const socket = connect(Number(port), hostname);
  const timer = setInterval(() => socket.write('x'), 20);
  socket.on('error', () => {}).resume();
  socket.write(question('Content-Length: 1000000\r\n'));
  await once(socket, 'close');
  clearInterval(timer);
});

/**
 * Header fields by which programs name the client, the host, the path or the method of a request.
 */
const FORGED = [
  'X-Forwarded-For',
  'x-forwarded-for',
  'X_Forwarded_For',
  'X-Forwarded',
  'Forwarded-For',
  'X-Original-Forwarded-For',
  'X-Real-IP',
  'X-Client-IP',
  'X-Cluster-Client-IP',
  'X-Envoy-External-Address',
  'X-ProxyUser-IP',
  'X-Remote-Addr',
  'True-Client-IP',
  'CF-Connecting-IP',
  'CF-Connecting-IPv6',
  'Fastly-Client-IP',
  'Fly-Client-IP',
  'X-Azure-ClientIP',
  'X-AppEngine-User-IP',
  'Client-IP',
  'WL-Proxy-Client-IP',
]
  .flatMap((name) => [`${name}: 3.0.0.17`, `${name}: 3.0.0.17, 127.0.0.1`])
  .concat(
    'X-Forwarded-For: 3.0.0.17\r\nX-Forwarded-For: 127.0.0.1',
    'X-Forwarded-For: ::ffff:3.0.0.17',
    'X-Forwarded-For: "3.0.0.17"',
    'Forwarded: for=3.0.0.17;host=app.example.com;proto=https',
    'Forwarded: for="3.0.0.17:80"',
    'X-Forwarded-Host: app.example.com',
    'X-Forwarded-Uri: /login',
    'X-Forwarded-Method: POST',
    'X-Forwarded-Path: /login',
    'X-Original-URI: /login',
    'X-Original-URL: /login',
    'X-Rewrite-URL: /login',
    'X-Original-Method: POST',
    'X-HTTP-Method-Override: POST',
    'X-Host: app.example.com',
    'X-Original-Host: app.example.com',
    'X-Whence-Decision: deny',
    'X-Whence-Rule: login',
  );

test(`decide: none of ${FORGED.length} forged headers changes an answer`, async () => {
  assert.ok(FORGED.length >= 60);
  // The proxy sends its own behind those of the client. What it says of this request is refused,
  // but for the path.
  const ofProxy =
    'X-Forwarded-For: 8.8.8.8\r\nX-Forwarded-Host: app.example.com\r\nX-Forwarded-Uri: /\r\nX-Forwarded-Method: POST\r\n';
  for (const [server, query, own, rule] of [
    [0, '', '', undefined],
    [0, '?ip=8.8.8.8&host=app.example.com&path=/login&method=POST', '', 'login'],
    [1, '', ofProxy, undefined],
    [1, '', ofProxy.replace('Uri: /', 'Uri: /login'), 'login'],
  ] as const) {
    const connection = await RawConnection.open(servers[server]?.url ?? '');
    const decide = async (forged: string) => {
      const request = `GET /v1/decide${query} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n${forged}${own}\r\n`;
      const [answer] = parseAnswers(await connection.ask(request));
      const whence = Object.entries(answer?.headers ?? {}).filter(([name]) =>
        name.startsWith('x-whence-'),
      );
      return { status: answer?.status, whence: Object.fromEntries(whence), body: answer?.body };
    };
    const expected = await decide('');
    assert.equal(expected.whence['x-whence-rule'], rule);
    for (const forged of FORGED) assert.deepEqual(await decide(`${forged}\r\n`), expected, forged);
    connection.close();
  }
});

/** Hosts that another program may read as the site, and what is added to it. */
const ODD_HOSTS = [
  ...['#', '?', '/', '\\', '\t', ' ', '%', '%2e', '%00', ';', ',', '@', '@b', '&', '*', '<', '"'],
  ...[
    '..',
    ':80:80',
    ':x',
    ':-1',
    '%2F',
    '%23',
    '\uFF0F',
    '\uFF03',
    '\u3002',
    '\u00AD',
    '\u200D',
    '\u017F',
  ],
]
  .flatMap((added) => [
    `www.example.com${added}`,
    `www.example.com${added}x`,
    `a${added}.example.net`,
  ])
  .concat(
    'a@www.example.com',
    'a:b@www.example.com',
    'www\u3002example.com',
    'www\uFF0Eexample.com',
  )
  .concat(
    '\uFF57ww.example.com',
    '%77ww.example.com',
    '[www.example.com]',
    '[::1',
    '::1',
    '127.1',
    'http://www.example.com',
  );
/** Those that Node's parser refuses in a field. */
const UNSENDABLE_HOSTS = ['\0', '\r', '\n', '\r\n', '\x7f'].map(
  (added) => `www.example.com${added}x`,
);

test(`decide: ${ODD_HOSTS.length} odd hosts are denied by every rule on hosts and allowed by none, in parameter and field`, async () => {
  const connection = await RawConnection.open(servers[1]?.url ?? '');
  const decide = async (set: string, query: string, field: string) => {
    const request = `GET /v1/decide?ip=8.8.8.8&set=${set}${query} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n${field}\r\n`;
    return parseAnswers(await connection.ask(request))[0]?.status;
  };
  const inField = (host: string) => `X-Forwarded-Host: ${Buffer.from(host).toString('latin1')}\r\n`;
  const inQuery = (host: string) => `&host=${encodeURIComponent(host)}`;
  for (const host of ['www.example.com', 'WWW.example.com.:443', 'a.b.example.net'])
    for (const [query, field] of [
      [inQuery(host), ''],
      ['', inField(host)],
    ] as const) {
      assert.equal(await decide('opened', query, field), 204, host);
      assert.equal(await decide('closed', query, field), 403, host);
    }
  for (const host of [...ODD_HOSTS, ...UNSENDABLE_HOSTS]) {
    // A blank at the end of a field does not belong to its value (RFC 9110 §5.5).
    const isSendable = !UNSENDABLE_HOSTS.includes(host) && host.trim() === host;
    for (const [query, field] of [
      [inQuery(host), ''],
      ...(isSendable ? [['', inField(host)] as const] : []),
    ] as const) {
      const about = `${JSON.stringify(host)} as ${query === '' ? 'field' : 'parameter'}`;
      assert.equal(await decide('opened', query, field), 403, `${about} is allowed`);
      assert.equal(await decide('closed', query, field), 403, `${about} is not denied`);
    }
  }
  connection.close();
});

test('decide: 5,000 random spellings of hosts and paths are decided as the programs behind a proxy read them', () => {
  const { protectedOnes, publicOnes } = decideRandomSpellings(5_000, 20261118);
  assert.ok(
    protectedOnes > 1_000 && publicOnes > 10,
    `${protectedOnes} protected, ${publicOnes} public`,
  );
});

test('decide: a key without the permission', async () => {
  const { secret } = await folder.createKey({ permissions: ['ip:read'] });
  const { status, whence } = await ask('ip=8.8.8.8', { 'X-API-Key': secret });
  assert.deepEqual([status, whence], [403, {}]);
});

test('decide: a changed file is used without a restart; one with a mistake is not, and is reported', async () => {
  const readiness = async () =>
    JSON.parse(await (await fetch(`${servers[0]?.url}/readyz`)).text()).data.checks.rules;
  assert.equal(await readiness(), 'ok');
  writeFileSync(path, 'sets: {default: {default: deny}}');
  await until('the file is used', async () => (await ask('ip=8.8.8.8')).status === 403);
  writeFileSync(path, 'sets: {default: {default: maybe}}');
  await until('the file is refused', async () => (await readiness()) === 'refused');
  assert.equal((await ask('ip=8.8.8.8')).status, 403);
  assert.equal(servers[0]?.metrics().gauges['whence_rules_refused'], 1);
  writeFileSync(path, RULES);
  await until('the file is used again', async () => (await ask('ip=8.8.8.8')).status === 204);
  assert.equal(await readiness(), 'ok');
  const decisions = Object.keys(servers[0]?.metrics().counters ?? {}).filter((name) =>
    name.startsWith('whence_decisions'),
  );
  assert.ok(
    decisions.includes('whence_decisions_total{set="default",rule="login",decision="deny"}'),
    decisions.join('\n'),
  );
});

test('decide: a server without rules has no sets, and names the setting', async () => {
  const server = await startInProcess(folder);
  const response = await fetch(`${server.url}/v1/decide?ip=8.8.8.8`, {
    headers: { 'X-API-Key': key },
  });
  const { details } = JSON.parse(await response.text()).data;
  assert.deepEqual([response.status, details], [404, { sets: [], setting: 'WHENCE_RULES' }]);
  await server.close();
});

test('decide: the client answers with the decision, and what the headers say', async () => {
  const client = createClient({ baseUrl: servers[0]?.url ?? '', apiKey: key });
  const login = {
    ip: '8.8.8.8',
    host: 'app.example.com',
    path: '/login?a=1&ip=9.0.0.1',
    method: 'POST',
  };
  const { data, rateLimit, requestId } = await client.decide(login);
  assert.deepEqual(
    [data.decision, data.rule, data.country, data.asn],
    ['deny', 'login', 'US', 15169],
  );
  assert.ok(data.decision === 'deny' && data.status === 403 && data.text === '');
  assert.ok(requestId !== '' && rateLimit !== undefined);
  assert.equal((await client.decide({ ...login, method: 'GET' })).data.decision, 'allow');
  const observed = await client.decide({ ip: '8.8.8.8', set: 'watched', explain: true });
  assert.deepEqual(
    [observed.data.decision, observed.data.explanation?.decision],
    ['observe', 'observe'],
  );
  await assert.rejects(client.decide({ set: 'none' }), { code: 'RULE_SET_NOT_FOUND' });
});

test('decide: while no file was ever valid the server is not ready and has no answer, at no cost; then it is, without a restart', async () => {
  const late = join(files, 'late.yaml');
  const { secret } = await folder.createKey({
    tier: 'free',
    permissions: ['decide:read', 'ip:read'],
  });
  const server = await startInProcess(folder, undefined, { WHENCE_RULES: late });
  try {
    const readyz = async () => {
      const response = await fetch(`${server.url}/readyz`);
      return [response.status, JSON.parse(await response.text()).data.checks.rules];
    };
    const get = (path: string, headers = {}) =>
      fetch(`${server.url}${path}`, { headers: { 'X-API-Key': secret, ...headers } });
    for (const text of [
      undefined,
      'sets: {default: {default: maybe}}',
      `sets: {default: ${'['.repeat(50_000)}`,
    ]) {
      if (text !== undefined) writeFileSync(late, text);
      await until('it is looked at', async () => (await readyz())[1] === 'refused');
      assert.deepEqual(await readyz(), [503, 'refused']);
      // Answered before Node's parser, and by it.
      for (const query of ['ip=8.8.8.8', 'ip=8.8.8.8&explain=true']) {
        const response = await get(`/v1/decide?${query}`);
        const { code } = JSON.parse(await response.text()).data;
        assert.deepEqual(
          [
            response.status,
            code,
            response.headers.get('Retry-After'),
            response.headers.get('X-Whence-Decision'),
          ],
          [503, 'RULES_UNAVAILABLE', '10', null],
        );
      }
    }
    assert.equal(server.metrics().gauges['whence_ready'], 0);
    assert.equal((await get('/v1/ip/8.8.8.8')).headers.get('X-RateLimit-Remaining'), '999');
    writeFileSync(late, 'sets: {default: {default: allow}}');
    await until('it is ready', async () => (await readyz())[0] === 200);
    assert.equal((await get('/v1/decide?ip=8.8.8.8')).status, 204);
    writeFileSync(late, 'sets: {default: {default: maybe}}');
    await until('the next one is refused', async () => (await readyz())[1] === 'refused');
    assert.deepEqual(
      [(await readyz())[0], (await get('/v1/decide?ip=8.8.8.8')).status],
      [200, 204],
    );
  } finally {
    await server.close();
  }
});

test('decide: a file of prefixes is used as it is now, and a mistake in it is reported with its line', async () => {
  const own = join(files, 'own.yaml');
  const office = join(files, 'office.txt');
  writeFileSync(office, '# the office\n8.8.8.0/24\n');
  writeFileSync(
    own,
    'sets: {default: {default: allow, rules: [{name: r, if: {prefixes_file: office.txt}, then: deny}]}}',
  );
  const server = await startInProcess(folder, undefined, { WHENCE_RULES: own });
  try {
    const status = async (ip: string) =>
      (await fetch(`${server.url}/v1/decide?ip=${ip}`, { headers: { 'X-API-Key': key } })).status;
    const readyz = async () => JSON.parse(await (await fetch(`${server.url}/readyz`)).text()).data;
    assert.deepEqual([await status('8.8.8.8'), await status('3.0.0.17')], [403, 204]);
    const { rules: before } = (await readyz()).checksums;
    assert.match(before, /^[0-9a-f]{8}$/);
    writeFileSync(office, '3.0.0.0/8 # another\n');
    await until('the changed file is used', async () => (await status('3.0.0.17')) === 403);
    assert.equal(await status('8.8.8.8'), 204);
    assert.notEqual((await readyz()).checksums.rules, before);
    writeFileSync(office, '3.0.0.0/8\nnonsense\n');
    await until('it is refused', async () => (await readyz()).checks.rules === 'refused');
    assert.deepEqual([await status('3.0.0.17'), await status('8.8.8.8')], [403, 204]);
    const { stderr } = await runCommand(['decide', 'check', own], folder.environment);
    assert.match(
      stderr,
      /own\.yaml:1:\d+: office\.txt line 2: "nonsense" is neither a prefix nor an address/,
    );
    rmSync(office);
    await until('it is missing', async () =>
      /office\.txt does not exist/.test(
        (await runCommand(['decide', 'check', own], folder.environment)).stderr,
      ),
    );
    writeFileSync(office, '9.0.0.0/8\n');
    await until('it is used again', async () => (await readyz()).checks.rules === 'ok');
    assert.equal(await status('3.0.0.17'), 204);
    const tried = await runCommand(['decide', 'test', own, '--ip', '9.1.2.3'], folder.environment);
    assert.deepEqual([tried.code, /prefixes_file +office\.txt/.test(tried.stdout)], [1, true]);
  } finally {
    await server.close();
  }
});
