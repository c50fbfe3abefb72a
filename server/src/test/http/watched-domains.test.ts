/** Watched domains by HTTP: the list, its checks and events, and what a limited key sees. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import test, { after, before } from 'node:test';
import {
  type ScriptedDnsServer,
  startScriptedDnsServer,
} from '@whence/testing/servers/scripted-dns-server';
import type { ZoneEntry } from '@whence/testing/servers/zone-literal';
import { until } from '@whence/testing/until';
import type { AddedDomains, DomainPage, EventPage, ShownEvent } from '../../watch/watch-schema.ts';
import { signedInAs } from '../dashboard/dashboard-client.ts';
import { mailText, startMailServer } from '../mail-server.ts';
import { startInProcess, TestFolder } from '../test-server.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const folder = new TestFolder();
const zone: Record<string, ZoneEntry> = {};
const clock = { nowMs: Date.parse('2026-11-15T12:00:00Z') };
const PUBLIC_URL = 'http://whence.example';
const mails: string[] = [];
const posts: string[] = [];
const receiver = createServer((request, response) => {
  void text(request).then((body) => posts.push(body));
  response.writeHead(204).end();
});
let mail: Awaited<ReturnType<typeof startMailServer>>;
let dns: ScriptedDnsServer;
let server: Awaited<ReturnType<typeof startInProcess>>;
let secret = '';

function publish(domain: string, policy = 'reject'): void {
  zone[domain] = { MX: [[10, `mx.${domain}`]], TXT: ['v=spf1 mx -all'] };
  zone[`mx.${domain}`] = { A: ['192.0.2.25'] };
  zone[`_dmarc.${domain}`] = { TXT: [`v=DMARC1; p=${policy}; rua=mailto:d@${domain}`] };
}

before(async () => {
  for (const domain of ['example.com', 'example.net', 'www.example.net']) publish(domain);
  zone['bad.example'] = { TXT: ['v=spf1 moo'] };
  dns = await startScriptedDnsServer(zone, { ttl: 0, soa: { ttl: 0, minimum: 0 } });
  mail = await startMailServer((message) => {
    mails.push(mailText(message));
    return /^To: nobody@/m.test(message) ? '550 no such user\r\n' : '250 ok\r\n';
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  server = await startInProcess(folder, clock, {
    WHENCE_DNS_SERVERS: dns.address,
    WHENCE_SMTP_URL: `smtp://127.0.0.1:${mail.port}?from=whence@example.com`,
    WHENCE_PUBLIC_URL: PUBLIC_URL,
    WHENCE_ALERT_NETWORKS: '127.0.0.0/8',
  });
  ({ secret } = await folder.createKey({ permissions: ['watch:read', 'watch:write'] }));
});
after(async () => {
  await server.close();
  await dns.close();
  mail.close();
  receiver.close();
  folder.remove();
});

async function ask<Data>(
  path: string,
  { method = 'GET', body, key = secret }: { method?: string; body?: object; key?: string } = {},
) {
  const send = () =>
    fetch(server.url + path, {
      method,
      headers: { 'X-API-Key': key, ...(body && { 'Content-Type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
  let response = await send();
  // A busy machine refuses it, as clients are told.
  await until(`${method} ${path} is answered`, async () => {
    if (response.status !== 503) return true;
    response = await send();
    return false;
  });
  const { data } = (await response.json()) as { data: Data & { code?: string; details?: object } };
  return { status: response.status, data };
}

const list = async (query = '', key = secret) =>
  (await ask<DomainPage>(`/v1/watched-domains${query}`, { key })).data;
const openEvents = async (query = '') =>
  (await ask<EventPage>(`/v1/events?state=open${query}`)).data.events;

/**
 * Waits until every domain has been checked at this time of the clock, or later if a busy machine
 * did not answer in time: such a check is repeated after an hour, and if there are many, none
 * counts until they are over.
 */
const checked = async () => {
  let wasHeld = false;
  await until('every watched domain was checked', async () => {
    const { domains } = await list();
    if (domains.some((domain) => Date.parse(domain.next_check_at) <= clock.nowMs)) return false;
    const open = await openEvents();
    const isHeld = open.some(({ code }) => code === 'checker_unreachable');
    const isAnswered = domains.every(({ unanswered_since }) => unanswered_since === undefined);
    if (isAnswered && !isHeld && !wasHeld) return true;
    wasHeld = isHeld;
    clock.nowMs += HOUR_MS;
    return false;
  });
};

