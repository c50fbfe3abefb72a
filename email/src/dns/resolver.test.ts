import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import {
  FORGED,
  type ScriptedDnsOptions,
  startScriptedDnsServer,
} from '@whence/testing/servers/scripted-dns-server';
import type { ZoneRecords } from '@whence/testing/servers/zone-literal';
import { until } from '@whence/testing/until';
import { createDnsClient, type DnsClientOptions } from './resolver.ts';

// These tests use real sockets and wait for real timeouts: a try is 100 ms here.
/** Longer than an answer takes on a busy machine. */
const TIMEOUT_MS = 1_000;
/** Where no answer is expected. */
const SHORT_TIMEOUT_MS = 100;

const NAMES = Array.from({ length: 12 }, (_, i) => `c${i}.example.com`);
const RECORDS: ZoneRecords = {
  'example.com': {
    TXT: ['v=spf1 -all', ['one ', 'record']],
    MX: [
      [10, 'MX.example.com'],
      [20, 'mx2.example.com'],
    ],
    A: ['192.0.2.1'],
    AAAA: ['2001:db8::1'],
  },
  'null.example.com': { MX: [[0, '.']] },
  'bytes.example.com': { TXT: ['caf\xe9 \xff\x00'] },
  'long.example.com': { TXT: ['x'.repeat(900)] },
  'longer.example.com': { TXT: ['y'.repeat(5000)] },
  'alias.example.com': { CNAME: 'Hop.example.com' },
  'hop.example.com': { CNAME: 'example.com' },
  'dangling.example.com': { CNAME: 'gone.example.net' },
  'loop.example.com': { CNAME: 'pool.example.com' },
  'pool.example.com': { CNAME: 'loop.example.com' },
  '1.2.0.192.in-addr.arpa': { PTR: ['Host.example.com'] },
  '2.2.0.192.in-addr.arpa': { CNAME: '2.0-127.2.0.192.in-addr.arpa' },
  '2.0-127.2.0.192.in-addr.arpa': { PTR: ['a.example.com', 'b.example.com'] },
  '3.2.0.192.in-addr.arpa': { CNAME: '1.0.0.10.in-addr.arpa' },
  '1.0.0.10.in-addr.arpa': { PTR: ['hidden.example.com'] },
  'a_b:c/d+e%f.example.com': { TXT: ['odd'] },
  ...Object.fromEntries(
    NAMES.map((name, i) => [
      name,
      i === 11 ? { TXT: ['end'] } : { CNAME: `c${i + 1}.example.com` },
    ]),
  ),
};

/** A server and a client of it, closed after the test. */
async function setUp(
  t: TestContext,
  server: ScriptedDnsOptions = {},
  client: DnsClientOptions = {},
) {
  const dns = await startServer(t, server);
  return { dns, client: createClient(t, { servers: [dns.address], ...client }) };
}

async function startServer(t: TestContext, options: ScriptedDnsOptions = {}, records = RECORDS) {
  const dns = await startScriptedDnsServer(records, options);
  t.after(() => dns.close());
  return dns;
}

function createClient(t: TestContext, options: DnsClientOptions) {
  const client = createDnsClient({ timeoutMs: TIMEOUT_MS, ...options });
  t.after(() => client.close());
  return client;
}

const found = (...texts: string[]) => ({ kind: 'found', records: texts, aliases: [] });
const failed = (reason: string, code = 'dns_temporary_failure') => ({
  kind: 'failure',
  code,
  reason,
});

const TEXTS = found('v=spf1 -all', 'one record');
const FOUND_MX = {
  kind: 'found',
  records: [
    { preference: 10, exchange: 'mx.example.com' },
    { preference: 20, exchange: 'mx2.example.com' },
  ],
  aliases: [],
};

