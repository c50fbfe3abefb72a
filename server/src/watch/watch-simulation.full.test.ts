/**
 * Sixty days of a hundred watched domains: what is changed in a zone alerts once on each channel
 * and ends once, while replicas are killed, PostgreSQL is restarted, a release finds more than the
 * one before, and name servers are away.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import test from 'node:test';
import { KEYS } from '@whence/email/test/dkim-keys';
import { seededRandom } from '@whence/testing/seeded-random';
import { NO_OWN_POSTGRES, PostgresServer } from '@whence/testing/servers/postgres-server';
import { startScriptedDnsServer } from '@whence/testing/servers/scripted-dns-server';
import type { ZoneEntry } from '@whence/testing/servers/zone-literal';
import { until } from '@whence/testing/until';
import { Accounts } from '../accounts/accounts.ts';
import { Alerts } from '../alerts/alerts.ts';
import { Channels } from '../alerts/channels.ts';
import { Mailer } from '../alerts/mailer.ts';
import { Webhooks } from '../alerts/webhook.ts';
import { AuditLog } from '../audit/audit-log.ts';
import { HOUR_MS } from '../day.ts';
import { EmailChecks } from '../email-checks/email-checks.ts';
import { openLog } from '../log/log.ts';
import { Metrics } from '../metrics/metrics.ts';
import { mailText, startMailServer } from '../test/mail-server.ts';
import { openTestStorage, testEngines } from '../test/storage/engines.ts';
import { observe } from './observation.ts';
import { WatchChecks } from './watch-checks.ts';

const START = Date.parse('2026-11-16T00:00:00Z');
/** Every four hours, on sixty days. */
const TICKS_A_DAY = 6;
const TICKS = 60 * TICKS_A_DAY;
const TICK_MS = 4 * HOUR_MS;
const PUBLIC_URL = 'https://whence.example.com';
const DOMAINS = Array.from({ length: 100 }, (_, i) => `d${i}.example`);
/** Their SPF record has a mistake that only the second release finds. */
const isMistaken = (index: number) => index % 5 === 0;
const UPGRADE = 30 * TICKS_A_DAY;
/** Eight hours without an answer. */
const OUTAGE = [40 * TICKS_A_DAY, 40 * TICKS_A_DAY + 2] as const;

/** What can be changed, and the one event that follows from it. */
const CHANGES = {
  policy: 'policy_weaker DMARC',
  spf: 'syntax_error SPF',
  mx: 'record_changed MX',
  key: 'key_gone s1',
} as const;
type Change = keyof typeof CHANGES;
type Scripted = { domain: string; change: Change; from: number; to: number };

const random = seededRandom(62);
const below = (limit: number) => Math.floor(random() * limit);

/** One or two of a domain, far enough apart to be events of their own; some last to the end. */
function makeScript(): Scripted[] {
  return DOMAINS.flatMap((domain, index) => {
    const kinds = (['policy', 'mx', 'key', 'spf'] as const).filter(
      (kind) => kind !== 'spf' || !isMistaken(index),
    );
    const first = below(kinds.length);
    return [0, 1].flatMap((half): Scripted[] => {
      const change = kinds[(first + half) % kinds.length] ?? 'policy';
      const from = (half * 28 + 2 + below(20)) * TICKS_A_DAY + below(TICKS_A_DAY);
      const to = from + (3 + below(5)) * TICKS_A_DAY;
      if (random() < 0.1) return [];
      return [{ domain, change, from, to: random() < 0.1 ? TICKS : to }];
    });
  });
}

const changesAt = (script: readonly Scripted[], domain: string, tick: number) =>
  script
    .filter((one) => one.domain === domain && one.from <= tick && tick < one.to)
    .map(({ change }) => change);
const isOutage = (tick: number) => tick >= OUTAGE[0] && tick < OUTAGE[1];

function zoneAt(script: readonly Scripted[], tick: number): Record<string, ZoneEntry> {
  const zone: Record<string, ZoneEntry> = {};
  for (const [index, domain] of DOMAINS.entries()) {
    const now = new Set(changesAt(script, domain, tick));
    const wrong = now.has('spf') || isMistaken(index) ? 'nonsense ' : '';
    const mx = now.has('mx') ? 'other.example' : 'mx.example';
    zone[domain] = { MX: [[10, mx]], TXT: [`v=spf1 mx ${wrong}-all`] };
    const policy = now.has('policy') ? 'none' : 'reject';
    zone[`_dmarc.${domain}`] = { TXT: [`v=DMARC1; p=${policy}; rua=mailto:d@${domain}`] };
    if (!now.has('key')) zone[`s1._domainkey.${domain}`] = { TXT: [KEYS.strong] };
    zone[`s2._domainkey.${domain}`] = { TXT: [KEYS.strong] };
    if (isOutage(tick))
      for (const name of [domain, `_dmarc.${domain}`, `s1._domainkey.${domain}`])
        zone[name] = { fail: 'servfail' };
  }
  zone['mx.example'] = { A: ['192.0.2.25'] };
  zone['other.example'] = { A: ['192.0.2.26'] };
  return zone;
}

