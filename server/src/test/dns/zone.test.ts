/** The DNS zone over real sockets. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import test, { after, before } from 'node:test';
import { freePort } from '@whence/testing/programs';
import { until } from '@whence/testing/until';
import { decode, type Packet } from 'dns-packet';
import { SAMPLE, startInProcess, TestFolder } from '../test-server.ts';
import {
  askOverTcp,
  DnsClient,
  framed,
  opt,
  question,
  startZone,
  summaryOf,
} from './dns-client.ts';

const folder = new TestFolder();
let zone: Awaited<ReturnType<typeof startZone>>;
before(async () => {
  folder.publish({ ...SAMPLE, anonymous: [['9.0.0.7/32', 'vpn', 'Example VPN']] });
  zone = await startZone(folder);
});
after(async () => {
  await zone.close();
  folder.remove();
});

const nibbles = (hex: string) => [...hex].reverse().join('.');
const GOOGLE_IPV6 = nibbles('20014860486000000000000000008888');
const mapped = (hex: string) => nibbles(`00000000000000000000ffff${hex}`);
const ABSENT = { code: 'NXDOMAIN', answers: [], hasSoa: true };
const EMPTY = { code: 'NOERROR', answers: [], hasSoa: true };
const REFUSED = { code: 'REFUSED', answers: [], hasSoa: false };
const found = (...answers: string[]) => ({ code: 'NOERROR', answers, hasSoa: false });

for (const [behaviour, name, type, want] of [
  ['the origin of an address', '8.8.8.8.origin', 'TXT', found('15169 | 8.8.8.0/24 | US | arin |')],
  [
    'the origin of an IPv6 address',
    `${GOOGLE_IPV6}.origin6`,
    'TXT',
    found('15169 | 2001:4860::/32 | US | arin |'),
  ],
  [
    'an address in upper case',
    `${GOOGLE_IPV6.toUpperCase()}.ORIGIN6`,
    'TXT',
    found('15169 | 2001:4860::/32 | US | arin |'),
  ],
  ['an address for rspamd', '8.8.8.8.asn', 'TXT', found('15169|8.8.8.0/24|US|arin|')],
  [
    'an IPv6 address for rspamd',
    `${GOOGLE_IPV6}.asn`,
    'TXT',
    found('15169|2001:4860::/32|US|arin|'),
  ],
  ['a network', 'AS15169.asn', 'TXT', found('15169 | US | arin |  | Google LLC, US')],
  [
    'a name that is not ASCII',
    'as64500.asn',
    'TXT',
    found('64500 | AU | apnic |  | Exämple "Nord" GmbH, AU'),
  ],
  ['a network that is not known', 'AS64501.asn', 'TXT', ABSENT],
  ['an address that is not announced', '1.2.0.192.origin', 'TXT', ABSENT],
  ['a type that it does not have', '8.8.8.8.origin', 'A', EMPTY],
  ['any type', '9.9.0.1.bl', 'ANY', found('127.0.0.4', '127.0.0.10', 'score=45 flags=tor_exit')],
  ['a Tor exit', '9.9.0.1.bl', 'A', found('127.0.0.4', '127.0.0.10')],
  ['a VPN address', '7.0.0.9.bl', 'A', found('127.0.0.12', '127.0.0.15')],
  ['the flags as text', '7.0.0.9.bl', 'TXT', found('score=15 flags=vpn,mobile')],
  ['an address of a datacenter alone', '1.0.0.3.bl', 'A', ABSENT],
  ['the listed test address', '2.0.0.127.bl', 'A', found('127.0.0.2')],
  ['the test address that is not listed', '1.0.0.127.bl', 'A', ABSENT],
  ['the listed IPv6 test address', `${mapped('7f000002')}.bl`, 'A', found('127.0.0.2')],
  ['the IPv6 test address that is not listed', `${mapped('7f000001')}.bl`, 'A', ABSENT],
  [
    'an IPv4-mapped address',
    `${mapped('08080808')}.origin6`,
    'TXT',
    found('15169 | 8.8.8.0/24 | US | arin |'),
  ],
  ['a part of an address, which has names below it', '8.8.origin', 'TXT', EMPTY],
  ['a part of an IPv6 address', '4.1.0.0.2.bl', 'A', EMPTY],
  ['a list', 'origin', 'TXT', EMPTY],
  ['a name below an address', 'x.8.8.8.8.origin', 'TXT', ABSENT],
  ['an octet above 255', '8.8.8.256.origin', 'TXT', ABSENT],
  ['an octet with a leading zero', '8.8.8.08.origin', 'TXT', ABSENT],
  ['an IPv6 address among IPv4 ones', `${GOOGLE_IPV6}.origin`, 'TXT', ABSENT],
  ['another list', '8.8.8.8.other', 'TXT', ABSENT],
  ['the server name', 'ns', 'A', EMPTY],
] as const)
  test(`dns zone: ${behaviour}`, async () =>
    assert.deepEqual(
      summaryOf(await zone.client.ask(question(`${name}.whence.invalid`, type))),
      want,
    ));

for (const [behaviour, name, type, more, want] of [
  ['the zone itself', 'whence.invalid', 'SOA', {}, found('SOA')],
  ['its name server', 'Whence.Invalid', 'NS', {}, found('ns.whence.invalid')],
  ['the zone has no addresses', 'whence.invalid', 'A', {}, EMPTY],
  ['another zone', 'example.com', 'TXT', {}, REFUSED],
  ['a zone with a similar name', 'notwhence.invalid', 'TXT', {}, REFUSED],
  ['the root', '.', 'NS', {}, REFUSED],
  ['a transfer', 'whence.invalid', 'AXFR', {}, REFUSED],
  [
    'another class',
    'version.bind',
    'TXT',
    { questions: [{ name: 'whence.invalid', type: 'TXT', class: 'CH' }] },
    REFUSED,
  ],
  [
    'another operation',
    'whence.invalid',
    'SOA',
    { flags: 4 << 11 },
    { ...REFUSED, code: 'NOTIMP' },
  ],
] as const satisfies readonly (readonly [string, string, string, Packet, object])[])
  test(`dns zone: ${behaviour}`, async () =>
    assert.deepEqual(summaryOf(await zone.client.ask(question(name, type, more as Packet))), want));

test('dns zone: the question comes back byte for byte, with an authoritative answer and no recursion', async () => {
  for (const name of ['8.8.8.8.oRiGiN.wHENCE.INVALid', '\u0001é.whence.invalid']) {
    const asked = question(name, 'TXT', { flags: 0x0100 });
    const answer = await zone.client.ask(asked);
    assert.deepEqual(answer.subarray(12, asked.length), asked.subarray(12));
    assert.equal(answer.readUInt16BE(2) & 0xfff0, 0x8500);
  }
});

test('dns zone: EDNS is answered with EDNS, and a later version of it with BADVERS', async () => {
  const optOf = async (edns?: Parameters<typeof opt>[0]) => {
    const additionals = edns === undefined ? [] : [opt(edns)];
    const { additionals: [answered] = [] } = decode(
      await zone.client.ask(question('8.8.8.8.origin.whence.invalid', 'TXT', { additionals })),
    );
    return answered?.type === 'OPT' ? answered : undefined;
  };
  assert.equal(await optOf(), undefined);
  const plain = await optOf({ udpPayloadSize: 4096, flags: 0x8000 });
  assert.deepEqual([plain?.udpPayloadSize, plain?.extendedRcode, plain?.flag_do], [1232, 0, true]);
  const later = await optOf({ ednsVersion: 1 });
  assert.deepEqual([later?.extendedRcode, later?.ednsVersion], [1, 0]);
});

const ASKED = question('8.8.8.8.origin.whence.invalid', 'TXT');
const withBytes = (change: (bytes: Buffer) => void) => {
  const bytes = Buffer.from(ASKED);
  change(bytes);
  return bytes;
};
for (const [behaviour, packet, want] of [
  ['a response', withBytes((bytes) => bytes.writeUInt8(0x80, 2)), []],
  ['less than a header', ASKED.subarray(0, 11), []],
  ['nothing', Buffer.alloc(0), []],
  ['no question', withBytes((bytes) => bytes.writeUInt16BE(0, 4)), ['FORMERR']],
  ['two questions', withBytes((bytes) => bytes.writeUInt16BE(2, 4)), ['FORMERR']],
  ['an answer', withBytes((bytes) => bytes.writeUInt16BE(1, 6)), ['FORMERR']],
  ['a question that is cut off', ASKED.subarray(0, -1), ['FORMERR']],
  ['bytes after the question', Buffer.concat([ASKED, Buffer.from('x')]), ['FORMERR']],
  [
    'a name that refers to itself',
    withBytes((bytes) => bytes.writeUInt16BE(0xc00c, 12)),
    ['FORMERR'],
  ],
  ['a name that is too long', question(`${'a.'.repeat(130)}whence.invalid`, 'TXT'), ['FORMERR']],
  [
    'two OPT records',
    question('whence.invalid', 'SOA', { additionals: [opt(), opt()] }),
    ['FORMERR'],
  ],
] as const)
  test(`dns zone: ${behaviour} gets ${want[0] ?? 'no response'}`, async () => {
    const responses = await zone.client.responsesTo([packet], ASKED);
    assert.deepEqual(
      responses.map((response) => [summaryOf(response).code, response.length]),
      want.map((code) => [code, 12]),
    );
  });

test('dns zone: clients of other networks get a refusal of the size of their question, or nothing', async () => {
  const strict = await startZone(folder, { WHENCE_DNS_ALLOW: '192.0.2.0/24,2001:db8::/32' });
  const asked = question('8.8.8.8.bl.whence.invalid', 'ANY', {
    additionals: [opt({ udpPayloadSize: 4096 })],
  });
  const refused = await strict.client.ask(asked);
  assert.deepEqual(summaryOf(refused), REFUSED);
  assert.ok(refused.length <= asked.length);
  const broken = [
    withBytes((bytes) => bytes.writeUInt16BE(2, 4)),
    ASKED.subarray(0, -1),
    ASKED.subarray(0, 5),
  ];
  assert.deepEqual(await strict.client.responsesTo(broken, ASKED), []);
  assert.deepEqual(await askOverTcp(strict.port, [framed(ASKED)], 1), []);
  await strict.close();
});

test('dns zone: clients of both versions of IP', async () => {
  const port = await freePort();
  const both = await startInProcess(folder, undefined, { WHENCE_DNS_LISTEN: `[::]:${port}` });
  for (const host of ['127.0.0.1', '::1']) {
    const client = await DnsClient.open(port, host);
    assert.equal(summaryOf(await client.ask(ASKED)).code, 'NOERROR', host);
    client.close();
  }
  await both.close();
});

test('dns zone: what does not fit into a datagram is truncated, and complete over TCP', async () => {
  const name = `${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(50)}`;
  const long = await startZone(folder, { WHENCE_DNS_ZONE: `${name}.` });
  const asked = question(`${GOOGLE_IPV6}.bl.${name}`, 'A');
  const { flag_tc, authorities } = decode(await long.client.ask(asked));
  assert.deepEqual([flag_tc, authorities], [true, []]);
  const [whole = Buffer.alloc(12)] = await askOverTcp(long.port, [framed(asked)], 1);
  assert.deepEqual(summaryOf(whole), ABSENT);
  const edns = question(`${GOOGLE_IPV6}.bl.${name}`, 'A', { additionals: [opt()] });
  assert.deepEqual(summaryOf(await long.client.ask(edns)), ABSENT);
  await long.close();
});

const FRAMED = framed(ASKED);
for (const [behaviour, chunks, count, isEnded] of [
  ['one question', [FRAMED], 1, false],
  [
    'many questions at once',
    [Buffer.concat(Array.from({ length: 5000 }, () => FRAMED))],
    5000,
    false,
  ],
  ['a question in bytes', [...FRAMED].map((byte) => Buffer.of(byte)), 1, false],
  [
    'two and a half, then the rest',
    [Buffer.concat([FRAMED, FRAMED, FRAMED.subarray(0, 9)]), FRAMED.subarray(9)],
    3,
    false,
  ],
  ['a client that has said all', [FRAMED], 1, true],
  ['a malformed question', [framed(ASKED.subarray(0, -1)), FRAMED], 2, false],
  [
    'a response, which ends the connection',
    [framed(withBytes((bytes) => bytes.writeUInt8(0x80, 2)))],
    0,
    false,
  ],
  ['a question of no bytes, which ends it', [Buffer.from([0, 0])], 0, false],
  ['a question that is too long, which ends it', [Buffer.from([0xff, 0xff])], 0, false],
] as const)
  test(`dns zone over tcp: ${behaviour}`, async () => {
    const responses = await askOverTcp(zone.port, chunks, count === 0 ? 1 : count, isEnded);
    assert.equal(responses.length, count);
    if (count > 0)
      assert.deepEqual(summaryOf(responses.at(-1) as Buffer).answers, [
        '15169 | 8.8.8.0/24 | US | arin |',
      ]);
  });

test('dns zone over tcp: a client that does not read is not answered without limit, and gets everything when it reads', async () => {
  const socket = connect({ port: zone.port, host: '127.0.0.1' }).pause();
  const count = 200_000;
  const chunk = Buffer.concat(Array.from({ length: 1000 }, () => FRAMED));
  await once(socket, 'connect');
  for (let sent = 0; sent < count; sent += 1000) socket.write(chunk);
  const total = () =>
    zone.counters().counters['whence_dns_questions_total{type="TXT",result="noerror"}'] ?? 0;
  const first = total();
  let answered = -1;
  const isStuck = () => {
    const before = answered;
    answered = total();
    return answered === before;
  };
  // Neither side can go on: the buffers of the kernel are full.
  await until('the server stops answering', isStuck, { everyMs: 200 });
  assert.ok(answered - first < count);
  const answer = framed(await zone.client.ask(ASKED));
  let bytes = 0;
  socket.on('data', (data) => {
    bytes += data.length;
  });
  socket.resume();
  await until('all answers arrive', () => bytes === count * answer.length, { state: () => bytes });
  socket.destroy();
});

test('dns zone over tcp: a connection beyond the limit takes the place of the one without questions for longest', async () => {
  const open = async () => {
    const socket = connect({ port: zone.port, host: '127.0.0.1' });
    await once(socket, 'connect');
    return socket;
  };
  const sockets: Socket[] = [];
  for (let i = 0; i < 200; i++) sockets.push(await open());
  const [first, second] = sockets as [Socket, Socket];
  first.write(FRAMED);
  await once(first, 'data');
  const closed = once(second, 'close');
  second.resume();
  sockets.push(await open());
  await closed;
  assert.equal(first.destroyed, false);
  for (const socket of sockets) socket.destroy();
});

test('dns zone: a new version answers without a failure in between', async () => {
  const own = new TestFolder();
  own.publish();
  const serving = await startZone(own);
  const seen = new Set<string>();
  const ask = async () => {
    const { code, answers } = summaryOf(await serving.client.ask(ASKED));
    seen.add(`${code} ${answers}`);
  };
  await ask();
  own.publish({ ...SAMPLE, routes: [['8.8.0.0/16', 64500, 'Other']] });
  await until('the new version answers', async () => {
    for (let i = 0; i < 50; i++) await ask();
    return seen.size > 1;
  });
  assert.deepEqual(
    [...seen],
    ['NOERROR 15169 | 8.8.8.0/24 | US | arin |', 'NOERROR 64500 | 8.8.0.0/16 | US | arin |'],
  );
  await serving.close();
  own.remove();
});

test('dns zone: SERVFAIL until there is a dataset', async () => {
  const empty = new TestFolder();
  const serving = await startZone(empty);
  assert.equal(summaryOf(await serving.client.ask(ASKED)).code, 'SERVFAIL');
  await serving.close();
  empty.remove();
});

test('dns zone: a port that is in use is an error that names the setting', async () => {
  const settings = { WHENCE_DNS_LISTEN: `127.0.0.1:${zone.port}` };
  await assert.rejects(
    startInProcess(folder, undefined, settings),
    /is in use by another process.*WHENCE_DNS_LISTEN/,
  );
});
