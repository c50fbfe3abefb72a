/**
 * Who sends as a domain, by its reports: API, trial, check and command, and what needs the
 * permission to read reports.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import test, { after, before, describe } from 'node:test';
import type { AggregateReport, ReportRow } from '@whence/email/reports';
import {
  type ScriptedDnsServer,
  startScriptedDnsServer,
} from '@whence/testing/servers/scripted-dns-server';
import { checkWithReports, type ReportedSenders } from '../../email-checks/check-request.ts';
import { EmailChecks } from '../../email-checks/email-checks.ts';
import { tryForRequest } from '../../email-checks/try-request.ts';
import { Senders } from '../../email-reports/senders.ts';
import { sendersForRequest } from '../../email-reports/senders-request.ts';
import { prepareReport } from '../../storage/prepared-report.ts';
import { signedInAs } from '../dashboard/dashboard-client.ts';
import { runCommand } from '../run-command.ts';
import { openTestStorage, testEngines } from '../storage/engines.ts';
import { startInProcess, TestFolder } from '../test-server.ts';

const NOW = Date.now();
const DAY_S = 86_400;
let dns: ScriptedDnsServer;

const zoneOf = (domain: string, policy = 'none') => ({
  [domain]: {
    TXT: ['v=spf1 ip4:192.0.2.0/28 include:mail.zendesk.com -all'],
    MX: [[10, `mx.${domain}`]] as const,
  },
  [`mx.${domain}`]: { A: ['192.0.2.1'] },
  [`_dmarc.${domain}`]: { TXT: [`v=DMARC1; p=${policy}; rua=mailto:d@${domain}`] },
});
const OWN = 'example.com';
const FORGED = 'forged.example';
/** With reports of 20 days: enough for quarantine only. */
const NEW = 'new.example';
/** One of its servers failed 60 to 50 days ago, and has sent nothing since. */
const SEASONAL = 'seasonal.example';
/** A printer sends with a name that does not exist. */
const PRINTER = 'printer.example';
/**
 * Domains whose mail is their own; days ago of a report beside those of the last month, and whether
 * that is 90 days.
 */
const IDLE = [
  ['no report before them', 34, false],
  ['one on the 90th day', 89, true],
  ['one of the week before', 95, true],
  ['one that is older', 96, false],
] as const;
/** Policies in force, and what receivers do to the mail of a service that does not sign. */
const IN_FORCE = [
  ['none', undefined],
  ['quarantine', 'treat as spam'],
  ['reject', 'refuse'],
  ['reject; t=y', 'treat as spam'],
] as const;
const domainWith = (policy: string) => `${policy.replace(/\W+/g, '-')}.example`;
const idleDomain = (daysAgo: number) => `idle${daysAgo}.example`;

const row = (headerFrom: string, more: Partial<ReportRow>): ReportRow => ({
  address: '192.0.2.1',
  count: 100,
  disposition: 'none',
  spfPassed: true,
  dkimPassed: true,
  reasons: [],
  headerFrom,
  envelopeFrom: headerFrom,
  spf: [{ domain: headerFrom, scope: 'mfrom', result: 'pass' }],
  dkim: [{ domain: headerFrom, selector: 'seen1', result: 'pass' }],
  ...more,
});
const failing = { spfPassed: false, dkimPassed: false, spf: [], dkim: [] };

function report(domain: string, daysAgo: number, rows: readonly ReportRow[]): AggregateReport {
  const begin = (Math.floor(NOW / 1000 / DAY_S) - daysAgo) * DAY_S;
  return {
    reporter: 'google.com',
    reporterEmail: 'noreply-dmarc-support@google.com',
    reportId: `${domain} ${daysAgo}`,
    domain,
    begin,
    end: begin + DAY_S - 1,
    policy: { p: 'none', sp: '', np: '', adkim: '', aspf: '', pct: '', testing: '' },
    rows,
  };
}

