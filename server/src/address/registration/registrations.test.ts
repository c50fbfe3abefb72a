/** RDAP over real HTTPS: registries on loopback, with the certificate of an authority that the test makes. */
import assert from 'node:assert/strict';
import test, { after, before, beforeEach } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parseAddress } from '@whence/dataset/address';
import { createAuthority, selfSigned } from '@whence/testing/servers/certificates';
import { type Answer, type LoopbackServer, startLoopbackServer } from '@whence/testing/servers/loopback-server';
import { until } from '@whence/testing/until';
import { openStorage } from '../../storage/open-storage.ts';
import type { Storage } from '../../storage/storage.ts';
import { AFRINIC, APNIC, ARIN, LACNIC, RIPE } from '../../test/address/rdap-documents.ts';
import { requesterAs } from '../../test/requester.ts';
import { testEngines } from '../../test/storage/engines.ts';
import { type RegistrationOptions, Registrations } from './registrations.ts';

const DAY_MS = 86_400_000;
const authority = createAuthority('Example Authority');
const clock = { nowMs: Date.UTC(2026, 10, 16) };
const engines = testEngines();
let arin: LoopbackServer;
let ripe: LoopbackServer;
let stranger: LoopbackServer;
let iana: LoopbackServer;
let storage: Storage;

before(async () => {
  const certificate = authority.issue(['127.0.0.1']);
  [arin, ripe, stranger, iana] = await Promise.all([
    startLoopbackServer(certificate),
    startLoopbackServer(certificate),
    startLoopbackServer(certificate),
    startLoopbackServer(certificate),
  ]);
});
after(async () => {
  await Promise.all([arin, ripe, stranger, iana].map((server) => server.close()));
  await storage?.close();
  for (const engine of engines) await engine.close();
});
beforeEach(async () => {
  for (const server of [arin, ripe, stranger, iana]) server.reset();
  await storage?.close();
  storage = await openStorage((await engines[0]?.newLocation()) ?? '');
  iana.routes.set('/ipv4.json', json(bootstrap([['192.0.0.0/8'], arin], [['198.51.100.0/24', '203.0.0.0/8'], ripe])));
  iana.routes.set('/ipv6.json', json(bootstrap([['2001:db8::/32'], ripe])));
});

const bootstrap = (...rows: readonly (readonly [readonly string[], LoopbackServer])[]) => ({
  version: '1.0',
  services: rows.map(([prefixes, { url }]) => [prefixes, [url.replace('https:', 'http:'), `${url}/rdap/`]]),
});

function json(document: object, status = 200): Answer {
  return (response) =>
    response.writeHead(status, { 'Content-Type': 'application/rdap+json' }).end(JSON.stringify(document));
}

function open(options: Partial<RegistrationOptions> = {}): Registrations {
  return new Registrations({
    store: storage.registrations,
    bootstrapUrl: new URL(`${iana.url}/`),
    ca: authority.cert,
    nowMs: () => clock.nowMs,
    intervalMs: 0,
    ...options,
  });
}

function find(registrations: Registrations, ip: string, key = 'key') {
  const address = parseAddress(ip);
  assert.ok(address);
  return registrations.find(address, requesterAs(key));
}

const UNAVAILABLE = { error: 'registry_unavailable' };

for (const [registry, ip, document, range] of [
  ['ARIN', '192.0.2.1', ARIN, '192.0.2.0/24'],
  ['RIPE', '198.51.100.7', RIPE, '198.51.100.0-198.51.100.191'],
  ['APNIC', '203.0.113.1', APNIC, '203.0.113.0/24'],
  ['LACNIC', '2001:db8::', LACNIC, '2001:db8::/32'],
  ['AFRINIC', '192.88.99.9', AFRINIC, '192.88.99.0/24'],
] as const) {
  test(`registrations: an answer in the form of ${registry}`, async () => {
    const server = ip.startsWith('192.') ? arin : ripe;
    server.routes.set(`/rdap/ip/${ip}`, json(document));
    const registration = await find(open({ contact: 'noc@example.com' }), ip);
    assert.deepEqual([registration?.range, registration?.source], [range, new URL(server.url).host]);
    const { headers } = server.asked[0] ?? {};
    assert.match(headers?.accept ?? '', /application\/rdap\+json/);
    assert.match(headers?.['user-agent'] ?? '', /noc@example\.com/);
  });
}

test('registrations: an answer holds for a day, for every process', async () => {
  arin.routes.set('/rdap/ip/192.0.2.1', json(ARIN));
  const first = await find(open(), '192.0.2.1');
  assert.deepEqual(await find(open(), '192.0.2.1'), first);
  assert.deepEqual([arin.asked.length, iana.asked.length], [1, 2]);
  clock.nowMs += DAY_MS + 1;
  assert.deepEqual(await find(open(), '192.0.2.1'), first);
  assert.deepEqual([arin.asked.length, iana.asked.length], [2, 4]);
});

