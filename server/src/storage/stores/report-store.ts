/**
 * Aggregate reports in storage, and what people decided about senders. A report is stored whole or
 * not at all.
 */

import type { ReportShape, SeenReporter, SeenWindow, SenderDecision } from '@whence/email/reports';
import { isLargeReceiver } from '@whence/email/reports/large-receivers';
import { sql } from 'kysely';
import { DAY_MS, dayNumber, dayOfMs } from '../../day.ts';
import type { Engine } from '../engine.ts';
import { domainIdOf, type PreparedReport } from '../prepared-report.ts';
import type { Db } from '../schema.ts';
import { addReport, hasReport } from './add-report.ts';
import { POSTGRES, SQLITE } from './json-rows.ts';
import {
  type AddedState,
  moveGeneration,
  nameDomain,
  readGeneration,
  readUnproven,
} from './reported-domain.ts';

/**
 * Rows of a statement: the event loop gets no more at a time than it passes on in a millisecond.
 */
const ROWS_AT_ONCE = 30_000;
const REPORTS_AT_ONCE = 500;
/** Rows from elsewhere that are kept of a day of a domain. */
const MAX_OTHER_ROWS = 20_000;
/** Reporters of a domain that are watched for silence. */
const MAX_REPORTERS = 500;
/** Removed at once: tens of milliseconds on the writer. */
const PRUNED_ROWS = 20_000;

export type StoredDecision = {
  readonly service: string;
  readonly decision: SenderDecision;
  readonly at: Date;
  readonly by: string;
};
export type ReportedDomain = {
  readonly domain: string;
  readonly reports: number;
  readonly messages: number;
  /** By aligned SPF or DKIM, as reporters evaluated them. */
  readonly passed: number;
  readonly firstDay: string;
  readonly lastDay: string;
};
/** `messages`: of all reports that are kept. */
export type CountedShape = ReportShape & { readonly messages: number };
/**
 * Lines `shape address messages` of a report, or `shape network messages listed addresses` of a
 * day.
 */
export type RowLines =
  | {
      readonly kind: 'report';
      readonly day: string;
      readonly reporter: string;
      readonly isListed: boolean;
      readonly lines: string;
    }
  | { readonly kind: 'sums'; readonly day: string; readonly lines: string };