test('watched domains: they are added by pasting, checked at once, and list what is wrong', async () => {
  const body = {
    domains: ['Example.COM', ' example.net ', 'bad.example', 'not a name', 'example.com'],
    tags: ['Customers', 'eu'],
  };
  const { data } = await ask<AddedDomains>('/v1/watched-domains', { method: 'POST', body });
  assert.deepEqual(data.added.sort(), ['bad.example', 'example.com', 'example.net']);
  assert.deepEqual([data.watched, data.invalid], [[], ['not a name']]);
  await checked();
  const checkedAgain = await fetch(`${server.url}/v1/watched-domains/bad.example/check`, {
    method: 'POST',
    headers: { 'X-API-Key': secret, 'Content-Type': 'application/json' },
  });
  assert.equal(checkedAgain.status, 200, 'a type without a body');
  const { domains, total } = await list('?sort=worst&tag=customers');
  assert.equal(total, 3);
  assert.deepEqual([domains[0]?.domain, domains[0]?.worst], ['bad.example', 'high']);
  const com = domains.find(({ domain }) => domain === 'example.com');
  assert.deepEqual([com?.policy, com?.tags], ['reject', ['customers', 'eu']]);
  const events = await openEvents('&domain=bad.example');
  assert.ok(events.length > 0 && events.every(({ quiet }) => quiet === 'first_check'));
  assert.ok(events.every(({ sentence, act }) => sentence !== '' && act !== ''));
});

test('watched domains: a change opens an event after a second check, and a person accepts it', async () => {
  publish('example.com', 'none');
  zone['example.com'] = { ...zone['example.com'], MX: [[20, 'mx.example.com']] };
  dns.publish(zone);
  clock.nowMs += DAY_MS;
  await checked();
  assert.deepEqual(await openEvents('&domain=example.com&since=2026-11-16'), []);
  clock.nowMs += 600_000;
  await checked();
  const events = await openEvents('&domain=example.com&since=2026-11-16');
  const weaker = events.find(({ code }) => code === 'policy_weaker');
  assert.ok(weaker);
  assert.deepEqual(
    [weaker.severity, weaker.old_text, weaker.new_text, weaker.quiet],
    ['high', 'reject', 'none', undefined],
  );
  const path = `/v1/events/${weaker.id}/accept`;
  const accepted = await ask<ShownEvent>(path, { method: 'POST' });
  assert.equal(accepted.data.accepted_by, 'key test');
  const again = await ask(path, { method: 'POST' });
  assert.deepEqual([again.status, again.data.code], [409, 'EVENT_NOT_ACCEPTABLE']);
  clock.nowMs += DAY_MS;
  await checked();
  const open = await openEvents('&domain=example.com');
  assert.ok(open.every(({ code }) => code !== 'policy_weaker'));
});

test('watched domains: pages have a cursor, and filters', async () => {
  const first = await list('?limit=2');
  assert.deepEqual(
    first.domains.map(({ domain }) => domain),
    ['bad.example', 'example.com'],
  );
  const next = await list(`?limit=2&cursor=${first.next_cursor}`);
  assert.deepEqual([next.domains.length, next.next_cursor], [1, undefined]);
  assert.equal((await list('?q=EXAMPLE.n')).total, 1);
  assert.equal((await list('?open=true')).domains[0]?.domain, 'bad.example');
  const page = await ask<EventPage>('/v1/events?limit=1');
  const rest = await ask<EventPage>(`/v1/events?cursor=${page.data.next_cursor}`);
  assert.ok(!rest.data.events.some(({ id }) => id === page.data.events[0]?.id));
});

test('watched domains: a check can be asked for, tags and notes changed, and domains removed', async () => {
  const asked = await ask<DomainPage['domains'][number]>('/v1/watched-domains/example.net/check', {
    method: 'POST',
  });
  assert.equal(asked.status, 200);
  await checked();
  const path = '/v1/watched-domains/example.net';
  const body = { tags: ['other'], note: 'ours' };
  const changed = await ask<DomainPage['domains'][number]>(path, { method: 'PATCH', body });
  assert.deepEqual([changed.data.tags, changed.data.note], [['other'], 'ours']);
  const noted = await ask<DomainPage['domains'][number]>(path, {
    method: 'PATCH',
    body: { note: '' },
  });
  assert.deepEqual([noted.data.tags, noted.data.note], [['other'], undefined]);
  const removed = await ask('/v1/watched-domains?domains=bad.example,other.example', {
    method: 'DELETE',
  });
  assert.deepEqual(removed.data, { removed: ['bad.example'] });
  assert.deepEqual(await openEvents('&domain=bad.example'), []);
});