test('registrations: requests for the same address at a time are one, and so are those of an IPv6 /64', async () => {
  ripe.routes.set('/rdap/ip/2001:db8::', json(LACNIC));
  const registrations = open();
  const found = await Promise.all(
    ['2001:db8::1', '2001:db8::2', '2001:db8::ffff:1'].map((ip) => find(registrations, ip)),
  );
  assert.deepEqual(
    found.map((registration) => registration?.range),
    Array(3).fill('2001:db8::/32'),
  );
  assert.equal(ripe.asked.length, 1);
});

test('registrations: what no registry has is absent, and that is stored too', async () => {
  const registrations = open();
  assert.equal(await find(registrations, '192.0.2.9'), undefined);
  assert.equal(await find(registrations, '192.0.2.9'), undefined);
  assert.equal(arin.asked.length, 1);
  assert.equal(await find(registrations, '9.9.9.9'), undefined, 'no registry is known for it');
});

for (const [behaviour, answer] of [
  ['refuses', json({ errorCode: 429 }, 429)],
  ['fails', json({}, 500)],
  ['sends a page', (response) => response.end('<html>')],
  [
    'sends another content type',
    (response) => response.writeHead(200, { 'Content-Type': 'text/html' }).end(JSON.stringify(ARIN)),
  ],
  ['sends objects that are no texts', json({ ...ARIN, startAddress: { toString: null }, entities: { length: 1e9 } })],
  ['sends nested lists', (response) => response.end('['.repeat(100_000))],
  ['redirects to no URL', (response) => response.writeHead(302, { Location: 'https://' }).end()],
  ['sends the answer about another range', json({ ...ARIN, startAddress: '192.0.9.0', endAddress: '192.0.9.255' })],
  ['sends more than 256 KiB', json({ ...ARIN, padding: 'x'.repeat(256 * 1024) })],
  ['does not answer', () => {}],
  ['does not finish', (response) => void response.write('{"name":"')],
  ['closes the connection', (response) => response.destroy()],
  ['redirects in a circle', (response) => response.writeHead(302, { Location: '/rdap/ip/192.0.2.1' }).end()],
] satisfies [string, Answer][]) {
  test(`registrations: the registry ${behaviour}: unavailable, and asked again by the next request`, async () => {
    arin.routes.set('/rdap/ip/192.0.2.1', answer);
    const registrations = open({ timeoutMs: 1_500 });
    assert.deepEqual(await find(registrations, '192.0.2.1'), UNAVAILABLE);
    arin.routes.set('/rdap/ip/192.0.2.1', json(ARIN));
    assert.equal((await find(open(), '192.0.2.1'))?.name, 'EXAMPLE');
  });
}

test('registrations: a redirect to another registry is followed', async () => {
  arin.routes.set('/rdap/ip/192.0.2.1', (response) =>
    response.writeHead(301, { Location: `${ripe.url}/rdap/ip/192.0.2.1` }).end(),
  );
  ripe.routes.set('/rdap/ip/192.0.2.1', json(ARIN));
  assert.equal((await find(open(), '192.0.2.1'))?.source, new URL(ripe.url).host);
});

test('registrations: a redirect to a host that is no registry is not followed', async () => {
  for (const location of [`${stranger.url}/rdap/ip/192.0.2.1`, `${ripe.url.replace('https:', 'http:')}/`]) {
    arin.routes.set('/rdap/ip/192.0.2.1', (response) => response.writeHead(302, { Location: location }).end());
    assert.deepEqual(await find(open(), '192.0.2.1'), UNAVAILABLE);
  }
  assert.deepEqual([stranger.asked.length, ripe.asked.length], [0, 0]);
});

test('registrations: a certificate that is not trusted', async () => {
  const impostor = await startLoopbackServer(selfSigned(['127.0.0.1']));
  iana.routes.set('/ipv4.json', json(bootstrap([['192.0.0.0/8'], impostor])));
  impostor.routes.set('/rdap/ip/192.0.2.1', json(ARIN));
  assert.deepEqual(await find(open(), '192.0.2.1'), UNAVAILABLE);
  assert.equal(impostor.asked.length, 0);
  await impostor.close();
});

test('registrations: one request at a time to a host', async () => {
  const ips = Array.from({ length: 4 }, (_, i) => `192.0.2.${i}`);
  let [inFlight, most] = [0, 0];
  for (const ip of ips) {
    arin.routes.set(`/rdap/ip/${ip}`, (response) => {
      most = Math.max(most, ++inFlight);
      setImmediate(() => {
        inFlight--;
        response.end(JSON.stringify(ARIN));
      });
    });
  }
  const registrations = open({ intervalMs: 1, timeoutMs: 60_000 });
  await Promise.all(ips.map((ip) => find(registrations, ip)));
  assert.equal(most, 1);
});