type Received = { id: string; text: string };

/** A webhook. Some requests are received, and answered as if they were not. */
async function startReceiver() {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const { type, data } = JSON.parse(body) as {
      type: string;
      data: { domain?: string; code: string; subject?: string };
    };
    const text = `${type} ${data.domain ?? ''} ${data.code} ${data.subject ?? ''}`.trim();
    received.push({ id: String(request.headers['webhook-id']), text });
    response.writeHead(random() < 0.15 ? 500 : 204).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { received, url, server };
}

/** What a message says, by what only its event does. */
const WORDS: readonly (readonly [words: string, event: string])[] = [
  ['The policy of DMARC is weaker', CHANGES.policy],
  ['is not a mechanism', CHANGES.spf],
  ['checks of domains got no answer', 'checker_unreachable'],
];

/** A mail server. Some messages are received, and refused as if they were not. */
async function startRecipient() {
  const received: Received[] = [];
  let link = '';
  const take = (message: string): string => {
    const [, id = ''] = /^Message-ID: <([^@>]+)/im.exec(message) ?? [];
    const [, isOver, subject = ''] = /^Subject: \[Whence\] (Over|high): (.*)$/m.exec(message) ?? [];
    const text = mailText(message);
    link = /https:\/\/\S+#\S+/.exec(text)?.[0] ?? link;
    const [, event] = WORDS.find(([words]) => text.includes(words)) ?? [];
    // A summary says the same of many.
    if (event === undefined || isOver === undefined) return '250 ok\r\n';
    const domain = subject.trim() === 'this deployment' ? '' : subject.trim();
    const kind = isOver === 'Over' ? 'resolved' : 'opened';
    received.push({ id, text: `event.${kind} ${domain} ${event}` });
    return random() < 0.15 ? '451 later\r\n' : '250 ok\r\n';
  };
  const { port, close } = await startMailServer(take);
  return { received, port, close, link: () => link };
}

/**
 * A store of a replica that is killed: from its `left`th call on, nothing is done any more, and
 * nothing answered.
 */
function mortal<Store extends object>(
  store: Store,
  life: { left: number; end: () => void },
): Store {
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        if (--life.left >= 0) return value.apply(target, args);
        life.end();
        return new Promise(() => {});
      };
    },
  });
}