test('watched domains: a key that is limited to domains sees and changes those alone', async () => {
  const limited = await folder.createKey({
    permissions: ['watch:read', 'watch:write'],
    allowedDomains: ['*.example.net'],
  });
  const key = limited.secret;
  const add = (domain: string) =>
    ask('/v1/watched-domains', { method: 'POST', body: { domains: [domain] }, key });
  const refused = await add('example.net');
  assert.deepEqual(
    [refused.status, refused.data.details],
    [403, { required: 'access to this domain' }],
  );
  assert.equal((await add('www.example.net')).status, 200);
  const { domains } = await list('', key);
  assert.deepEqual(
    domains.map(({ domain }) => domain),
    ['www.example.net'],
  );
  const requests = [
    ['PATCH', '/v1/watched-domains/example.com', {}],
    ['POST', '/v1/watched-domains/example.com/check', undefined],
    ['DELETE', '/v1/watched-domains?domains=example.com', undefined],
    ['GET', '/v1/events?domain=example.com', undefined],
  ] as const;
  for (const [method, path, body] of requests)
    assert.equal((await ask(path, { method, key, ...(body && { body }) })).status, 403, path);
  const { events } = (await ask<EventPage>('/v1/events', { key })).data;
  assert.ok(events.every(({ domain }) => domain === 'www.example.net'));
  const [other] = (await ask<EventPage>('/v1/events?domain=example.com')).data.events;
  const accepted = await ask(`/v1/events/${other?.id}/accept`, { method: 'POST', key });
  assert.deepEqual([accepted.status, accepted.data.code], [404, 'EVENT_NOT_FOUND']);
});

for (const [what, method, path, body, status, code] of [
  ['a limit of none', 'GET', '/v1/watched-domains?limit=0', undefined, 400, 'INVALID_LIMIT'],
  ['another order', 'GET', '/v1/watched-domains?sort=grade', undefined, 400, 'INVALID_QUERY'],
  ['a wrong cursor', 'GET', '/v1/watched-domains?cursor=x', undefined, 400, 'INVALID_QUERY'],
  ['a cursor with NUL', 'GET', '/v1/watched-domains?cursor=3.%00', undefined, 400, 'INVALID_QUERY'],
  ['another grade', 'GET', '/v1/watched-domains?grade=a', undefined, 400, 'INVALID_QUERY'],
  ['a wrong time', 'GET', '/v1/events?since=yesterday', undefined, 400, 'INVALID_QUERY'],
  ['a number as a time', 'GET', '/v1/events?since=-1', undefined, 400, 'INVALID_QUERY'],
  ['a day that is none', 'GET', '/v1/events?since=2026-02-30', undefined, 400, 'INVALID_QUERY'],
  ['another state', 'GET', '/v1/events?state=', undefined, 400, 'INVALID_QUERY'],
  ['no cursor', 'GET', '/v1/events?cursor=', undefined, 400, 'INVALID_QUERY'],
  ['a cursor of domains', 'GET', '/v1/events?cursor=3.a.example', undefined, 400, 'INVALID_QUERY'],
  ['no domains', 'DELETE', '/v1/watched-domains', undefined, 400, 'INVALID_QUERY'],
  ['an empty list', 'POST', '/v1/watched-domains', { domains: [] }, 400, 'INVALID_REQUEST'],
  [
    'a tag with a blank',
    'POST',
    '/v1/watched-domains',
    { domains: ['a.example'], tags: ['a b'] },
    400,
    'INVALID_REQUEST',
  ],
  [
    'a domain of another list',
    'PATCH',
    '/v1/watched-domains/other.example',
    {},
    404,
    'DOMAIN_NOT_WATCHED',
  ],
  [
    'a check of another',
    'POST',
    '/v1/watched-domains/other.example/check',
    undefined,
    404,
    'DOMAIN_NOT_WATCHED',
  ],
  ['an unknown event', 'POST', '/v1/events/0/accept', undefined, 404, 'EVENT_NOT_FOUND'],
] as const)
  test(`watched domains: ${what} is refused`, async () => {
    const answer = await ask(path, { method, ...(body && { body }) });
    assert.deepEqual([answer.status, answer.data.code], [status, code]);
  });

