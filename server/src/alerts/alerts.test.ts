/** Alerts over real sockets: who receives what, how often, and what bad receivers do to others. */
import assert from 'node:assert/strict';
import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import test, { after, afterEach, before } from 'node:test';
import { createDnsClient } from '@whence/email/resolver';
import { until } from '@whence/testing/until';
import { Webhook } from 'standardwebhooks';
import { Accounts } from '../accounts/accounts.ts';
import { AuditLog } from '../audit/audit-log.ts';
import { DAY_MS, HOUR_MS } from '../day.ts';
import { openLog } from '../log/log.ts';
import { Metrics } from '../metrics/metrics.ts';
import type { Storage } from '../storage/storage.ts';
import type { NewEvent } from '../storage/stores/watch-event-store.ts';
import { openTestStorage, testEngines } from '../test/storage/engines.ts';
import { Alerts } from './alerts.ts';
import { Channels, describeChannel, describeDelivery, type NewChannel } from './channels.ts';
import { WEEK_MS } from './summary.ts';
import { Webhooks } from './webhook.ts';

const START = Date.parse('2026-11-19T10:00:00Z');
const TEST = { name: 'test' };
const NO_CHANGES = { opened: [], reopened: [], resolved: [], seen: [] };

type Received = { path: string; headers: IncomingHttpHeaders; body: string };