async function simulate(location: string, restart?: () => Promise<void>): Promise<void> {
  const script = makeScript();
  const storage = await openTestStorage(location);
  const dns = await startScriptedDnsServer(zoneAt(script, 0), {
    ttl: 0,
    soa: { ttl: 0, minimum: 0 },
  });
  const emailChecks = new EmailChecks([dns.address]);
  const receiver = await startReceiver();
  const mail = await startRecipient();
  const mailer = new Mailer({
    server: {
      host: '127.0.0.1',
      port: mail.port,
      isSmtps: false,
      isLoopback: true,
      user: '',
      password: '',
      from: 'whence@example.com',
    },
    passwordFile: undefined,
  });
  let nowMs = START;
  let release = '1';
  // A zone that has not changed has the same result: DNS is asked for each change, not each day.
  const known = new Map<string, ReturnType<typeof emailChecks.check>>();
  const log = openLog('fatal').logger;
  const newReplica = (calls = Number.POSITIVE_INFINITY) => {
    const life = { left: calls, end: () => {} };
    const died = new Promise<void>((resolve) => {
      life.end = resolve;
    });
    const watch = mortal(storage.watch, life);
    const checks = new WatchChecks({
      store: watch,
      check: async (domain, request) => {
        const asked = { ...request, fairnessKey: domain, selectors: undefined };
        const tick = Math.round((nowMs - START) / TICK_MS);
        const changes = changesAt(script, domain, tick);
        const key = [domain, ...changes, ...request.moreSelectors].join();
        const isAway = isOutage(tick);
        const checkZone = async () => {
          for (;;) {
            const checked = await emailChecks.check(domain, asked);
            // A machine that is too busy to answer is none of the scripted outages.
            if (isAway || checked === undefined || observe(checked).unanswered.size === 0)
              return checked;
          }
        };
        const checking = (!isAway && known.get(key)) || checkZone();
        if (!isAway) known.set(key, checking);
        const checked = await checking;
        if (checked === undefined || release !== '1') return checked;
        if (!isMistaken(DOMAINS.indexOf(domain))) return checked;
        const { spf } = checked.findings;
        const report = { ...spf.report, validation_errors: [] };
        return { ...checked, findings: { ...checked.findings, spf: { ...spf, report } } };
      },
      reports: { selectors: async () => [], review: async () => undefined },
      mayRun: () => true,
      nowMs: () => nowMs,
      release,
      log,
    });
    const alerts = new Alerts({
      store: mortal(storage.alerts, life),
      watch,
      accounts: storage.accounts,
      webhooks: new Webhooks(() => emailChecks.dnsClient(), ['127.0.0.0/8']),
      mailer,
      publicUrl: PUBLIC_URL,
      metrics: new Metrics(),
      nowMs: () => nowMs,
      log,
    });
    return { checks, alerts, died, isDead: () => life.left < 0 };
  };
  type Replica = ReturnType<typeof newReplica>;
  /** As `housekeeping` does: what storage refuses is tried again. */
  const work = async ({ checks, alerts, died, isDead }: Replica) => {
    const turn = async () => {
      await checks.run();
      await alerts.work();
      await until('everything was sent', () => !alerts.isSending || isDead(), { everyMs: 1 });
    };
    await Promise.race([died, turn().catch(() => {})]);
  };
  try {
    const audit = new AuditLog(storage.audit);
    const by = { name: 'test' };
    const now = new Date(START);
    const admin = await new Accounts(storage, audit).create('Ada', 'admin', by, now);
    const channels = new Channels({
      store: storage.alerts,
      audit,
      mailer,
      publicUrl: PUBLIC_URL,
      hasAllowedNetworks: true,
    });
    for (const channel of [
      { format: 'standard', target: receiver.url, minSeverity: 'low' },
      { format: 'email', target: 'alerts@example.com', minSeverity: 'high' },
    ] as const)
      await channels.create(
        { ...channel, name: channel.format, tags: [], accountId: admin.id },
        by,
        now,
      );
    const [, token = ''] = mail.link().split('#');
    assert.ok(await channels.confirm(token, '192.0.2.1', now));
    await storage.watch.add(DOMAINS, { tags: '', by: 'test' }, now);
    let replicas = [newReplica(), newReplica()];
    for (let tick = 0; tick < TICKS; tick++) {
      nowMs = START + tick * TICK_MS;
      const isNew = script.some(({ from, to }) => from === tick || to === tick);
      if (isNew || OUTAGE.some((at) => at === tick)) dns.publish(zoneAt(script, tick));
      if (tick === UPGRADE) release = '2';
      if (tick === UPGRADE || tick % 15 === 8)
        replicas = [newReplica(tick % 30 === 8 ? below(40) : undefined), newReplica()];
      const restarting = tick % 60 === 30 ? restart?.() : undefined;
      await Promise.all(replicas.map(work));
      await restarting;
      if (replicas.some(({ isDead }) => isDead())) replicas = [newReplica(), newReplica()];
    }
    const events = await storage.watch.events({
      allowed: undefined,
      mayReadReports: true,
      limit: 10_000,
    });
    const severityOf = (code: string) => events.find((event) => event.code === code)?.severity;
    const lines = (isWanted: (code: string) => boolean) =>
      [
        ...script.flatMap(({ domain, change, to }) => {
          const event = CHANGES[change];
          if (!isWanted(event.split(' ')[0] ?? '')) return [];
          const opened = `event.opened ${domain} ${event}`;
          return to < TICKS ? [opened, opened.replace('opened', 'resolved')] : [opened];
        }),
        ...['opened', 'resolved'].map((kind) => `event.${kind}  checker_unreachable`),
      ].sort();
    const sentTo = ({ received }: { readonly received: readonly Received[] }) => {
      const byId = new Map(received.map(({ id, text }) => [id, text]));
      return [...byId.values()].filter((text) => text.startsWith('event')).sort();
    };
    const differences = (sent: readonly string[], expected: readonly string[]) => ({
      twice: sent.filter((line, i) => sent[i - 1] === line),
      more: sent.filter((line) => !expected.includes(line)),
      missing: expected.filter((line) => !sent.includes(line)),
    });
    const none = { twice: [], more: [], missing: [] };
    const all = lines(() => true);
    assert.deepEqual(differences(sentTo(receiver), all), none);
    const high = lines((code) => severityOf(code) === 'high');
    assert.deepEqual(differences(sentTo(mail), high), none);
    const found = events.filter(({ quiet }) => quiet === 'new_release');
    assert.equal(found.length, DOMAINS.filter((_, index) => isMistaken(index)).length);
  } finally {
    emailChecks.close();
    receiver.server.closeAllConnections();
    receiver.server.close();
    mail.close();
    await dns.close();
    await storage.close();
  }
}

test('watched domains: sixty days on SQLite, with killed replicas', async () => {
  const [engine] = testEngines();
  assert.ok(engine);
  await simulate(await engine.newLocation());
  await engine.close();
});

test('watched domains: sixty days on PostgreSQL, which is killed too', {
  skip: NO_OWN_POSTGRES,
}, async () => {
  const postgres = await PostgresServer.startOwn();
  try {
    const { url } = await postgres.createDatabase();
    await simulate(url, async () => {
      await postgres.halt('SIGQUIT');
      await postgres.resume();
    });
  } finally {
    await postgres.stop();
  }
});