export function reportStore({ db, statisticsReads: reads, name: engine }: Engine) {
  const words = engine === 'PostgreSQL' ? POSTGRES : SQLITE;
  const shapesSince = async (domain: string, fromDay: string) => {
    const rows = await reads
      .selectFrom('report_shapes')
      .selectAll()
      .where('domain_id', '=', domainIdOf(domain))
      .where('last_day', '>=', dayNumber(fromDay))
      .orderBy('messages', 'desc')
      .execute();
    return rows.map((row): readonly [number, CountedShape] => [
      row.id,
      {
        messages: Number(row.messages),
        disposition: row.disposition,
        spfPassed: row.spf_passed === 1,
        dkimPassed: row.dkim_passed === 1,
        headerFrom: row.header_from,
        envelopeFrom: row.envelope_from,
        // Written by `prepareReport`.
        spf: JSON.parse(row.spf) as ReportShape['spf'],
        dkim: JSON.parse(row.dkim) as ReportShape['dkim'],
        reasons: JSON.parse(row.reasons) as ReportShape['reasons'],
      },
    ]);
  };
  return {
    /** In one transaction. `nowMs` is when they are imported. */
    add: (reports: readonly PreparedReport[], nowMs: number): Promise<AddedState[]> =>
      db.transaction().execute(async (transaction) => {
        const states: AddedState[] = [];
        for (const report of reports)
          states.push(await addReport(transaction, report, nowMs, words));
        return states;
      }),

    has: ({ id }: Pick<PreparedReport, 'id'>): Promise<boolean> => hasReport(db, id),

    /** How many rows from elsewhere are still kept of this day. */
    async roomForOthers({ domainId, day }: Pick<PreparedReport, 'domainId' | 'day'>) {
      const row = await db
        .selectFrom('report_days')
        .select('other_rows')
        .where('domain_id', '=', domainId)
        .where('day', '=', day)
        .executeTakeFirst();
      return Math.max(0, MAX_OTHER_ROWS - (row?.other_rows ?? 0));
    },

    /** Those of these addresses from which mail of the domain passed, or was signed. */
    async knownSources(domainId: number, addresses: readonly string[]): Promise<string[]> {
      const { rows } = await sql<{ address: string }>`
        select address from report_sources where domain_id = ${domainId}
          and address in (select ${words.text} from ${words.each(JSON.stringify(addresses))})`.execute(
        db,
      );
      return rows.map(({ address }) => address);
    },

    /**
     * What proven and usable reports say about a domain, from one day to another, both included.
     */
    async window(domain: string, fromDay: string, toDay: string): Promise<SeenWindow> {
      const domainId = domainIdOf(domain);
      const from = dayNumber(fromDay);
      const to = dayNumber(toDay);
      const generation = await readGeneration(reads, domain);
      const groups = await reads
        .selectFrom('reports')
        .where('domain_id', '=', domainId)
        .where('day', '>=', from)
        .where('day', '<=', to)
        .groupBy(['reporter', 'reporter_email', 'usable'])
        .select(['reporter', 'reporter_email', 'usable'])
        .select((eb) => [
          eb.fn.countAll<number>().as('reports'),
          eb.fn.sum<number>('messages').as('messages'),
          eb.fn.sum<number>('conflicts').as('conflicting'),
          eb.fn.min('day').as('first_day'),
          eb.fn.max('day').as('last_day'),
        ])
        .orderBy('reporter')
        .execute();
      const days = await reads
        .selectFrom('report_days')
        .select(['day', 'messages', 'passed'])
        .where('domain_id', '=', domainId)
        .where('day', '>=', from)
        .where('day', '<=', to)
        .orderBy('day')
        .execute();
      const unproven = await readUnproven(reads, { kind: 'dmarc', domainId, from, to });
      const used = groups.filter(({ usable }) => usable === 1);
      const sum = (rows: typeof groups, column: 'reports' | 'messages' | 'conflicting') =>
        rows.reduce((total, row) => total + Number(row[column]), 0);
      return {
        generation,
        reports: sum(used, 'reports'),
        reporters: used.map(
          (row): SeenReporter => ({
            name: row.reporter,
            email: row.reporter_email,
            reports: Number(row.reports),
            messages: Number(row.messages),
            firstDay: dayText(row.first_day),
            lastDay: dayText(row.last_day),
          }),
        ),
        unproven,
        unusable: sum(
          groups.filter(({ usable }) => usable === 0),
          'reports',
        ),
        conflicting: sum(used, 'conflicting'),
        days: days.map(({ day, messages, passed }) => ({
          day: dayText(day),
          messages: Number(messages),
          passed: Number(passed),
        })),
      };
    },

    /**
     * Reporters since a day: the last day of their reports, and on how many days up to `regularTo`
     * there are some. Those with most of these days, up to a limit: anyone can send reports.
     */
    async reporterDays(domain: string, fromDay: string, regularTo: string) {
      const { rows } = await sql<{ reporter: string; last_day: number; regular: number }>`
        select reporter, max(day) as last_day,
          count(distinct case when day <= ${dayNumber(regularTo)} then day end) as regular
        from reports where domain_id = ${domainIdOf(domain)} and day >= ${dayNumber(fromDay)}
          and usable = 1
        group by reporter order by regular desc, reporter limit ${MAX_REPORTERS}`.execute(reads);
      return rows.map(({ reporter, last_day, regular }) => ({
        name: reporter,
        lastDay: dayText(last_day),
        regularDays: Number(regular),
      }));
    },

    /** Shapes by their id, those with the most messages first. */
    shapes: async (domain: string, fromDay: string): Promise<ReadonlyMap<number, CountedShape>> =>
      new Map(await shapesSince(domain, fromDay)),

    /** Addresses from which mail of the domain has come. */
    async sources(domain: string): Promise<string[]> {
      const rows = await reads
        .selectFrom('report_sources')
        .select('address')
        .where('domain_id', '=', domainIdOf(domain))
        .execute();
      return rows.map(({ address }) => address);
    },

    /** The rows of usable reports, in the order of days. */
    async *rows(domain: string, fromDay: string, toDay: string): AsyncGenerator<RowLines[]> {
      const domainId = domainIdOf(domain);
      const from = dayNumber(fromDay);
      const to = dayNumber(toDay);
      const reports = await reads
        .selectFrom('reports')
        .select(['id', 'day', 'reporter', 'reporter_email', 'row_count'])
        .where('domain_id', '=', domainId)
        .where('day', '>=', from)
        .where('day', '<=', to)
        .where('usable', '=', 1)
        .orderBy('day')
        .execute();
      for (const batch of batchesOf(reports)) {
        const { rows } = await sql<{ report: number; lines: string }>`
          select report, ${words.lines(sql`shape || ' ' || address || ' ' || messages`)} as lines
          from report_rows where report in (${sql.join(batch.map(({ id }) => id))}) group by report`.execute(
          reads,
        );
        const linesOf = new Map(rows.map(({ report, lines }) => [report, lines]));
        yield batch.map(({ id, day, reporter, reporter_email: email }) => {
          const isListed = isLargeReceiver({ name: reporter, email });
          const lines = linesOf.get(id) ?? '';
          return { kind: 'report' as const, day: dayText(day), reporter, isListed, lines };
        });
      }
      for (let day = from; day <= to; day++) {
        const { rows } = await sql<{ lines: string | null }>`
          select ${words.lines(sql`shape || ' ' || network || ' ' || messages || ' ' || listed_messages || ' ' || addresses`)} as lines
          from report_sums where domain_id = ${domainId} and day = ${day}`.execute(reads);
        const lines = rows[0]?.lines;
        if (typeof lines === 'string') yield [{ kind: 'sums', day: dayText(day), lines }];
      }
    },

    /** Changes with every import and every decision for the domain; 0 if there was none. */
    generation: (domain: string): Promise<number> => readGeneration(reads, domain),

    async decisions(domain: string): Promise<StoredDecision[]> {
      const rows = await reads
        .selectFrom('sender_decisions')
        .select(['service', 'decision', 'decided_at', 'decided_by'])
        .where('domain_id', '=', domainIdOf(domain))
        .orderBy('service')
        .execute();
      return rows.map(({ service, decision, decided_at, decided_by }) => ({
        service,
        decision: decision as SenderDecision,
        at: new Date(decided_at),
        by: decided_by,
      }));
    },

    /** Undefined takes a decision back. */
    decide: (
      domain: string,
      service: string,
      decision: SenderDecision | undefined,
      by: string,
      at: Date,
    ) =>
      db.transaction().execute(async (transaction) => {
        const key = { domain_id: domainIdOf(domain), service };
        const row = { decision: decision ?? '', decided_at: at.getTime(), decided_by: by };
        await nameDomain(transaction, domain, at.getTime());
        if (decision === undefined)
          await transaction
            .deleteFrom('sender_decisions')
            .where('domain_id', '=', key.domain_id)
            .where('service', '=', service)
            .execute();
        else
          await transaction
            .insertInto('sender_decisions')
            .values({ ...key, ...row })
            .onConflict((conflict) => conflict.columns(['domain_id', 'service']).doUpdateSet(row))
            .execute();
        await moveGeneration(transaction, key.domain_id);
      }),

    /** Those with proven and usable reports from one day to another, by name. */
    async domains(fromDay: string, toDay: string): Promise<ReportedDomain[]> {
      const rows = await reads
        .selectFrom('report_days')
        .innerJoin('report_domains', 'report_domains.id', 'report_days.domain_id')
        .where('day', '>=', dayNumber(fromDay))
        .where('day', '<=', dayNumber(toDay))
        .groupBy('domain')
        .select('domain')
        .select((eb) => [
          eb.fn.sum<number>('reports').as('reports'),
          eb.fn.sum<number>('messages').as('messages'),
          eb.fn.sum<number>('passed').as('passed'),
          eb.fn.min('day').as('first_day'),
          eb.fn.max('day').as('last_day'),
        ])
        .orderBy('domain')
        .execute();
      return rows.map(({ domain, reports, messages, passed, first_day, last_day }) => ({
        domain,
        reports: Number(reports),
        messages: Number(messages),
        passed: Number(passed),
        firstDay: dayText(first_day),
        lastDay: dayText(last_day),
      }));
    },

    /**
     * Removes reports of days before this one with all that belongs to them, `limit` at most, and
     * returns how many.
     */
    prune: (beforeDay: string, limit: number): Promise<number> =>
      db.transaction().execute((transaction) => prune(transaction, dayNumber(beforeDay), limit)),
  };
}