before(async () => {
  dns = await startScriptedDnsServer({
    ...zoneOf(OWN),
    ...zoneOf(FORGED),
    ...zoneOf(NEW),
    ...zoneOf(SEASONAL),
    ...zoneOf(PRINTER),
    ...Object.assign({}, ...IDLE.map(([, daysAgo]) => zoneOf(idleDomain(daysAgo)))),
    ...Object.assign({}, ...IN_FORCE.map(([policy]) => zoneOf(domainWith(policy), policy))),
    [`seen1._domainkey.${OWN}`]: { TXT: ['v=DKIM1; p='] },
    'mail.zendesk.com': { TXT: ['v=spf1 ip4:198.51.100.0/26 -all'] },
  });
});
after(() => dns.close());

for (const engine of testEngines())
  describe(`senders on ${engine.name}`, { skip: engine.skip }, () => {
    let folder: TestFolder;
    let server: Awaited<ReturnType<typeof startInProcess>>;
    let reader = '';
    let checker = '';

    before(async () => {
      const location = await engine.newLocation();
      folder = new TestFolder(location.startsWith('/') ? undefined : location);
      server = await startInProcess(folder, undefined, { WHENCE_DNS_SERVERS: dns.address });
      ({ secret: reader } = await folder.createKey({
        permissions: ['email:read', 'reports:read'],
      }));
      ({ secret: checker } = await folder.createKey({ permissions: ['email:read'] }));
      const storage = await openTestStorage(folder.location);
      const evil = 'x\u001b[2J=cmd()';
      for (let day = 1; day <= 34; day++) {
        const own = [
          row(OWN, {}),
          row(OWN, { ...failing, address: '198.51.100.7', count: 6 }),
          row(OWN, {
            ...failing,
            address: '203.0.113.9',
            dkim: [{ domain: OWN, selector: evil, result: 'fail' }],
          }),
        ];
        const arrival = {
          arrived: 'file',
          arrivedFrom: '',
          digest: `${day}`,
        } as const;
        const mailed = { ...arrival, arrived: 'message', unproven: 'not_signed' } as const;
        await storage.reports.add([prepareReport(report(OWN, day, own), arrival, NOW)], NOW);
        await storage.reports.add(
          [prepareReport(report(FORGED, day, [row(FORGED, {})]), mailed, NOW)],
          NOW,
        );
      }
      for (const [policy] of IN_FORCE)
        for (let day = 1; day <= 34; day++) {
          const domain = domainWith(policy);
          const arrival = { arrived: 'file', arrivedFrom: '', digest: `${day}` } as const;
          const rows = [
            row(domain, {}),
            row(domain, { ...failing, address: '198.51.100.7', count: 6 }),
          ];
          await storage.reports.add([prepareReport(report(domain, day, rows), arrival, NOW)], NOW);
        }
      for (let day = 1; day <= 20; day++) {
        const arrival = { arrived: 'file', arrivedFrom: '', digest: `${day}` } as const;
        const own = report(NEW, day, [row(NEW, {})]);
        await storage.reports.add([prepareReport(own, arrival, NOW)], NOW);
      }
      for (let day = 1; day <= 89; day++) {
        const arrival = { arrived: 'file', arrivedFrom: '', digest: `${day}` } as const;
        const broken = row(SEASONAL, { ...failing, address: '192.0.2.9' });
        const rows = [row(SEASONAL, {}), ...(day >= 50 && day <= 60 ? [broken] : [])];
        await storage.reports.add([prepareReport(report(SEASONAL, day, rows), arrival, NOW)], NOW);
        const printed = row(`p7.${PRINTER}`, { ...failing, count: 3 });
        const own = report(PRINTER, day, [row(PRINTER, {}), printed]);
        await storage.reports.add([prepareReport(own, arrival, NOW)], NOW);
      }
      for (const [, daysAgo] of IDLE)
        for (const day of [1, 8, 15, 22, 29, daysAgo]) {
          const domain = idleDomain(daysAgo);
          const arrival = {
            arrived: 'file',
            arrivedFrom: '',
            digest: `${day}`,
          } as const;
          await storage.reports.add(
            [prepareReport(report(domain, day, [row(domain, {})]), arrival, NOW)],
            NOW,
          );
        }
      await storage.close();
    });
    after(async () => {
      await server.close();
      folder.remove();
      await engine.close();
    });

    async function ask(path: string, secret: string, body?: object) {
      const response = await fetch(`${server.url}/v1/email/domain/${path}`, {
        headers: { 'X-API-Key': secret, ...(body && { 'Content-Type': 'application/json' }) },
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
      });
      // biome-ignore lint/suspicious/noExplicitAny: answers of several routes.
      return { status: response.status, data: ((await response.json()) as { data: any }).data };
    }
    const wh = (...args: string[]) =>
      runCommand(args, { ...folder.environment, WHENCE_DNS_SERVERS: dns.address });

    test('a service that SPF names and that does not sign is a no, with its rows on request', async () => {
      const { status, data } = await ask(`${OWN}/senders?service=zendesk`, reader);
      assert.equal(status, 200);
      assert.deepEqual(
        [data.verdict.answer, data.verdict.reasons[0].service, data.reports],
        ['no', 'Zendesk', 34],
      );
      assert.equal(data.days.length, 34);
      assert.deepEqual(
        [data.rows[0].address, data.rows[0].reporters],
        ['198.51.100.7', ['google.com']],
      );
      assert.doesNotMatch(JSON.stringify(data), /\\u001b/);
    });

    test('senders are judged with SPF and DMARC alone, without the rest of a check', async () => {
      const before = dns.queries.length;
      await ask(`${OWN}/senders?days=34`, reader);
      const names = dns.queries.slice(before).map(({ name, type }) => `${name} ${type}`);
      const others = names.filter((name) => /_domainkey|_mta-sts|_smtp\._tls|whence-/.test(name));
      assert.deepEqual(others, []);
      const missing = (await ask('missing.example/senders', reader)).data;
      assert.deepEqual([missing.verdict.answer, missing.reports], ['not_enough', 0]);
    });

    test('a check and the page of senders have one judgement, also of the next step', async () => {
      const storage = await openTestStorage(folder.location);
      const emailChecks = new EmailChecks([dns.address]);
      const outcomes: string[] = [];
      const senders = new Senders(
        storage.reports,
        Date.now,
        (domain, resolving) => emailChecks.dnsClient().forCheck(domain, resolving),
        { countJudgement: (outcome) => outcomes.push(outcome) },
      );
      try {
        const sources = { emailChecks, senders, dataset: undefined };
        const requester = { fairnessKey: 'test', signal: new AbortController().signal };
        const request = { ...requester, selectors: undefined, hasDetails: true };
        const checked = await checkWithReports(sources, NEW, request);
        const { verdict } = await sendersForRequest(sources, NEW, {}, requester);
        const shown = checked?.answer.details?.senders;
        assert.deepEqual(
          [shown?.policy, shown?.answer, verdict.policy, verdict.answer, outcomes],
          ['quarantine', 'yes', 'reject', 'not_enough', ['answered']],
        );
        assert.match(shown?.record ?? '', /p=quarantine/);
      } finally {
        emailChecks.close();
        await storage.close();
      }
    });

    test('metrics count judgements and their time', async () => {
      const counters = () => {
        const { counters: all, gauges } = server.metrics();
        const of = (name: string) => Number(all[name] ?? 0);
        return {
          answered: of('whence_judgements_total{outcome="answered"}'),
          seconds: of('whence_judgement_seconds_total'),
          now: [gauges['whence_judgements_running'], gauges['whence_judgements_waiting']],
        };
      };
      const before = counters();
      await ask(`${OWN}/senders?days=33`, reader);
      const { answered, seconds, now } = counters();
      assert.equal(answered - before.answered, 1);
      assert.ok(seconds > before.seconds);
      assert.deepEqual(now, [0, 0]);
    });

    test('reports that are not proven never make a yes', async () => {
      const { data } = await ask(`${FORGED}/senders`, reader);
      assert.deepEqual([data.verdict.answer, data.messages], ['not_enough', 0]);
      const unproven = data.verdict.reasons.find(
        ({ code }: { code: string }) => code === 'unproven_reports',
      );
      assert.deepEqual([unproven?.reports, unproven?.why], [34, 'its message has no signature']);
    });

    for (const [behaviour, daysAgo, isKnown] of IDLE)
      test(`an include that nothing was sent through in 90 days, with ${behaviour}`, async () => {
        const { data } = await ask(`${idleDomain(daysAgo)}/senders`, reader);
        assert.equal(
          data.verdict.reasons.some(({ code }: { code: string }) => code === 'include_idle'),
          isKnown,
        );
      });

    test('a member decides in the dashboard about senders that the reports have, and about no others', async () => {
      const member = await signedInAs(folder, server.url, 'Mia', 'member');
      const decide = (domain: string, service: string, decision = 'ours') =>
        member.try('decideSender', { params: { domain }, body: { service, decision } });
      for (const [domain, service] of [
        [OWN, 'zendusk'],
        [FORGED, 'zendesk'],
        ['example.net', 'zendesk'],
      ] as const)
        assert.equal(
          (await decide(domain, service)).data.code,
          'INVALID_REQUEST',
          `${service} of ${domain}`,
        );
      const storage = await openTestStorage(folder.location);
      for (const [decision, stored] of [
        ['ours', ['zendesk ours']],
        ['undecided', []],
      ] as const) {
        assert.equal((await decide(OWN, 'zendesk', decision)).status, 200);
        const all = await storage.reports.decisions(OWN);
        assert.deepEqual(
          all.map((one) => `${one.service} ${one.decision}`),
          stored,
        );
        const [entry] = await storage.audit.list({ action: 'domain.sender_decided' }, 1);
        assert.deepEqual([entry?.actor, entry?.details], ['Mia', { service: 'zendesk', decision }]);
      }
      assert.deepEqual(await storage.reports.decisions('example.net'), []);
      await storage.close();
    });

    test('what a reason says about mail before the period can be decided, and taken back', async () => {
      const member = await signedInAs(folder, server.url, 'Max', 'member');
      const verdictOf = async () => (await ask(`${SEASONAL}/senders`, reader)).data.verdict;
      const { answer, reasons } = await verdictOf();
      assert.deepEqual(
        [answer, reasons[0].basis, reasons[0].id],
        ['no', 'last_seen', 'own servers/192.0.2.9'],
      );
      for (const [decision, want] of [
        ['not_ours', 'yes'],
        ['undecided', 'no'],
      ] as const) {
        const body = { service: reasons[0].id, decision };
        await member.get('decideSender', { params: { domain: SEASONAL }, body });
        assert.equal((await verdictOf()).answer, want);
      }
    });

    for (const [behaviour, domain, tags, risks] of [
      ['sp, of which reports say nothing', OWN, 'p=none; sp=reject', ['step_skipped']],
      ['np, which a printer is lost to', PRINTER, 'p=none; np=reject', ['mail_refused_now']],
      ['p=none as it is', OWN, 'p=none; fo=1', []],
    ] as const)
      test(`a trial of ${behaviour}: its risks, and no advice that the verdict on p does not give`, async () => {
        const dmarc = `v=DMARC1; ${tags}; rua=mailto:d@${domain}`;
        const { data } = await ask(`${domain}/try`, reader, { dmarc });
        assert.deepEqual(
          data.risks.map(({ code }: { code: string }) => code),
          risks,
          JSON.stringify(data.risks),
        );
        const { verdict } = (await ask(`${domain}/senders?policy=reject`, reader)).data;
        const advised = data.advice.appeared.some(({ record }: { record: string }) =>
          /; p=(?:quarantine|reject)/.test(record),
        );
        assert.equal(advised && verdict.answer !== 'yes', false, JSON.stringify(data.advice));
      });

    for (const [behaviour, path, code] of [
      ['no permission to read reports', `${OWN}/senders`, 'FORBIDDEN'],
      ['days that are no number', `${OWN}/senders?days=0x10`, 'INVALID_QUERY'],
      ['more days than are kept', `${OWN}/senders?days=401`, 'INVALID_QUERY'],
      ['another policy', `${OWN}/senders?policy=none`, 'INVALID_QUERY'],
      ['not a domain', '192.0.2.1/senders', 'INVALID_DOMAIN'],
    ] as const)
      test(`refused for ${behaviour}`, async () => {
        assert.equal((await ask(path, code === 'FORBIDDEN' ? checker : reader)).data.code, code);
      });

    test('a list of domains limits what a key reads, and a check without reports stays', async () => {
      const permissions = ['email:read', 'reports:read'] as const;
      const tried = { dmarc: 'v=DMARC1; p=reject; rua=mailto:d@example.com', history: true };
      for (const [allowedDomains, isAllowed] of [
        [[OWN], true],
        [[`*.${OWN}`], false],
        [['example.invalid'], false],
      ] as const) {
        const { secret } = await folder.createKey({ permissions, allowedDomains });
        const code = isAllowed ? undefined : 'FORBIDDEN';
        assert.equal((await ask(`${OWN}/senders`, secret)).data.code, code);
        assert.equal((await ask(`${OWN}/try`, secret, tried)).data.code, code);
        const { data } = await ask(`${OWN}/dns?include=details`, secret);
        assert.equal('senders' in data.details, isAllowed);
      }
    });

    test('the history of a trial needs the same permission', async () => {
      const tried = { dmarc: 'v=DMARC1; p=reject; rua=mailto:d@example.com', history: true };
      assert.equal((await ask(`${OWN}/try`, checker, tried)).data.code, 'FORBIDDEN');
      const { data } = await ask(`${OWN}/try`, reader, tried);
      assert.deepEqual(
        [data.history.verdict.policy, data.history.verdict.answer],
        ['reject', 'no'],
      );
    });

    const skippedSteps = async () => {
      const tried = { dmarc: 'v=DMARC1; p=reject; rua=mailto:d@example.com' };
      const { data } = await ask(`${OWN}/try`, reader, tried);
      return data.risks.filter(({ code }: { code: string }) => code === 'step_skipped');
    };

    test('advice and the risks of a trial say what reports say', async () => {
      const { details } = (await ask(`${OWN}/dns?include=details`, reader)).data;
      const stricter = details.advice.filter(({ record }: { record: string }) =>
        /p=(?:quarantine|reject)/.test(record),
      );
      assert.deepEqual([details.readiness.is_ready, stricter], [false, []]);
      const [risk] = await skippedSteps();
      assert.match(risk.text, /would be refused/);
    });

    for (const [policy, act] of IN_FORCE)
      test(`own mail fails while p=${policy} is in force: ${act ?? 'nothing is refused yet'}`, async () => {
        const domain = domainWith(policy);
        const detailsFor = async (secret: string) =>
          (await ask(`${domain}/dns?include=details`, secret)).data.details;
        const { advice, risk, readiness } = await detailsFor(reader);
        const codes = advice.map(({ code }: { code: string }) => code);
        const shown = codes.filter((code: string) => /^(?:mail_refused|not_ready)/.test(code));
        assert.deepEqual(shown, [act === undefined ? 'not_ready' : 'mail_refused_in_reports']);
        assert.equal(readiness.is_ready, false);
        const words = `eceivers ${act} mail of ${domain}, as reports show`;
        assert.equal(risk.includes(words), act !== undefined, risk);
        if (act !== undefined) {
          assert.equal(codes[0], 'mail_refused_in_reports');
          assert.ok(advice[0].text.includes(words), advice[0].text);
          assert.match(advice[0].text, /204 messages at Zendesk .* decide that it is not yours/);
          assert.equal((await wh('email', domain)).code, 1);
        }
        assert.ok(!JSON.stringify(await detailsFor(checker)).includes('as reports show'));
      });

    test('the table of several domains says which have mail that is refused', async () => {
      const [none, ...strict] = IN_FORCE.map(([policy]) => domainWith(policy));
      const { stdout } = await wh('email', `${none}`, ...strict);
      for (const domain of strict)
        assert.match(stdout, new RegExp(`${domain} +mail refused +Receivers `), domain);
      assert.doesNotMatch(stdout, new RegExp(`${none} +mail refused`));
    });

    test('reports that are not judged in time leave a check and a trial, which say so', async () => {
      const storage = await openTestStorage(folder.location);
      const emailChecks = new EmailChecks([dns.address]);
      const isOver = new AbortController();
      async function* rows() {
        yield* [];
        await once(isOver.signal, 'abort');
      }
      const senders = new Senders({ ...storage.reports, rows }, Date.now, (domain, resolving) =>
        emailChecks.dnsClient().forCheck(domain, resolving),
      );
      const requester = { fairnessKey: 'test', signal: isOver.signal };
      const soon = () => ({ ...requester, deadlineMs: performance.now() + 50 });
      const late: ReportedSenders = {
        selectors: (domain) => senders.selectors(domain),
        hasReports: (domain) => senders.hasReports(domain),
        measure: (domain, zone, dataset) => senders.measure(domain, zone, dataset, soon()),
        replay: (domain, zones, dataset) => senders.replay(domain, zones, dataset, soon()),
      };
      try {
        const request = { ...requester, selectors: undefined, hasDetails: true };
        const sources = { emailChecks, senders: late, dataset: undefined };
        const checked = await checkWithReports(sources, OWN, request);
        const details = checked?.answer.details;
        assert.deepEqual(
          [details?.senders?.answer, details?.senders?.messages, details?.readiness.is_ready],
          ['not_enough', 34 * 206, false],
        );
        assert.match(details?.senders?.text ?? '', /could not be judged in time/);
        assert.ok(details?.advice.every(({ record }) => !/p=(?:quarantine|reject)/.test(record)));
        const tried = { dmarc: 'v=DMARC1; p=reject; rua=mailto:d@example.com' };
        const { risks } = await tryForRequest(sources, OWN, tried, requester);
        assert.ok(risks.some(({ text }) => /could not be judged in time/.test(text)));
        const history = tryForRequest(sources, OWN, { ...tried, history: true }, requester);
        await assert.rejects(history, { code: 'OVERLOADED' });
      } finally {
        isOver.abort();
        emailChecks.close();
        await storage.close();
      }
    });

    test('a check shows nothing from reports without the permission', async () => {
      const without = await ask(`${OWN}/dns?include=details`, checker);
      const having = await ask(`${OWN}/dns?include=details`, reader);
      assert.equal(without.data.details.senders, undefined);
      assert.equal(having.data.details.senders.answer, 'no');
      const codes = (answer: typeof having) =>
        answer.data.details.readiness.obstacles.map(({ code }: { code: string }) => code);
      assert.ok(codes(having).includes('mail_refused'));
      assert.ok(!codes(without).includes('mail_refused'));
      const selectors = ({ data }: typeof having) =>
        data.dkim.map(({ selector }: { selector: string }) => selector);
      assert.deepEqual([selectors(without), selectors(having)], [[], ['seen1']]);
    });

    test('the command prints the verdict, and a decision settles it with an audit entry', async () => {
      const before = await wh('email', 'reports', OWN);
      assert.equal(before.code, 1);
      assert.match(
        before.stdout,
        /example\.com: p=reject is not safe: it would have refused .* at Zendesk/s,
      );
      assert.match((await wh('email', OWN)).stdout, /Reports: p=reject is not\s+safe/);
      const after = await wh('email', 'reports', OWN, '--decide', 'Zendesk=not-ours', '--csv');
      assert.equal(after.code, 0);
      assert.match(after.stdout, /^example\.com,reject,yes,Zendesk,zendesk,not_ours,/m);
      const unknown = await wh('email', 'reports', OWN, '--decide', 'Zendusk=ours');
      assert.match(unknown.stderr, /no mail of Zendusk/);
      assert.equal((await wh('email', 'reports', FORGED)).code, 4);
      assert.equal((await wh('email', 'reports', OWN, '--policy', 'none')).code, 2);
      const storage = await openTestStorage(folder.location);
      const [entry] = await storage.audit.list({ action: 'domain.sender_decided' }, 1);
      await storage.close();
      assert.deepEqual(
        [entry?.target, entry?.details],
        [OWN, { service: 'zendesk', decision: 'not_ours' }],
      );
      // The server judges again, since the decision changes the generation.
      const { verdict } = (await ask(`${OWN}/senders`, reader)).data;
      assert.equal(verdict.answer, 'yes');
      assert.match(verdict.record, /^_dmarc\.example\.com\..*p=reject/);
      const { details } = (await ask(`${OWN}/dns?include=details`, reader)).data;
      assert.deepEqual(
        [details.readiness.is_ready, details.senders.record],
        [true, verdict.record],
      );
      assert.ok(!details.advice.some(({ code }: { code: string }) => code === 'not_ready'));
      assert.deepEqual(await skippedSteps(), []);
    });
  });