for (const [behaviour, name, type, want] of [
  ['strings of a record are joined', 'example.com', 'txt', TEXTS],
  ['names in any case, with or without final dot', 'EXAMPLE.Com.', 'a', found('192.0.2.1')],
  ['IPv6 addresses', 'example.com', 'aaaa', found('2001:db8::1')],
  ['MX hosts are lower case without final dot', 'example.com', 'mx', FOUND_MX],
  [
    'a null MX is a dot',
    'null.example.com',
    'mx',
    { kind: 'found', records: [{ preference: 0, exchange: '.' }], aliases: [] },
  ],
  ['bytes are Latin-1 characters', 'bytes.example.com', 'txt', found('caf\xe9 \xff\x00')],
  ['characters that SPF macros bring', 'A_b:c/d+e%f.example.com', 'txt', found('odd')],
  ['the names of an address', '1.2.0.192.in-addr.arpa', 'ptr', found('host.example.com')],
  [
    'an alias within the reverse zone (RFC 2317)',
    '2.2.0.192.in-addr.arpa',
    'ptr',
    {
      kind: 'found',
      records: ['a.example.com', 'b.example.com'],
      aliases: ['2.0-127.2.0.192.in-addr.arpa'],
    },
  ],
  [
    'an alias into another reverse zone is not followed',
    '3.2.0.192.in-addr.arpa',
    'ptr',
    { kind: 'nxdomain', alias: '1.0.0.10.in-addr.arpa' },
  ],
  ['other names in arpa are not asked', 'router.home.arpa', 'ptr', { kind: 'nxdomain' }],
  ['a type that is not there', 'null.example.com', 'txt', { kind: 'nodata' }],
  ['a name that is not there', 'gone.example.com', 'txt', { kind: 'nxdomain' }],
  [
    'aliases are followed and named',
    'alias.example.com',
    'a',
    { kind: 'found', records: ['192.0.2.1'], aliases: ['hop.example.com', 'example.com'] },
  ],
  [
    'an alias to a name without the type',
    'c10.example.com',
    'a',
    { kind: 'nodata', alias: 'c11.example.com' },
  ],
  [
    'an alias to a name that does not exist',
    'dangling.example.com',
    'mx',
    { kind: 'nxdomain', alias: 'gone.example.net' },
  ],
  ['aliases in a circle', 'loop.example.com', 'txt', failed('alias loop')],
  [
    'eight aliases',
    'c3.example.com',
    'txt',
    { kind: 'found', records: ['end'], aliases: NAMES.slice(4) },
  ],
  ['nine aliases', 'c2.example.com', 'txt', failed('more than 8 aliases', 'alias_too_long')],
  ['eleven aliases', 'c0.example.com', 'txt', failed('more than 8 aliases', 'alias_too_long')],
] as const) {
  for (const aliasSteps of ['all', 'one'] as const)
    test(`resolver: ${behaviour} (aliases answered: ${aliasSteps})`, async (t) => {
      const { client } = await setUp(t, { aliasSteps });
      assert.deepEqual(await client.forCheck('example.com')[type](name), want);
    });
}

for (const [behaviour, name] of [
  ['an empty label', 'a..example.com'],
  ['no name', ''],
  ['the root', '.'],
  ['a label of 64', `${'x'.repeat(64)}.example.com`],
  ['254 characters', `${'x.'.repeat(126)}xx`],
  ['a blank', 'a b.example.com'],
  ['what is not an A-label', 'b\xfccher.example'],
] as const) {
  test(`resolver: ${behaviour} cannot exist and is not asked`, async (t) => {
    const { dns, client } = await setUp(t);
    const resolver = client.forCheck('example.com');
    assert.deepEqual(await resolver.txt(name), { kind: 'nxdomain' });
    assert.equal(dns.queries.length, 0);
    assert.equal(resolver.queries, 0);
  });
}

