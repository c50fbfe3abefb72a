/** TLS reports in storage: sums per reporter, day, policy, host and result. */

import { isLargeReceiver } from '@whence/email/reports/large-receivers';
import type { TlsPolicyType, TlsResult } from '@whence/email/reports/tls';
import type { SeenTls } from '@whence/email/reports/tls-verdict';
import { DAY_MS, dayNumber, dayOfMs } from '../../day.ts';
import type { Engine } from '../engine.ts';
import { domainIdOf } from '../prepared-report.ts';
import type { PreparedTlsReport } from '../prepared-tls-report.ts';
import type { Db } from '../schema.ts';
import { type AddedState, addUnproven, nameDomain, readUnproven } from './reported-domain.ts';

/**
 * Sums of a day of a domain. Beyond them only large receivers are kept, who have few: anyone with a
 * domain can send proven reports.
 */
const MAX_SUMS = 5_000;
/** Sums of one answer. Ninety days of all large receivers and a hundred others have a tenth. */
const MAX_READ = 50_000;

export type TlsReportedDomain = {
  readonly domain: string;
  readonly reports: number;
  readonly firstDay: string;
  readonly lastDay: string;
};

export function tlsReportStore({ db, statisticsReads: reads }: Engine) {
  return {
    /** In one transaction. `nowMs` is when they are imported. */
    add: (reports: readonly PreparedTlsReport[], nowMs: number): Promise<AddedState[]> =>
      db.transaction().execute(async (transaction) => {
        const states: AddedState[] = [];
        for (const report of reports) states.push(await add(transaction, report, nowMs));
        return states;
      }),

    /** What proven and usable reports say, from one day to another, both included. */
    async window(domain: string, fromDay: string, toDay: string): Promise<SeenTls> {
      const domainId = domainIdOf(domain);
      const [from, to] = [dayNumber(fromDay), dayNumber(toDay)];
      const reports = await reads
        .selectFrom('tls_reports')
        .where('domain_id', '=', domainId)
        .where('day', '>=', from)
        .where('day', '<=', to)
        .groupBy('usable')
        .select('usable')
        .select((eb) => eb.fn.countAll<number>().as('reports'))
        .execute();
      const unproven = await readUnproven(reads, { kind: 'tls', domainId, from, to });
      const sums = await reads
        .selectFrom('tls_sums')
        .select(['day', 'reporter', 'policy', 'host', 'result', 'sessions'])
        .where('domain_id', '=', domainId)
        .where('day', '>=', from)
        .where('day', '<=', to)
        .orderBy('day', 'desc')
        .orderBy('sessions', 'desc')
        .limit(MAX_READ)
        .execute();
      const countOf = (usable: number) =>
        Number(reports.find((row) => row.usable === usable)?.reports ?? 0);
      return {
        reports: countOf(1),
        unusable: countOf(0),
        unproven,
        // Written by `addSums`.
        sums: sums.map(({ day, policy, result, sessions, ...rest }) => ({
          ...rest,
          day: dayOfMs(day * DAY_MS),
          policy: policy as TlsPolicyType,
          result: result as TlsResult,
          sessions: Number(sessions),
        })),
      };
    },

    /** Those with proven and usable reports from one day to another, by name. */
    async domains(fromDay: string, toDay: string): Promise<TlsReportedDomain[]> {
      const rows = await reads
        .selectFrom('tls_reports')
        .innerJoin('report_domains', 'report_domains.id', 'tls_reports.domain_id')
        .where('usable', '=', 1)
        .where('day', '>=', dayNumber(fromDay))
        .where('day', '<=', dayNumber(toDay))
        .groupBy('domain')
        .select('domain')
        .select((eb) => [
          eb.fn.countAll<number>().as('reports'),
          eb.fn.min('day').as('first_day'),
          eb.fn.max('day').as('last_day'),
        ])
        .orderBy('domain')
        .execute();
      return rows.map(({ domain, reports, first_day, last_day }) => ({
        domain,
        reports: Number(reports),
        firstDay: dayOfMs(first_day * DAY_MS),
        lastDay: dayOfMs(last_day * DAY_MS),
      }));
    },

    /** Removes those of days before this one, `limit` at most, and returns how many. */
    prune: (beforeDay: string, limit: number): Promise<number> =>
      db.transaction().execute((transaction) => prune(transaction, dayNumber(beforeDay), limit)),
  };
}

export type TlsReportStore = ReturnType<typeof tlsReportStore>;

async function add(db: Db, report: PreparedTlsReport, nowMs: number): Promise<AddedState> {
  const { id, domain, domainId, day, unproven } = report;
  const known = await db
    .selectFrom('tls_reports')
    .select('id')
    .where('id', '=', id)
    .executeTakeFirst();
  if (known !== undefined) return 'repeated';
  if (unproven !== undefined) {
    const { rowCount, sessions: messages } = report;
    return addUnproven(db, { ...report, kind: 'tls', reason: unproven, rowCount, messages }, nowMs);
  }
  if (report.isUsable && !isLargeReceiver({ name: report.reporterDomain, email: '' })) {
    const { sums } = await db
      .selectFrom('tls_sums')
      .select((eb) => eb.fn.countAll<number>().as('sums'))
      .where('domain_id', '=', domainId)
      .where('day', '=', day)
      .executeTakeFirstOrThrow();
    if (Number(sums) + report.rowCount > MAX_SUMS) return 'not_kept';
  }
  await nameDomain(db, domain, nowMs);
  await db.deleteFrom('unproven_reports').where('id', '=', id).execute();
  const inserted = await db
    .insertInto('tls_reports')
    .values({
      id,
      domain_id: domainId,
      day,
      reporter: report.reporter,
      reporter_email: report.reporterEmail,
      report_id: report.reportId,
      begin_at: report.beginMs,
      end_at: report.endMs,
      sessions: report.sessions,
      digest: report.digest,
      arrived: report.arrived,
      arrived_from: report.arrivedFrom,
      imported_at: nowMs,
      usable: report.isUsable ? 1 : 0,
    })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returning('id')
    .executeTakeFirst();
  if (inserted === undefined) return 'repeated';
  if (report.isUsable) await addSums(db, report);
  return 'read';
}

/**
 * In the order of the key, so that processes that add the same rows do not wait for each other in
 * turn.
 */
async function addSums(db: Db, { domainId, day, reporterDomain, sums }: PreparedTlsReport) {
  const rows = sums
    .map((sum) => ({ domain_id: domainId, day, reporter: reporterDomain, ...sum }))
    .map((row) => ({ row, key: `${row.policy} ${row.host} ${row.result}` }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ row }) => row);
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE)
    await db
      .insertInto('tls_sums')
      .values(rows.slice(at, at + ROWS_AT_ONCE))
      .onConflict((conflict) =>
        conflict
          .columns(['domain_id', 'day', 'reporter', 'policy', 'host', 'result'])
          .doUpdateSet((eb) => ({
            sessions: eb('tls_sums.sessions', '+', eb.ref('excluded.sessions')),
          })),
      )
      .execute();
}

/** Parameters of a statement: seven each. */
const ROWS_AT_ONCE = 500;

async function prune(db: Db, before: number, limit: number): Promise<number> {
  const old = await db
    .selectFrom('tls_reports')
    .select('id')
    .where('day', '<', before)
    .orderBy('day')
    .limit(limit)
    .execute();
  const ids = old.map(({ id }) => id);
  if (ids.length > 0) await db.deleteFrom('tls_reports').where('id', 'in', ids).execute();
  else await db.deleteFrom('tls_sums').where('day', '<', before).execute();
  return ids.length;
}
