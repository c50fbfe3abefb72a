/** The events of reports in storage, over six weeks of daily checks, on every engine. */
import assert from 'node:assert/strict';
import test from 'node:test';
import type { AggregateReport, ReportRow } from '@whence/email/reports';
import { startScriptedDnsServer } from '@whence/testing/servers/scripted-dns-server';
import { DAY_MS } from '../day.ts';
import { EmailChecks } from '../email-checks/email-checks.ts';
import { Senders } from '../email-reports/senders.ts';
import { TlsReports } from '../email-reports/tls-reports.ts';
import { openLog } from '../log/log.ts';
import { prepareReport } from '../storage/prepared-report.ts';
import { openTestStorage, testEngines, testOnPostgres } from '../test/storage/engines.ts';
import { reportReview } from './report-review.ts';
import { WatchChecks } from './watch-checks.ts';

const OWN = 'example.com';
const START = Date.parse('2026-11-15T00:00:00Z');

function report(day: number, rows: readonly Partial<ReportRow>[]): AggregateReport {
  const begin = START / 1_000 + day * 86_400;
  return {
    reporter: 'google.com',
    reporterEmail: 'noreply-dmarc-support@google.com',
    reportId: `${day}`,
    domain: OWN,
    begin,
    end: begin + 86_399,
    policy: { p: 'none', sp: '', np: '', adkim: '', aspf: '', pct: '', testing: '' },
    rows: rows.map((row) => ({
      address: '192.0.2.1',
      count: 100,
      disposition: 'none',
      spfPassed: true,
      dkimPassed: false,
      reasons: [],
      headerFrom: OWN,
      envelopeFrom: OWN,
      spf: [{ domain: OWN, scope: 'mfrom', result: 'pass' }],
      dkim: [],
      ...row,
    })),
  };
}

const onSqlite = testEngines();
testOnPostgres();

for (const engine of [...onSqlite, ...testEngines()])
  test(`events of reports on ${engine.name}: a server that fails on two days opens an event, and a week of passes ends it`, {
    skip: engine.skip,
  }, async () => {
    const storage = await openTestStorage(await engine.newLocation());
    const dns = await startScriptedDnsServer(
      {
        [OWN]: { TXT: ['v=spf1 ip4:192.0.2.0/28 -all'], MX: [[10, `mx.${OWN}`]] },
        [`mx.${OWN}`]: { A: ['192.0.2.1'] },
        [`_dmarc.${OWN}`]: { TXT: [`v=DMARC1; p=none; rua=mailto:d@${OWN}`] },
      },
      { ttl: 0, soa: { ttl: 0, minimum: 0 } },
    );
    const emailChecks = new EmailChecks([dns.address]);
    let nowMs = START;
    const senders = new Senders(
      storage.reports,
      () => nowMs,
      (domain, resolving) => emailChecks.dnsClient().forCheck(domain, resolving),
    );
    const checks = new WatchChecks({
      store: storage.watch,
      check: (domain, request) =>
        emailChecks.check(domain, { ...request, fairnessKey: 'test', selectors: undefined }),
      reports: reportReview(
        {
          selectors: (domain) => senders.selectors(domain),
          hasReports: (domain) => senders.hasReports(domain),
          history: (domain, zone, requester) => senders.history(domain, zone, undefined, requester),
        },
        new TlsReports(storage.tlsReports, () => nowMs),
        'test',
      ),
      mayRun: () => true,
      nowMs: () => nowMs,
      release: '1',
      log: openLog('fatal').logger,
    });
    const failing = { spfPassed: false, spf: [] };
    const log: string[] = [];
    try {
      await storage.watch.add([OWN], { tags: '', by: 'test' }, new Date(nowMs));
      for (let day = -30; day < 11; day++) {
        const isBad = day === 2 || day === 3;
        const rows = isBad ? [{ count: 50 }, { ...failing, count: 50 }] : [{}];
        const arrival = { arrived: 'file', arrivedFrom: '', digest: `${day}` } as const;
        const prepared = prepareReport(report(day, rows), arrival, nowMs + 99 * DAY_MS);
        await storage.reports.add([prepared], nowMs);
        if (day < 1) continue;
        nowMs = START + (day + 1) * DAY_MS;
        await storage.watch.makeDue([OWN], new Date(nowMs));
        await checks.run();
        const all = { allowed: undefined, mayReadReports: true, limit: 100 };
        const known = await storage.watch.events({ ...all, domain: OWN });
        for (const event of known.filter(({ source }) => source === 'reports')) {
          const { code, subject, firstSeenAt, resolvedAt } = event;
          const dayOf = (at: Date) => (at.getTime() - START) / DAY_MS - 1;
          if (firstSeenAt.getTime() === nowMs)
            log.push(`${dayOf(firstSeenAt)} opened ${code} ${subject}`.trim());
          if (resolvedAt?.getTime() === nowMs) log.push(`${dayOf(resolvedAt)} resolved ${code}`);
        }
        const shown = await storage.watch.events({ ...all, mayReadReports: false });
        assert.ok(shown.every(({ source }) => source !== 'reports'));
      }
    } finally {
      emailChecks.close();
      await dns.close();
      await storage.close();
      await engine.close();
    }
    assert.deepEqual(log.sort(), [
      '10 resolved sender_failing',
      '3 opened sender_failing own servers/192.0.2.1',
    ]);
  });