for (const [behaviour, name, script, want, transports] of [
  ['900 bytes come over UDP with EDNS', 'long.example.com', {}, found('x'.repeat(900)), 'udp'],
  ['5000 bytes come over TCP', 'longer.example.com', {}, found('y'.repeat(5000)), 'udp tcp'],
  [
    'a truncated answer is asked again over TCP',
    'example.com',
    { do: 'truncate' },
    TEXTS,
    'udp tcp',
  ],
  [
    'TCP that closes half way is a failure',
    'longer.example.com',
    { do: 'close tcp' },
    failed('connection closed'),
    'udp tcp udp tcp',
  ],
  ['a server without EDNS is asked without', 'example.com', { do: 'no edns' }, TEXTS, 'udp udp'],
  ['FORMERR to both', 'example.com', { do: 'FORMERR' }, failed('FORMERR'), 'udp udp udp udp'],
  ['SERVFAIL', 'example.com', { do: 'SERVFAIL' }, failed('SERVFAIL'), 'udp udp'],
  ['REFUSED', 'example.com', { do: 'REFUSED' }, failed('REFUSED'), 'udp udp'],
  ['an answer cut short', 'example.com', { do: 'broken' }, failed('broken answer'), 'udp udp'],
  [
    'a referral is not an absence',
    'example.com',
    { do: 'referral' },
    failed('referral'),
    'udp udp',
  ],
  ['no answer', 'example.com', { do: 'drop' }, failed('timeout'), 'udp udp'],
  ['an answer that is late', 'example.com', { delayMs: 5_000 }, failed('timeout'), 'udp udp'],
  ['the second try helps', 'example.com', [{ do: 'drop' }, {}], TEXTS, 'udp udp'],
  ['a wrong id is passed over', 'example.com', { before: ['wrong id'], delayMs: 20 }, TEXTS, 'udp'],
  [
    'a wrong question is passed over',
    'example.com',
    { before: ['wrong question'], delayMs: 20 },
    TEXTS,
    'udp',
  ],
  ['garbage is passed over', 'example.com', { before: ['garbage'], delayMs: 20 }, TEXTS, 'udp'],
  ['our own query is passed over', 'example.com', { before: ['echo'], delayMs: 20 }, TEXTS, 'udp'],
  [
    'another port is passed over',
    'example.com',
    { before: ['another port'], delayMs: 20 },
    TEXTS,
    'udp',
  ],
  [
    'forgeries alone are no answer',
    'example.com',
    { before: ['wrong id', 'wrong question', 'another port'], do: 'drop' },
    failed('timeout'),
    'udp udp',
  ],
] as const) {
  test(`resolver: ${behaviour}`, async (t) => {
    const isSilent = 'reason' in want && want.reason === 'timeout';
    const timeoutMs = isSilent ? SHORT_TIMEOUT_MS : TIMEOUT_MS;
    const { dns, client } = await setUp(t, { scripts: { [name]: script } }, { timeoutMs });
    const resolver = client.forCheck('example.com');
    const answer = await resolver.txt(name);
    assert.deepEqual(answer, want);
    assert.doesNotMatch(JSON.stringify(answer), new RegExp(FORGED));
    assert.equal(dns.queries.map(({ transport }) => transport).join(' '), transports);
    assert.equal(resolver.queries, 1);
  });
}

test('resolver: each query has a port and an id of its own, and offers 1232 bytes', async (t) => {
  const { dns, client } = await setUp(t);
  const resolver = client.forCheck('example.com');
  await Promise.all(NAMES.map((name) => resolver.mx(name)));
  assert.equal(new Set(dns.queries.map(({ port }) => port)).size, NAMES.length);
  assert.ok(new Set(dns.queries.map(({ id }) => id)).size > 1);
  assert.deepEqual([...new Set(dns.queries.map(({ edns }) => edns))], [1232]);
});

for (const [behaviour, script] of [
  ['SERVFAIL', { do: 'SERVFAIL' }],
  ['REFUSED', { do: 'REFUSED' }],
  ['a broken answer', { do: 'broken' }],
  ['silence', { do: 'drop' }],
] as const) {
  test(`resolver: after ${behaviour} the second server is asked`, async (t) => {
    const bad = await startServer(t, { scripts: { 'example.com': script } });
    const good = await startServer(t);
    const client = createClient(t, { servers: [bad.address, good.address] });
    assert.deepEqual(await client.forCheck('example.com').a('example.com'), found('192.0.2.1'));
    assert.equal(bad.queries.length, 1);
    assert.equal(good.queries.length, 1);
  });
}

test('resolver: the reason is that of the last failure', async (t) => {
  const [first, second] = await Promise.all([
    startServer(t, { scripts: { 'example.com': { do: 'SERVFAIL' } } }),
    startServer(t, { scripts: { 'example.com': { do: 'REFUSED' } } }),
  ]);
  const client = createClient(t, { servers: [first.address, second.address] });
  assert.deepEqual(await client.forCheck('example.com').a('example.com'), failed('REFUSED'));
});

