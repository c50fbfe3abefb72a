/** Who sends as a domain, by its reports: API, trial, check and command, and what needs the permission to read reports. */
import assert from 'node:assert/strict';
import test, { after, before, describe } from 'node:test';
import type { AggregateReport, ReportRow } from '@whence/email/internal/reports/report';
import { type ScriptedDnsServer, startScriptedDnsServer } from '@whence/testing/servers/scripted-dns-server';
import { openStorage } from '../../storage/open-storage.ts';
import { prepareReport } from '../../storage/prepared-report.ts';
import { signedInAs } from '../dashboard/dashboard-client.ts';
import { runCommand } from '../run-command.ts';
import { testEngines } from '../storage/engines.ts';
import { startInProcess, TestFolder } from '../test-server.ts';

const NOW = Date.now();
const DAY_S = 86_400;
let dns: ScriptedDnsServer;

const zoneOf = (domain: string) => ({
  [domain]: { TXT: ['v=spf1 ip4:192.0.2.0/28 include:mail.zendesk.com -all'], MX: [[10, `mx.${domain}`]] as const },
  [`mx.${domain}`]: { A: ['192.0.2.1'] },
  [`_dmarc.${domain}`]: { TXT: [`v=DMARC1; p=none; rua=mailto:d@${domain}`] },
});
const OWN = 'example.com';
const FORGED = 'forged.example';
/** Domains whose mail is their own; days ago of a report beside those of the last month, and whether that is 90 days. */
const IDLE = [
  ['no report before them', 34, false],
  ['one on the 90th day', 89, true],
  ['one of the week before', 95, true],
  ['one that is older', 96, false],
] as const;
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
    ...Object.assign({}, ...IDLE.map(([, daysAgo]) => zoneOf(idleDomain(daysAgo)))),
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
      ({ secret: reader } = await folder.createKey({ permissions: ['email:read', 'reports:read'] }));
      ({ secret: checker } = await folder.createKey({ permissions: ['email:read'] }));
      const storage = await openStorage(folder.location);
      const evil = 'x\u001b[2J=cmd()';
      for (let day = 1; day <= 34; day++) {
        const own = [
          row(OWN, {}),
          row(OWN, { ...failing, address: '198.51.100.7', count: 6 }),
          row(OWN, { ...failing, address: '203.0.113.9', dkim: [{ domain: OWN, selector: evil, result: 'fail' }] }),
        ];
        const arrival = { arrived: 'file', arrivedFrom: '', digest: `${day}`, isProven: true } as const;
        const mailed = { ...arrival, arrived: 'message', isProven: false } as const;
        await storage.reports.add([prepareReport(report(OWN, day, own), arrival, NOW)], NOW);
        await storage.reports.add([prepareReport(report(FORGED, day, [row(FORGED, {})]), mailed, NOW)], NOW);
      }
      for (const [, daysAgo] of IDLE)
        for (const day of [1, 8, 15, 22, 29, daysAgo]) {
          const domain = idleDomain(daysAgo);
          const arrival = { arrived: 'file', arrivedFrom: '', digest: `${day}`, isProven: true } as const;
          await storage.reports.add([prepareReport(report(domain, day, [row(domain, {})]), arrival, NOW)], NOW);
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
    const wh = (...args: string[]) => runCommand(args, { ...folder.environment, WHENCE_DNS_SERVERS: dns.address });

    test('a service that SPF names and that does not sign is a no, with its rows on request', async () => {
      const { status, data } = await ask(`${OWN}/senders?service=zendesk`, reader);
      assert.equal(status, 200);
      assert.deepEqual([data.verdict.answer, data.verdict.reasons[0].service, data.reports], ['no', 'Zendesk', 34]);
      assert.equal(data.days.length, 34);
      assert.deepEqual([data.rows[0].address, data.rows[0].reporters], ['198.51.100.7', ['google.com']]);
      assert.doesNotMatch(JSON.stringify(data), /\\u001b/);
    });

    test('reports that are not proven never make a yes', async () => {
      const { data } = await ask(`${FORGED}/senders`, reader);
      assert.deepEqual([data.verdict.answer, data.messages], ['not_enough', 0]);
      assert.ok(data.verdict.reasons.some(({ code }: { code: string }) => code === 'unproven_reports'));
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
        assert.equal((await decide(domain, service)).data.code, 'INVALID_REQUEST', `${service} of ${domain}`);
      const storage = await openStorage(folder.location);
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

    for (const [behaviour, path, code] of [
      ['no permission to read reports', `${OWN}/senders`, 'FORBIDDEN'],
      ['days that are no number', `${OWN}/senders?days=0x10`, 'INVALID_REQUEST'],
      ['more days than are kept', `${OWN}/senders?days=401`, 'INVALID_REQUEST'],
      ['another policy', `${OWN}/senders?policy=none`, 'INVALID_REQUEST'],
      ['not a domain', '192.0.2.1/senders', 'INVALID_DOMAIN'],
    ] as const)
      test(`refused for ${behaviour}`, async () => {
        assert.equal((await ask(path, code === 'FORBIDDEN' ? checker : reader)).data.code, code);
      });

    test('the history of a trial needs the same permission', async () => {
      const tried = { dmarc: 'v=DMARC1; p=reject; rua=mailto:d@example.com', history: true };
      assert.equal((await ask(`${OWN}/try`, checker, tried)).data.code, 'FORBIDDEN');
      const { data } = await ask(`${OWN}/try`, reader, tried);
      assert.deepEqual([data.history.verdict.policy, data.history.verdict.answer], ['reject', 'no']);
    });

    test('a check shows nothing from reports without the permission', async () => {
      const [without, having] = [
        await ask(`${OWN}/dns?include=details`, checker),
        await ask(`${OWN}/dns?include=details`, reader),
      ];
      assert.equal(without.data.details.senders, undefined);
      assert.equal(having.data.details.senders.answer, 'no');
      const codes = (answer: typeof having) =>
        answer.data.details.readiness.obstacles.map(({ code }: { code: string }) => code);
      assert.ok(codes(having).includes('mail_refused'));
      assert.ok(!codes(without).includes('mail_refused'));
      const selectors = ({ data }: typeof having) => data.dkim.map(({ selector }: { selector: string }) => selector);
      assert.deepEqual([selectors(without), selectors(having)], [[], ['seen1']]);
    });

    test('the command prints the verdict, and a decision settles it with an audit entry', async () => {
      const before = await wh('email', 'reports', OWN);
      assert.equal(before.code, 1);
      assert.match(before.stdout, /example\.com: p=reject is not safe: it would have refused .* at Zendesk/s);
      assert.match((await wh('email', OWN)).stdout, /Reports: p=reject is not\s+safe/);
      const after = await wh('email', 'reports', OWN, '--decide', 'Zendesk=not-ours', '--csv');
      assert.equal(after.code, 0);
      assert.match(after.stdout, /^example\.com,reject,yes,Zendesk,zendesk,not_ours,/m);
      const unknown = await wh('email', 'reports', OWN, '--decide', 'Zendusk=ours');
      assert.match(unknown.stderr, /no mail of Zendusk/);
      assert.equal((await wh('email', 'reports', FORGED)).code, 4);
      assert.equal((await wh('email', 'reports', OWN, '--policy', 'none')).code, 2);
      const storage = await openStorage(folder.location);
      const [entry] = await storage.audit.list({ action: 'domain.sender_decided' }, 1);
      await storage.close();
      assert.deepEqual([entry?.target, entry?.details], [OWN, { service: 'zendesk', decision: 'not_ours' }]);
      // The server judges again, since the decision changes the generation.
      assert.equal((await ask(`${OWN}/senders`, reader)).data.verdict.answer, 'yes');
    });
  });