test('registrations: between two requests to a host there is a pause', async () => {
  const ips = ['192.0.2.1', '192.0.2.2'];
  for (const ip of ips) arin.routes.set(`/rdap/ip/${ip}`, json(ARIN));
  const registrations = open({ intervalMs: 3_600_000, timeoutMs: 4_000 });
  const [first, second] = [await find(registrations, '192.0.2.1'), await find(registrations, '192.0.2.2')];
  assert.deepEqual([first?.range, second], ['192.0.2.0/24', UNAVAILABLE]);
  assert.equal(arin.asked.length, 1);
});

test('registrations: with too many waiting for a host, the next is refused', async () => {
  const release: (() => void)[] = [];
  const answer: Answer = (response) => void release.push(() => response.end(JSON.stringify(ARIN)));
  for (const ip of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) arin.routes.set(`/rdap/ip/${ip}`, answer);
  const store = { find: async () => undefined, save: async () => {} };
  const registrations = open({ store, waiting: 1, timeoutMs: 60_000 });
  const first = find(registrations, '192.0.2.1');
  await until('the first request arrives', () => release.length === 1);
  const others = Promise.all([find(registrations, '192.0.2.2'), find(registrations, '192.0.2.3')]);
  // Nothing but promises is between here and the queue.
  await nextTurn();
  release[0]?.();
  await until('the second request arrives', () => release.length === 2);
  release[1]?.();
  const names = (await others).map((registration) => registration?.error ?? registration?.name);
  assert.deepEqual([(await first)?.name, ...names.sort()], ['EXAMPLE', 'EXAMPLE', 'registry_unavailable']);
});

test('registrations: while one key asks for 40, another key is the next', async () => {
  const release: (() => void)[] = [];
  const asked: string[] = [];
  const ips = Array.from({ length: 40 }, (_, i) => `192.0.2.${i}`);
  for (const ip of [...ips, '192.0.2.99'])
    arin.routes.set(`/rdap/ip/${ip}`, (response) => {
      asked.push(ip);
      release.push(() => response.end(JSON.stringify(ARIN)));
    });
  const store = { find: async () => undefined, save: async () => {} };
  const registrations = open({ store, timeoutMs: 60_000 });
  const flood = ips.map((ip) => find(registrations, ip, 'flood'));
  await until('the first request arrives', () => release.length === 1);
  const other = find(registrations, '192.0.2.99', 'other');
  await nextTurn();
  for (let i = 0; i < 17; i++) {
    release[i]?.();
    await until('the next request arrives', () => release.length > i + 1);
  }
  release[17]?.();
  assert.equal((await other)?.name, 'EXAMPLE');
  assert.equal(asked[1], '192.0.2.99');
  const refused = (await Promise.all(flood)).filter((registration) => registration?.error !== undefined);
  assert.equal(refused.length, 40 - 17, 'one that is asked, and 16 that wait');
});

test('registrations: bootstrap files that cannot be fetched', async () => {
  arin.routes.set('/rdap/ip/192.0.2.1', json(ARIN));
  const files = [iana.routes.get('/ipv4.json'), iana.routes.get('/ipv6.json')] as const;
  iana.routes.delete('/ipv4.json');
  const registrations = open();
  assert.deepEqual(await find(registrations, '192.0.2.1'), UNAVAILABLE, 'there is none');
  if (files[0] !== undefined) iana.routes.set('/ipv4.json', files[0]);
  assert.equal((await find(registrations, '192.0.2.1'))?.name, 'EXAMPLE', 'asked for again');
  iana.routes.clear();
  clock.nowMs += 3 * DAY_MS;
  assert.equal((await find(open(), '192.0.2.1'))?.name, 'EXAMPLE', 'the old ones are used');
});

for (const { name, skip, newLocation } of engines) {
  test(`registrations: ${name}: the last answer is stored, old ones are removed, bootstrap files stay`, {
    skip,
  }, async () => {
    const own = await openStorage(await newLocation());
    const { registrations: store } = own;
    try {
      assert.equal(await store.find('192.0.2.1'), undefined);
      await store.save('bootstrap ipv4.json', { content: '{}', fetchedAtMs: 1 }, 0);
      await store.save('192.0.2.1', { content: 'null', fetchedAtMs: 5 }, 0);
      await store.save('192.0.2.1', { content: '{"name":"é"}', fetchedAtMs: 7 }, 0);
      assert.deepEqual(await store.find('192.0.2.1'), { content: '{"name":"é"}', fetchedAtMs: 7 });
      await store.save('192.0.2.2', { content: 'null', fetchedAtMs: 20 }, 10);
      assert.equal(await store.find('192.0.2.1'), undefined);
      assert.ok(await store.find('192.0.2.2'));
      assert.ok(await store.find('bootstrap ipv4.json'));
    } finally {
      await own.close();
    }
  });
}