test('resolver: if one of two servers is down, only the first round waits for it', async (t) => {
  const dead = await startServer(t, {
    scripts: Object.fromEntries(NAMES.map((name) => [name, { do: 'drop' }])),
  });
  const alive = await startServer(t);
  const client = createClient(t, { servers: [dead.address, alive.address] });
  const resolver = client.forCheck('example.com');
  const [first, ...rest] = NAMES.slice(4);
  assert.equal((await resolver.txt(first ?? '')).kind, 'found');
  for (const name of rest) assert.equal((await resolver.txt(name)).kind, 'found');
  assert.equal(dead.queries.length, 1);
});

test('resolver: two silent servers fail after two tries', async (t) => {
  const silent = { scripts: { 'example.com': { do: 'drop' } } } as const;
  const [first, second] = await Promise.all([startServer(t, silent), startServer(t, silent)]);
  const client = createClient(t, { servers: [first.address, second.address] });
  assert.deepEqual(await client.forCheck('example.com').txt('example.com'), failed('timeout'));
  assert.deepEqual([first.queries.length, second.queries.length], [1, 1]);
});

test('resolver: a closed port fails at once', async (t) => {
  const gone = await startScriptedDnsServer({});
  await gone.close();
  assert.deepEqual(
    await createClient(t, { servers: [gone.address] })
      .forCheck('example.com')
      .txt('example.com'),
    failed('ECONNREFUSED'),
  );
});

test('resolver: a check asks no question twice, even after a failure', async (t) => {
  const { dns, client } = await setUp(t, {
    ttl: 0,
    soa: null,
    scripts: { 'c1.example.com': { do: 'SERVFAIL' } },
  });
  const resolver = client.forCheck('example.com');
  for (let i = 0; i < 2; i++) {
    await Promise.all([resolver.txt('example.com'), resolver.txt('EXAMPLE.com.')]);
    await resolver.txt('gone.example.com');
    await resolver.txt('c1.example.com');
  }
  assert.equal(resolver.queries, 3);
  assert.equal(dns.queries.length, 4);
});

test('resolver: the target of an alias is not asked again', async (t) => {
  const { client } = await setUp(t, { aliasSteps: 'one' });
  const resolver = client.forCheck('example.com');
  await resolver.a('alias.example.com');
  await resolver.a('hop.example.com');
  await resolver.a('example.com');
  assert.equal(resolver.queries, 3);
});

test('resolver: checks share pending questions', async (t) => {
  const { dns, client } = await setUp(t, { delayMs: 30, ttl: 0 });
  const checks = Array.from({ length: 5 }, () => client.forCheck('example.com'));
  const answers = await Promise.all(checks.map((check) => check.a('example.com')));
  for (const answer of answers) assert.deepEqual(answer, found('192.0.2.1'));
  assert.equal(dns.queries.length, 1);
  assert.deepEqual(
    checks.map(({ queries }) => queries),
    [1, 0, 0, 0, 0],
  );
});

for (const [behaviour, server, name, keptSeconds] of [
  ['records, for their TTL', { ttl: 60 }, 'example.com', 60],
  ['records, for five minutes at most', { ttl: 86400 }, 'example.com', 300],
  ['records with TTL 0, not at all', { ttl: 0 }, 'example.com', 0],
  ['an alias, for the TTL of its chain', { ttl: 40 }, 'alias.example.com', 40],
  [
    'an absent name, for the minimum of the SOA',
    { soa: { ttl: 100, minimum: 30 } },
    'gone.example.com',
    30,
  ],
  [
    'an absent name, for the TTL of the SOA',
    { soa: { ttl: 20, minimum: 3600 } },
    'gone.example.com',
    20,
  ],
  ['an absent type, by the SOA', { soa: { ttl: 50, minimum: 50 } }, 'null.example.com', 50],
  [
    'an absence, for five minutes at most',
    { soa: { ttl: 86400, minimum: 86400 } },
    'gone.example.com',
    300,
  ],
  ['an absence without SOA, not at all', { soa: null }, 'gone.example.com', 0],
] as const) {
  test(`resolver: cached: ${behaviour}`, async (t) => {
    let now = 1_000_000;
    const { dns, client } = await setUp(t, server, { now: () => now });
    const first = await client.forCheck('example.com').a(name);
    if (keptSeconds > 0) {
      now += keptSeconds * 1000 - 1;
      const check = client.forCheck('example.com');
      assert.deepEqual(await check.a(name), first);
      assert.equal(check.queries, 0);
      assert.equal(dns.queries.length, 1);
      now += 1;
    }
    assert.deepEqual(await client.forCheck('example.com').a(name), first);
    assert.equal(dns.queries.length, 2);
  });
}

