/**
 * The list of domains with reports: those with reports of either kind, and the period of their
 * pages.
 */
import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import type { AggregateReport } from '@whence/email/reports';
import type { TlsReport } from '@whence/email/reports/tls';
import {
  type ScriptedDnsServer,
  startScriptedDnsServer,
} from '@whence/testing/servers/scripted-dns-server';
import type { Arrival } from '../../storage/prepared-report.ts';
import { prepareReport } from '../../storage/prepared-report.ts';
import { prepareTlsReport } from '../../storage/prepared-tls-report.ts';
import { REPORT_DAYS } from '../../vocabulary.ts';
import { openTestStorage } from '../storage/engines.ts';
import { startInProcess, TestFolder } from '../test-server.ts';
import { type DashboardClient, signedInAs } from './dashboard-client.ts';

const folder = new TestFolder();
const NOW = Date.now();
const DAY_S = 86_400;
const FILE: Arrival = { arrived: 'file', arrivedFrom: '', digest: 'a' };
/**
 * Days ago of aggregate reports, and of TLS reports: the first and the last of the period are among
 * them.
 */
const DOMAINS = {
  'both.example': [[1, REPORT_DAYS - 1, REPORT_DAYS, 60], [3]],
  'dmarc.example': [[2, REPORT_DAYS, 100], []],
  'tls.example': [[], [0, 5, REPORT_DAYS - 1, REPORT_DAYS]],
  'old.example': [[60], [60]],
} as const;
const WATCHED = 'dmarc.example';
let dns: ScriptedDnsServer;
let server: Awaited<ReturnType<typeof startInProcess>>;
let viewer: DashboardClient;

const dayBegin = (daysAgo: number) => (Math.floor(NOW / 1000 / DAY_S) - daysAgo) * DAY_S;
const common = (domain: string, daysAgo: number) => ({
  reporter: 'google.com',
  reporterEmail: 'noreply-dmarc-support@google.com',
  reportId: `${domain} ${daysAgo}`,
  domain,
  begin: dayBegin(daysAgo),
  end: dayBegin(daysAgo) + DAY_S - 1,
});
const aggregate = (domain: string, daysAgo: number): AggregateReport => ({
  ...common(domain, daysAgo),
  policy: { p: 'none', sp: '', np: '', adkim: '', aspf: '', pct: '', testing: '' },
  rows: [
    {
      address: '192.0.2.1',
      count: 100 + daysAgo,
      disposition: 'none',
      spfPassed: true,
      dkimPassed: false,
      reasons: [],
      headerFrom: domain,
      envelopeFrom: domain,
      spf: [{ domain, scope: 'mfrom', result: 'pass' }],
      dkim: [],
    },
  ],
});
const tlsReport = (domain: string, daysAgo: number): TlsReport => ({
  ...common(domain, daysAgo),
  sums: [{ policy: 'sts', host: '', result: 'success', sessions: 10 }],
});

before(async () => {
  const zones = Object.keys(DOMAINS).map((domain) => [domain, { TXT: ['v=spf1 ip4:192.0.2.1'] }]);
  dns = await startScriptedDnsServer(Object.fromEntries(zones));
  server = await startInProcess(folder, undefined, { WHENCE_DNS_SERVERS: dns.address });
  const storage = await openTestStorage(folder.location);
  for (const [domain, [aggregates, tls]] of Object.entries(DOMAINS)) {
    const reports = aggregates.map((daysAgo) => aggregate(domain, daysAgo));
    await storage.reports.add(
      reports.map((one) => prepareReport(one, FILE, NOW)),
      NOW,
    );
    const tlsReports = tls.map((daysAgo) => tlsReport(domain, daysAgo));
    await storage.tlsReports.add(
      tlsReports.map((one) => prepareTlsReport(one, FILE, NOW)),
      NOW,
    );
  }
  await storage.watch.add([WATCHED], { tags: '', by: 'test' }, new Date(NOW));
  await storage.close();
  viewer = await signedInAs(folder, server.url, 'Vi', 'viewer');
});
after(async () => {
  await server.close();
  await dns.close();
  folder.remove();
});

test('reported domains: those with TLS reports alone are listed, and none without a report of the period', async () => {
  const { domains } = await viewer.get('listReports', {});
  assert.deepEqual(
    domains.map(({ domain, reports, tls_reports }) => [domain, reports > 0, tls_reports > 0]),
    [
      ['both.example', true, true],
      ['dmarc.example', true, false],
      ['tls.example', false, true],
    ],
  );
});

for (const domain of ['both.example', 'dmarc.example', 'tls.example'])
  test(`reported domains: the list counts what the page of ${domain} counts`, async () => {
    const { domains } = await viewer.get('listReports', {});
    const listed = domains.find((one) => one.domain === domain);
    const params = { domain };
    const senders = await viewer.get('getSenders', { params });
    const tls = await viewer.get('getTlsReports', { params });
    const days = [...senders.days, ...tls.days].map(({ day }) => day).sort();
    assert.deepEqual(listed, {
      domain,
      reports: senders.reports,
      messages: senders.messages,
      passed: senders.messages,
      tls_reports: tls.reports,
      is_watched: domain === WATCHED,
      first_day: days[0],
      last_day: days.at(-1),
    });
  });