export type ReportStore = ReturnType<typeof reportStore>;

async function prune(db: Db, before: number, limit: number): Promise<number> {
  const old = await db
    .selectFrom('reports')
    .select(['id', 'row_count'])
    .where('day', '<', before)
    .orderBy('day')
    .limit(Math.min(limit, REPORTS_AT_ONCE))
    .execute();
  const [ids = []] = [...batchesOf(old, PRUNED_ROWS)].map((batch) => batch.map(({ id }) => id));
  if (ids.length > 0) {
    await db.deleteFrom('report_rows').where('report', 'in', ids).execute();
    await db.deleteFrom('reports').where('id', 'in', ids).execute();
    return ids.length;
  }
  await db.deleteFrom('report_sums').where('day', '<', before).execute();
  await db.deleteFrom('report_days').where('day', '<', before).execute();
  await db.deleteFrom('report_sources').where('last_day', '<', before).execute();
  await db.deleteFrom('report_shapes').where('last_day', '<', before).execute();
  await db.deleteFrom('unproven_reports').where('day', '<', before).execute();
  const isUnused = sql<boolean>`id not in (select domain_id from reports)
    and id not in (select domain_id from sender_decisions)
    and id not in (select domain_id from tls_reports)
    and id not in (select domain_id from unproven_reports)`;
  await db.deleteFrom('report_domains').where(isUnused).execute();
  return 0;
}

/** As many reports as have `most` rows, or one. */
function* batchesOf<Report extends { readonly row_count: number }>(
  reports: readonly Report[],
  most = ROWS_AT_ONCE,
): Generator<Report[]> {
  let batch: Report[] = [];
  let rows = 0;
  for (const report of reports) {
    if (batch.length > 0 && (rows + report.row_count > most || batch.length === REPORTS_AT_ONCE)) {
      yield batch;
      batch = [];
      rows = 0;
    }
    batch.push(report);
    rows += report.row_count;
  }
  if (batch.length > 0) yield batch;
}

const dayText = (day: number) => dayOfMs(day * DAY_MS);