test('resolver: failures are not cached', async (t) => {
  const scripts = { 'example.com': [{ do: 'SERVFAIL' }, { do: 'SERVFAIL' }, {}] } as const;
  const { client } = await setUp(t, { scripts });
  assert.deepEqual(await client.forCheck('example.com').a('example.com'), failed('SERVFAIL'));
  assert.deepEqual(await client.forCheck('example.com').a('example.com'), found('192.0.2.1'));
});

test('resolver: a full cache drops the oldest entries', async (t) => {
  const { client } = await setUp(t, {}, { cacheBytes: 700 });
  const queriesFor = async (name: string) => {
    const check = client.forCheck('example.com');
    await check.txt(name);
    return check.queries;
  };
  const asked: number[] = [];
  for (const name of ['c9', 'c10', 'c11', 'c10', 'c11', 'c9'])
    asked.push(await queriesFor(`${name}.example.com`));
  assert.deepEqual(asked, [1, 1, 1, 0, 0, 1]);
});

test('resolver: the deadline ends what is pending, and what comes after', async (t) => {
  const { dns, client } = await setUp(t, { delayMs: 5_000 });
  const resolver = client.forCheck('example.com', { deadlineMs: 400 });
  const answers = await Promise.all([resolver.a('example.com'), resolver.mx('example.com')]);
  assert.deepEqual(answers, [failed('timeout'), failed('timeout')]);
  assert.deepEqual(await resolver.txt('example.com'), failed('timeout'));
  assert.equal(dns.queries.length, 2);
  await noSocketsBut(2);
});

test('resolver: an abort ends what is pending, and what comes after', async (t) => {
  const { dns, client } = await setUp(t, { delayMs: 90 });
  const controller = new AbortController();
  const resolver = client.forCheck('example.com', { signal: controller.signal });
  const pending = Promise.all([resolver.a('example.com'), resolver.a('alias.example.com')]);
  await until('both questions are sent', () => dns.queries.length === 2);
  controller.abort();
  assert.deepEqual(await pending, [failed('aborted'), failed('aborted')]);
  assert.deepEqual(await resolver.txt('example.com'), failed('aborted'));
  await noSocketsBut(2);
});

test('resolver: an abort in the same tick as the question', async (t) => {
  const { dns, client } = await setUp(t);
  const controller = new AbortController();
  const pending = client.forCheck('example.com', { signal: controller.signal }).a('example.com');
  controller.abort();
  assert.deepEqual(await pending, failed('aborted'));
  assert.deepEqual(await client.forCheck('example.com').a('example.com'), found('192.0.2.1'));
  assert.equal(dns.queries.length, 1);
});

test('resolver: a question given up by one check is still answered to another', async (t) => {
  const { dns, client } = await setUp(t, { delayMs: 50 });
  const controller = new AbortController();
  const leaving = client.forCheck('example.com', { signal: controller.signal }).a('example.com');
  const staying = client.forCheck('example.com').a('example.com');
  await until('the question is sent', () => dns.queries.length === 1, { everyMs: 1 });
  controller.abort();
  assert.deepEqual(await leaving, failed('aborted'));
  assert.deepEqual(await staying, found('192.0.2.1'));
  assert.equal(dns.queries.length, 1);
});