for (const engine of testEngines()) {
  const clock = { ms: START };
  const received: Received[] = [];
  const answers = new Map<string, RequestListener>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const path = request.url ?? '';
      const body = Buffer.concat(chunks).toString();
      received.push({ path, headers: request.headers, body });
      const answer = answers.get(path);
      if (answer === undefined) response.writeHead(204).end();
      else answer(request, response);
    });
  });
  const dns = createDnsClient({ servers: ['127.0.0.1:9'] });
  let storage: Storage;
  let accounts: Accounts;
  let channels: Channels;
  let replicas: Alerts[] = [];
  let url: string;
  let admin: string;

  before(async () => {
    server.listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    storage = await openTestStorage(await engine.newLocation(), { isSequential: true });
    const audit = new AuditLog(storage.audit);
    accounts = new Accounts(storage, audit);
    admin = (await accounts.create('Ada', 'admin', TEST, new Date(START))).id;
    channels = new Channels({
      store: storage.alerts,
      audit,
      mailer: undefined,
      publicUrl: undefined,
      hasAllowedNetworks: true,
    });
  });
  after(async () => {
    dns.close();
    server.closeAllConnections();
    server.close();
    await storage.close();
    await engine.close();
  });
  afterEach(async () => {
    for (const replica of replicas) await replica.close();
    replicas = [];
    for (const channel of await channels.list())
      await channels.remove(channel, TEST, new Date(clock.ms));
    received.length = 0;
    answers.clear();
  });

  const newReplica = (networks = ['127.0.0.0/8']): Alerts => {
    const replica = new Alerts({
      store: storage.alerts,
      watch: storage.watch,
      accounts: storage.accounts,
      webhooks: new Webhooks(() => dns, networks),
      mailer: undefined,
      publicUrl: 'https://whence.example.com',
      metrics: new Metrics(),
      nowMs: () => clock.ms,
      log: openLog('fatal').logger,
    });
    replicas.push(replica);
    return replica;
  };
  const newChannel = (path: string, more: Partial<NewChannel> = {}) =>
    channels.create(
      {
        name: path,
        format: 'standard',
        target: url + path,
        minSeverity: 'low',
        tags: [],
        accountId: admin,
        ...more,
      },
      TEST,
      new Date(clock.ms),
    );

  let names = 0;
  /** Watched, and claimed for a check. */
  const newDomain = async (tags = '') => {
    const domain = `d${++names}.example.com`;
    await storage.watch.add([domain], { tags, by: 'test' }, new Date(clock.ms));
    return domain;
  };
  const record = async (domain: string, changes: Partial<typeof NO_CHANGES> | object) => {
    const now = new Date(clock.ms);
    await storage.watch.makeDue([domain], now);
    const claimed = await storage.watch.claimDue(now, 'claim', clock.ms + 1, 10_000);
    assert.ok(claimed.some((one) => one.domain === domain));
    const columns = { dueAt: new Date(clock.ms + DAY_MS), triedAt: now, answeredAt: now };
    for (const one of claimed)
      await storage.watch.record(
        one.domain,
        'claim',
        { ...columns, state: '{}', unansweredSinceAt: undefined },
        { ...NO_CHANGES, ...(one.domain === domain ? changes : {}) },
        now,
      );
  };
  const open = async (domain: string, more: Partial<NewEvent> = {}): Promise<string> => {
    const event: NewEvent = {
      code: 'key_gone',
      subject: 's1',
      source: 'check',
      severity: 'high',
      sentence: 'The DKIM key of the selector s1 is gone',
      act: 'Publish it again.',
      firstSeenAt: new Date(clock.ms),
      ...more,
    };
    await record(domain, { opened: [event] });
    const [opened] = await storage.watch.eventsOf(domain, new Date(clock.ms));
    assert.ok(opened);
    return opened.id;
  };
  const resolve = (domain: string, id: string) => record(domain, { resolved: [id] });

  /** Works until nothing is due any more. */
  const work = async (...workers: Alerts[]) => {
    await Promise.all(workers.map((worker) => worker.work()));
    await until('everything that is due was tried', async () => {
      const due = await storage.alerts.dueChannels(new Date(clock.ms));
      if (due.length > 0) await Promise.all(workers.map((worker) => worker.work()));
      return due.length === 0 && workers.every((worker) => !worker.isSending);
    });
  };
  const textsAt = (path: string) =>
    received
      .filter((one) => one.path === path)
      .map(({ body }) => (JSON.parse(body) as { data: { text: string } }).data.text);
  const name = (behaviour: string) => `alerts on ${engine.name}: ${behaviour}`;
  const { skip } = engine;

  test(name('one sentence says what is wrong, since when and what to do'), { skip }, async () => {
    const { secret = '' } = await newChannel('/a');
    const domain = await newDomain();
    const id = await open(domain);
    const replica = newReplica();
    await work(replica);
    clock.ms += 3 * HOUR_MS;
    await resolve(domain, id);
    await work(replica);
    assert.deepEqual(textsAt('/a'), [
      `${domain}: The DKIM key of the selector s1 is gone. Since 2026-11-19 10:00 UTC. Publish it again.`,
      `${domain}: this is over. It was: The DKIM key of the selector s1 is gone. Since 2026-11-19 10:00 UTC, for 3 hours.`,
    ]);
    for (const { body, headers } of received) {
      const parsed = JSON.parse(body) as { data: Record<string, unknown> };
      assert.equal(parsed.data['url'], `https://whence.example.com/domain/${domain}`);
      const { 'webhook-id': sent = '' } = headers;
      assert.match(String(sent), /^msg_[0-9a-f]{32}$/);
      const receiver = new Webhook(secret);
      const at = new Date(Number(headers['webhook-timestamp']) * 1000);
      assert.equal(receiver.sign(String(sent), at, body), headers['webhook-signature']);
    }
  });

  test(name('each event alerts once and ends once, with replicas that work at once'), {
    skip,
  }, async () => {
    await newChannel('/a');
    await newChannel('/b');
    const domains = [await newDomain(), await newDomain(), await newDomain()];
    const ids = [];
    for (const domain of domains) ids.push(await open(domain));
    await work(newReplica(), newReplica(), newReplica());
    for (const [i, domain] of domains.entries()) await resolve(domain, ids[i] ?? '');
    await work(newReplica(), newReplica());
    for (const path of ['/a', '/b']) {
      const sent = received.filter((one) => one.path === path).map(({ headers }) => headers);
      assert.equal(sent.length, 6);
      assert.equal(new Set(sent.map((headers) => headers['webhook-id'])).size, 6);
    }
  });

  test(name('a claim of a replica that was killed expires, and the id stays the same'), {
    skip,
  }, async () => {
    const channel = await newChannel('/a');
    const domain = await newDomain();
    await open(domain);
    // Killed after the receiver has it, before that is stored.
    answers.set('/a', () => {});
    const killed = newReplica();
    await killed.work();
    await until('the first attempt is there', () => received.length === 1);
    answers.clear();
    const other = newReplica();
    await other.work();
    assert.equal(received.length, 1, 'the claim holds');
    clock.ms += 181_000;
    await other.work();
    await until('the second attempt is there', () => received.length === 2);
    const [first, second] = received;
    assert.equal(first?.headers['webhook-id'], second?.headers['webhook-id']);
    await until('it is delivered', async () => {
      const [delivery] = await channels.lastDeliveries(channel.id);
      return delivery?.state === 'delivered';
    });
  });

  test(name('a receiver that fails gets it again for a day, and the end only after that'), {
    skip,
  }, async () => {
    const channel = await newChannel('/a');
    answers.set('/a', (_, response) => void response.writeHead(500).end());
    const domain = await newDomain();
    const id = await open(domain);
    const replica = newReplica();
    await work(replica);
    assert.equal((await channels.find(channel.id))?.failingSinceAt?.getTime(), clock.ms);
    await resolve(domain, id);
    clock.ms += 2 * HOUR_MS;
    answers.clear();
    await work(replica);
    clock.ms += HOUR_MS;
    await work(replica);
    const kinds = received.map(({ body }) => (JSON.parse(body) as { type: string }).type);
    assert.deepEqual(kinds, ['event.opened', 'event.opened', 'event.resolved']);
    const made = await channels.lastDeliveries(channel.id);
    assert.deepEqual(made.map(({ kind, attempts }) => [kind, attempts]).sort(), [
      ['opened', 2],
      ['resolved', 1],
    ]);
    assert.equal((await channels.find(channel.id))?.failingSinceAt, undefined);

    answers.set('/a', (_, response) => void response.writeHead(404).end());
    await open(await newDomain());
    received.length = 0;
    for (let hour = 0; hour < 30; hour++) {
      await work(replica);
      clock.ms += HOUR_MS;
    }
    assert.ok(received.length > 5 && received.length < 15, `${received.length} attempts`);
    const [delivery] = await channels.lastDeliveries(channel.id);
    assert.ok(delivery);
    const { state, result, attempts } = describeDelivery(delivery);
    assert.deepEqual(
      [state, result, attempts],
      ['failed', 'answered 404 Not Found', received.length],
    );
  });

  const BAD: readonly (readonly [string, RequestListener, RegExp])[] = [
    ['answers 500', (_, response) => void response.writeHead(500).end('x'), /^answered 500/],
    ['hangs', () => {}, /^(no answer|not finished) within/],
    [
      'redirects to 127.0.0.1',
      (_, response) => void response.writeHead(302, { location: `${url}/inside` }).end(),
      /^answered 302 Found$/,
    ],
    [
      'returns 10 MB',
      (_, response) => void response.writeHead(200).end(Buffer.alloc(10_000_000)),
      /^answered 200 OK$/,
    ],
    ['closes the connection', (request) => void request.socket.destroy(), /closed the connection/],
    ['sends no HTTP', (request) => void request.socket.end('hello\r\n\r\n'), /HTTP/],
  ];
  test(name('a bad receiver delays no other one, and alerts arrive in the order of the events'), {
    skip,
  }, async () => {
    const bad = [];
    for (const [i, [, answer]] of BAD.entries()) {
      answers.set(`/bad${i}`, answer);
      bad.push(await newChannel(`/bad${i}`));
    }
    await newChannel('/good');
    const domains = [];
    for (let i = 0; i < 6; i++) domains.push(await newDomain());
    for (const domain of domains) await open(domain);
    const replica = newReplica();
    await replica.work();
    await until('the good one has all', () => textsAt('/good').length === domains.length);
    assert.deepEqual(
      textsAt('/good').map((text) => text.split(':')[0]),
      domains,
    );
    const hanging = received.filter(({ path }) => path === '/bad1');
    assert.equal(hanging.length, 1, 'still in its first attempt');
    await until('all were tried', () => !replica.isSending);
    for (const [i, [behaviour, , result]] of BAD.entries()) {
      const deliveries = await channels.lastDeliveries(bad[i]?.id ?? '');
      const tried = deliveries.find(({ triedAt }) => triedAt !== undefined);
      assert.match(tried?.result ?? '', result, behaviour);
    }
    assert.ok(!received.some(({ path }) => path === '/inside'), 'the redirect was not followed');
  });

  for (const [behaviour, target, networks, reason] of [
    ['a private address', 'https://127.0.0.1:1/', [], /no public address; WHENCE_ALERT_NETWORKS/],
    ['an address in IPv6', 'https://[::ffff:127.0.0.1]/', [], /no public address/],
    ['an address as one number', 'https://2130706433/', [], /no public address/],
    ['an octal address', 'https://0177.0.0.1/', [], /no public address/],
    ['no address', 'https://0.0.0.0/', [], /no public address/],
    ['a translated address', 'https://[64:ff9b::7f00:1]/', [], /no public address/],
    ['a link-local address', 'https://[fe80::1]/', [], /no public address/],
    ['an address behind a user', 'https://8.8.8.8@127.0.0.1/', [], /no public address/],
    ['the metadata service', 'https://169.254.169.254/', ['127.0.0.0/8'], /no public address/],
    ['http: to a public address', 'http://8.8.8.8/', ['127.0.0.0/8'], /http: is for the networks/],
    ['a name without addresses', 'https://hooks.example.com/', [], /^DNS has no address of/],
  ] as const)
    test(name(`${behaviour} is not connected to`), { skip }, async () => {
      const channel = await newChannel('/', { target: `${target}services/T0SECRET?k=T0SECRET` });
      const { state, result } = await newReplica([...networks]).test(channel);
      assert.equal(state, 'failed');
      assert.match(result ?? '', reason);
      const deliveries = await channels.lastDeliveries(channel.id);
      const shown = [describeChannel(channel), deliveries, await storage.audit.list({}, 100)];
      assert.doesNotMatch(JSON.stringify(shown), /T0SECRET|8\.8\.8\.8@/);
    });

  for (const [behaviour, more, tags, isSent] of [
    ['a lower severity is not sent', { minSeverity: 'high' as const }, '', false],
    ['a tag of the domain is enough', { tags: ['Shop', 'mail'] }, 'web shop', true],
    ['another tag is not', { tags: ['shop'] }, 'shopping', false],
  ] as const)
    test(name(behaviour), { skip }, async () => {
      await newChannel('/a', more);
      await open(await newDomain(tags), { severity: 'medium' });
      await work(newReplica());
      assert.equal(received.length, isSent ? 1 : 0);
    });

  test(name('an opening without an alert has no end either, and nothing old is sent'), {
    skip,
  }, async () => {
    await open(await newDomain());
    await newChannel('/a');
    const domain = await newDomain();
    const id = await open(domain, { quiet: 'first_check' });
    const replica = newReplica();
    await work(replica);
    await resolve(domain, id);
    await work(replica);
    assert.deepEqual(received, []);
  });

  test(name('what is sent follows the rights of the account at that moment'), {
    skip,
  }, async () => {
    const limited = await accounts.create('Lim', 'viewer', TEST, new Date(clock.ms));
    const [own, other] = [await newDomain(), await newDomain()];
    await accounts.change(limited, { domains: [own] }, TEST, new Date(clock.ms));
    const channel = await newChannel('/a', { accountId: limited.id });
    await open(own);
    await open(other);
    const replica = newReplica();
    await work(replica);
    assert.deepEqual(
      textsAt('/a').map((text) => text.split(':')[0]),
      [own],
    );
    // A delivery that waits is dropped too.
    answers.set('/a', (_, response) => void response.writeHead(500).end());
    await open(own, { subject: 's2' });
    await work(replica);
    await accounts.change(limited, { isDisabled: true }, TEST, new Date(clock.ms));
    clock.ms += HOUR_MS;
    answers.clear();
    received.length = 0;
    await open(own, { subject: 's3' });
    await work(replica);
    assert.deepEqual(received, []);
    const deliveries = await channels.lastDeliveries(channel.id);
    assert.deepEqual(deliveries.map(({ state, result }) => [state, result]).sort(), [
      ['delivered', 'answered 204 No Content'],
      ['dropped', 'the account is disabled'],
    ]);
  });

  test(name('a domain that is no longer watched ends its events'), { skip }, async () => {
    await newChannel('/a');
    const domain = await newDomain();
    await open(domain);
    const replica = newReplica();
    await work(replica);
    clock.ms += HOUR_MS;
    await storage.watch.remove([domain], 'alice', new Date(clock.ms));
    await work(replica);
    assert.match(
      textsAt('/a')[1] ?? '',
      new RegExp(`^${domain}: ended by alice\\. It was: The DKIM key`),
    );
  });

  test(name('a weekly summary is sent once, in quiet weeks too'), { skip }, async () => {
    clock.ms += WEEK_MS;
    const limited = await accounts.create('Sum', 'viewer', TEST, new Date(clock.ms));
    const [own] = [await newDomain(), await newDomain()];
    await accounts.change(limited, { domains: [own] }, TEST, new Date(clock.ms));
    await newChannel('/a', { accountId: limited.id });
    await open(own, { quiet: 'first_check' });
    const [one, two] = [newReplica(), newReplica()];
    await work(one, two);
    assert.deepEqual(received, []);
    clock.ms += WEEK_MS;
    await work(one, two);
    const [text = '', ...more] = textsAt('/a');
    assert.deepEqual(more, []);
    assert.match(
      text,
      /^The week to 2026-12-\d\d \d\d:\d\d UTC: 1 domain watched, 1 event open, 0 events resolved/,
    );
    assert.match(text, /1 event was opened without an alert/);
    assert.match(text, new RegExp(`- Open, high: ${own}: The DKIM key`));
    // A quiet week after three in which nothing ran.
    clock.ms += 4 * WEEK_MS;
    await work(one, two);
    assert.equal(textsAt('/a').length, 2);
    clock.ms += WEEK_MS;
    await work(one, two);
    assert.equal(textsAt('/a').length, 3);
    // The clock goes ahead by a year, which it should not have.
    clock.ms += 52 * WEEK_MS;
    await work(one, two);
    assert.equal(textsAt('/a').length, 4);
    clock.ms -= 51 * WEEK_MS;
    await work(one, two);
    assert.equal(textsAt('/a').length, 5);
  });
}
