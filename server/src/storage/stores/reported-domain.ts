/** What aggregate and TLS reports have in common in storage: their domain, and those not proven. */
import type { SeenWindow, UnprovenReason } from '@whence/email/reports';
import type { NotReadCode } from '@whence/email/reports/not-read';
import { DAY_MS } from '../../day.ts';
import { domainIdOf } from '../prepared-report.ts';
import type { Db } from '../schema.ts';

/** Unproven reports of a domain and kind that are kept of a day. */
const MAX_UNPROVEN = 1_000;

/** `not_kept`: there are too many of its domain today. */
export type AddedState = 'read' | 'repeated' | 'not_kept';

/** Proven DMARC reports are always kept; proven TLS reports have a limit (`tls-report-store`). */
export function notKeptCode(report: { readonly unproven?: unknown } | undefined): NotReadCode {
  return report?.unproven === undefined ? 'too_many_tls' : 'too_many_unproven';
}

type UnprovenReport = {
  readonly kind: 'dmarc' | 'tls';
  readonly reason: string;
  readonly id: number;
  readonly domain: string;
  readonly domainId: number;
  readonly day: number;
  readonly reporter: string;
  readonly beginMs: number;
  readonly endMs: number;
  readonly rowCount: number;
  readonly messages: number;
};

type UnprovenQuestion = Pick<UnprovenReport, 'kind' | 'domainId'> & {
  readonly from: number;
  readonly to: number;
};

/** Without rows: anyone can mail a report. */
export async function addUnproven(
  db: Db,
  report: UnprovenReport,
  nowMs: number,
): Promise<AddedState> {
  const { id, kind, domain, domainId } = report;
  const known = await db
    .selectFrom('unproven_reports')
    .select('id')
    .where('id', '=', id)
    .executeTakeFirst();
  if (known !== undefined) return 'repeated';
  await nameDomain(db, domain, nowMs);
  await moveGeneration(db, domainId);
  const { today } = await db
    .selectFrom('unproven_reports')
    .select((eb) => eb.fn.countAll<number>().as('today'))
    .where('domain_id', '=', domainId)
    .where('kind', '=', kind)
    .where('imported_at', '>', nowMs - DAY_MS)
    .executeTakeFirstOrThrow();
  if (Number(today) >= MAX_UNPROVEN) return 'not_kept';
  const inserted = await db
    .insertInto('unproven_reports')
    .values({
      id,
      kind,
      domain_id: domainId,
      day: report.day,
      reporter: report.reporter,
      begin_at: report.beginMs,
      end_at: report.endMs,
      row_count: report.rowCount,
      messages: report.messages,
      reason: report.reason,
      imported_at: nowMs,
    })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returning('id')
    .executeTakeFirst();
  return inserted === undefined ? 'repeated' : 'read';
}

/** Why reports from one day to another, both included, are unproven. */
export async function readUnproven(
  db: Db,
  { kind, domainId, from, to }: UnprovenQuestion,
): Promise<SeenWindow['unproven']> {
  const rows = await db
    .selectFrom('unproven_reports')
    .where('kind', '=', kind)
    .where('domain_id', '=', domainId)
    .where('day', '>=', from)
    .where('day', '<=', to)
    .groupBy('reason')
    .select('reason')
    .select((eb) => eb.fn.countAll<number>().as('reports'))
    .orderBy('reports', 'desc')
    .execute();
  // Written by `addUnproven`.
  return rows.map(({ reason, reports }) => ({
    reason: reason as UnprovenReason,
    reports: Number(reports),
  }));
}

/** Begins with the time: a domain that was removed and comes again has other generations. */
export async function nameDomain(db: Db, domain: string, nowMs: number): Promise<void> {
  await db
    .insertInto('report_domains')
    .values({ id: domainIdOf(domain), domain, generation: nowMs })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
}

export async function moveGeneration(db: Db, domainId: number): Promise<void> {
  await db
    .updateTable('report_domains')
    .set((eb) => ({ generation: eb('generation', '+', 1) }))
    .where('id', '=', domainId)
    .execute();
}

export async function readGeneration(db: Db, domain: string): Promise<number> {
  const row = await db
    .selectFrom('report_domains')
    .select('generation')
    .where('id', '=', domainIdOf(domain))
    .executeTakeFirst();
  return row?.generation ?? 0;
}