test('resolver: an abort closes a TCP connection', async (t) => {
  const { dns, client } = await setUp(t, {
    scripts: { 'longer.example.com': [{}, { do: 'drop' }] },
  });
  const controller = new AbortController();
  const pending = client
    .forCheck('example.com', { signal: controller.signal })
    .txt('longer.example.com');
  await until('the question is sent over TCP', () => dns.queries.length === 2);
  assert.equal(dns.connections, 1);
  controller.abort();
  assert.deepEqual(await pending, failed('aborted'));
  await until('no connection is left', () => dns.connections === 0);
});

test('resolver: a long-lived signal keeps no listeners of finished checks', async (t) => {
  const { client } = await setUp(t);
  const { signal } = new AbortController();
  let listeners = 0;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...args: Parameters<typeof add>) => {
    listeners++;
    add(...args);
  };
  signal.removeEventListener = (...args: Parameters<typeof remove>) => {
    listeners--;
    remove(...args);
  };
  const resolver = client.forCheck('example.com', { signal });
  await Promise.all([resolver.a('example.com'), resolver.mx('example.com')]);
  await resolver.txt('example.com');
  assert.equal(listeners, 0);
});

test('resolver: a closed client answers with failures', async (t) => {
  const { dns, client } = await setUp(t, { delayMs: 50 });
  const resolver = client.forCheck('example.com');
  const pending = resolver.a('example.com');
  await until('the question is sent', () => dns.queries.length === 1, { everyMs: 1 });
  client.close();
  assert.deepEqual(await pending, failed('aborted'));
  assert.deepEqual(await resolver.mx('example.com'), failed('client closed'));
  await noSocketsBut(2);
});

for (const [behaviour, count, script] of [
  ['500 questions at once', 500, {}],
  ['100 questions over TCP', 100, { do: 'truncate' }],
  ['500 unanswered questions', 500, { do: 'drop' }],
] as const) {
  test(`resolver: ${behaviour} leave no socket open`, async (t) => {
    const names = Array.from({ length: count }, (_, i) => `n${i}.example.com`);
    const dns = await startServer(
      t,
      { delayMs: 5, scripts: Object.fromEntries(names.map((name) => [name, script])) },
      Object.fromEntries(names.map((name) => [name, { TXT: [name] }])),
    );
    const client = createClient(t, {
      servers: [dns.address],
      timeoutMs: 'do' in script && script.do === 'drop' ? 50 : 2000,
    });
    const answers = await Promise.all(
      names.map((name) => client.forCheck('example.com').txt(name)),
    );
    const want = names.map((name) =>
      'do' in script && script.do === 'drop' ? failed('timeout') : found(name),
    );
    assert.deepEqual(answers, want);
    await until('no connection is left', () => dns.connections === 0);
    await noSocketsBut(2);
  });
}

/** The scripted server has two UDP sockets. Closing takes a turn of the event loop. */
async function noSocketsBut(udpSockets: number): Promise<void> {
  const open = (isMeant: (kind: string) => boolean) =>
    process.getActiveResourcesInfo().filter(isMeant).length;
  const counts = () => [
    open((kind) => kind.startsWith('UDP')),
    open((kind) => kind === 'TCPSocketWrap'),
  ];
  await until(
    'sockets are closed',
    () => {
      const [udp = 0, tcp] = counts();
      return udp <= udpSockets && tcp === 0;
    },
    { everyMs: 1, state: counts },
  );
  assert.deepEqual(counts(), [udpSockets, 0]);
}

for (const server of [
  '',
  'dns.example.com',
  '192.0.2.53:0',
  '192.0.2.53:65536',
  '192.0.2.53:x',
  '[192.0.2.53]:53',
  '[2001:db8::53',
  '2001:db8::53:port',
])
  test(`resolver: the server "${server}" is refused`, () =>
    assert.throws(() => createDnsClient({ servers: [server] }), {
      name: 'TypeError',
      message: /is not a DNS server\. Write an IP address/,
    }));

for (const server of [
  '192.0.2.53',
  '192.0.2.53:5353',
  '2001:db8::53',
  '[2001:db8::53]',
  '[2001:db8::53]:5353',
])
  test(`resolver: the server "${server}" is taken`, () =>
    createDnsClient({ servers: [server] }).close());

test("resolver: without servers, the system's", () => {
  createDnsClient().close();
  createDnsClient({ servers: [] }).close();
});