test('watched domains: permissions are needed, and the list has its limit', async () => {
  const { secret: reader } = await folder.createKey({ permissions: ['watch:read'] });
  const body = { domains: ['a.example'] };
  const refused = await ask('/v1/watched-domains', { method: 'POST', body, key: reader });
  assert.deepEqual([refused.status, refused.data.details], [403, { required: 'watch:write' }]);
  const { secret: none } = await folder.createKey();
  assert.equal((await ask('/v1/events', { key: none })).status, 403);
});

test('watched domains: the dashboard has the same list, and records who accepted', async () => {
  const admin = await signedInAs(folder, server.url, 'Ada', 'admin');
  const { domains } = await admin.get('listWatched', { query: { sort: 'worst' } });
  assert.ok(domains.length > 0);
  const { checking } = await admin.get('checkWatched', { body: { domains: ['example.com'] } });
  assert.deepEqual(checking, ['example.com']);
  const { events } = await admin.get('listEvents', { query: { state: 'open' } });
  const changed = events.find(({ code }) => code === 'record_changed');
  assert.ok(changed);
  await admin.get('acceptEvent', { params: { id: changed.id } });
  const { entries } = await admin.get('listAudit', { query: { action: 'domain.event_accepted' } });
  assert.equal(entries[0]?.actor, 'Ada');
});

test('watched domains: an address whose mail is refused is not in the list of channels', async () => {
  const admin = await signedInAs(folder, server.url, 'Fay', 'admin');
  const body = { name: 'mail', format: 'email', min_severity: 'low', target: 'nobody@example.com' };
  const { status, data } = await admin.try('createChannel', { body });
  assert.deepEqual(
    [status, data.code, data.details?.['path']],
    [400, 'INVALID_REQUEST', '/target'],
  );
  assert.deepEqual((await admin.get('listChannels')).channels, []);
});

test('watched domains: of fifty that are pasted one breaks, and each channel has its beginning and its end', async () => {
  const names = Array.from({ length: 50 }, (_, i) => `f${i}.example`);
  for (const name of names) publish(name);
  dns.publish(zone);
  const admin = await signedInAs(folder, server.url, 'Eve', 'admin');
  const { added } = await admin.get('watchDomains', { body: { domains: names } });
  assert.equal(added.length, 50);
  await checked();
  const { port } = receiver.address() as AddressInfo;
  const common = { min_severity: 'high' };
  await admin.get('createChannel', {
    body: { ...common, name: 'hook', format: 'standard', target: `http://127.0.0.1:${port}/` },
  });
  await admin.get('createChannel', {
    body: { ...common, name: 'mail', format: 'email', target: 'alerts@example.com' },
  });
  const [, token = ''] = /#([\w-]+)/.exec(mails.pop() ?? '') ?? [];
  await admin.get('confirmRecipient', { body: { token } });
  /** Two checks, ten minutes apart. */
  const checkTwice = async () => {
    dns.publish(zone);
    clock.nowMs += DAY_MS;
    await checked();
    clock.nowMs += 600_000;
    await checked();
  };
  /** Those about the domain, which are not summaries, once for each kind. */
  const received = () => {
    const events = posts.filter(
      (body) => /"type":"event/.test(body) && body.includes('f7.example'),
    );
    const kinds = new Map(events.map((body) => [/"type":"([.a-z]+)"/.exec(body)?.[1], body]));
    for (const message of mails) {
      const [subject] = /^Subject: \[Whence\] (?:high|Over): f7.*$/m.exec(message) ?? [];
      if (subject !== undefined) kinds.set(subject, message);
    }
    return [...kinds.values()];
  };
  /** An attempt that a busy machine did not answer in time is repeated. */
  const delivered = (count: number) =>
    until(`${count} messages`, () => {
      clock.nowMs += 1_000;
      return received().length === count;
    });
  publish('f7.example', 'none');
  await checkTwice();
  await delivered(2);
  for (const message of received()) {
    assert.match(
      message,
      /f7\.example: The policy of DMARC is weaker than before: none instead of/,
    );
    assert.match(message, /otherwise publish the old record again: \\?"v=DMARC1; p=reject/);
    assert.ok(message.includes(`${PUBLIC_URL}/domain/f7.example`));
  }
  publish('f7.example');
  await checkTwice();
  await delivered(4);
  assert.equal(received().filter((message) => message.includes('this is over')).length, 2);
});
