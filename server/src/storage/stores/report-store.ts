/** Aggregate reports in storage, and what people decided about senders. A report is stored whole or not at all. */
import type { WindowRows } from '@whence/email/internal/reports/group-rows';
import type { SeenReporter, SeenWindow, SenderDecision } from '@whence/email/internal/reports/report';
import type { RawBuilder } from 'kysely';
import type { Engine } from '../engine.ts';
import { sql } from '../kysely.ts';
import { decodeShape, domainIdOf, type PreparedReport } from '../prepared-report.ts';
import { toRow } from '../rows.ts';
import type { Db } from '../schema.ts';

const DAY_MS = 86_400_000;
/** Days of a statement: the event loop gets no more at a time than it reads in some milliseconds. */
const DAYS_AT_ONCE = 2;

export type AddedState = 'read' | 'repeated';
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

export function reportStore({ db, statisticsReads: reads, name: engine }: Engine) {
  const eachShape = engine === 'PostgreSQL' ? postgresEach : sqliteEach;
  return {
    /** In one transaction. `nowMs` is when they are imported. */
    add: (reports: readonly PreparedReport[], nowMs: number): Promise<AddedState[]> =>
      db.transaction().execute(async (transaction) => {
        const states: AddedState[] = [];
        for (const report of reports) states.push(await add(transaction, report, nowMs, eachShape));
        return states;
      }),

    /** What proven and usable reports say about a domain, from one day to another, both included. */
    async window(domain: string, fromDay: string, toDay: string): Promise<SeenWindow> {
      const domainId = domainIdOf(domain);
      const [from, to] = [dayNumber(fromDay), dayNumber(toDay)];
      const generation = await readGeneration(reads, domain);
      const inWindow = reads
        .selectFrom('reports')
        .where('domain_id', '=', domainId)
        .where('day', '>=', from)
        .where('day', '<=', to);
      const groups = await inWindow
        .groupBy(['reporter', 'reporter_email', 'proven', 'usable'])
        .select(['reporter', 'reporter_email', 'proven', 'usable'])
        .select((eb) => [
          eb.fn.countAll<number>().as('reports'),
          eb.fn.sum<number>('messages').as('messages'),
          eb.fn.sum<number>('conflicts').as('conflicting'),
          eb.fn.min('day').as('first_day'),
          eb.fn.max('day').as('last_day'),
        ])
        .orderBy('reporter')
        .execute();
      const days = await inWindow
        .where('proven', '=', 1)
        .where('usable', '=', 1)
        .groupBy('day')
        .select('day')
        .select((eb) => eb.fn.sum<number>('messages').as('messages'))
        .orderBy('day')
        .execute();
      const used = groups.filter(({ proven, usable }) => proven === 1 && usable === 1);
      const unproven = groups.filter(({ proven }) => proven === 0);
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
        unproven: { reports: sum(unproven, 'reports'), messages: sum(unproven, 'messages') },
        unusable: sum(
          groups.filter(({ proven, usable }) => proven === 1 && usable === 0),
          'reports',
        ),
        conflicting: sum(used, 'conflicting'),
        days: days.map(({ day, messages }) => ({ day: dayText(day), messages: Number(messages) })),
      };
    },

    /** The rows of those reports. */
    async rows(domain: string, fromDay: string, toDay: string): Promise<WindowRows> {
      const domainId = domainIdOf(domain);
      const [from, to] = [dayNumber(fromDay), dayNumber(toDay)];
      const pages: WindowRows['pages'][number][] = [];
      for (let day = from; day <= to; day += DAYS_AT_ONCE) {
        const found = await reads
          .selectFrom('reports')
          .innerJoin('report_pages', 'report_pages.report', 'reports.id')
          .select(['day', 'reporter', 'content'])
          .where('domain_id', '=', domainId)
          .where('day', '>=', day)
          .where('day', '<=', Math.min(to, day + DAYS_AT_ONCE - 1))
          .where('proven', '=', 1)
          .where('usable', '=', 1)
          .execute();
        for (const { day: on, reporter, content } of found)
          pages.push({ day: dayText(on), reporter, bytes: Buffer.from(content, 'base64') });
      }
      const shapes = await reads
        .selectFrom('report_shapes')
        .select(['id', 'content'])
        .where('domain_id', '=', domainId)
        .where('last_day', '>=', from)
        .execute();
      return {
        from: fromDay,
        to: toDay,
        pages,
        shapes: new Map(shapes.map(({ id, content }) => [id, decodeShape(content)])),
      };
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
    decide: (domain: string, service: string, decision: SenderDecision | undefined, by: string, at: Date) =>
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

    /** Those with proven and usable reports, by name. */
    async domains(): Promise<ReportedDomain[]> {
      const rows = await reads
        .selectFrom('reports')
        .innerJoin('report_domains', 'report_domains.id', 'reports.domain_id')
        .where('proven', '=', 1)
        .where('usable', '=', 1)
        .groupBy('domain')
        .select('domain')
        .select((eb) => [
          eb.fn.countAll<number>().as('reports'),
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

    /** Removes rows and reports of days before this one, about `limit` at most, and returns how many. */
    prune: (beforeDay: string, limit: number): Promise<number> => prune(db, dayNumber(beforeDay), limit),
  };
}

export type ReportStore = ReturnType<typeof reportStore>;

async function add(db: Db, report: PreparedReport, nowMs: number, eachShape: JsonRows): Promise<AddedState> {
  const { domain, shapes, pages, beginMs, endMs, isProven, isUsable, ...columns } = report;
  const { id, domainId, day } = columns;
  const known = await db.selectFrom('reports').select('proven').where('id', '=', id).executeTakeFirst();
  if (known !== undefined && known.proven >= (isProven ? 1 : 0)) return 'repeated';
  await nameDomain(db, domain, nowMs);
  // Also a lock: reports of a domain are added one after the other, and those with the same key see each other.
  await moveGeneration(db, domainId);
  const times = { beginAt: new Date(beginMs), endAt: new Date(endMs), importedAt: new Date(nowMs) };
  const states = { proven: isProven ? 1 : 0, usable: isUsable ? 1 : 0, conflicts: 0 };
  const inserted = await db
    .insertInto('reports')
    .values(toRow<'reports'>({ ...columns, ...times, ...states }))
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returning('id')
    .executeTakeFirst();
  if (inserted === undefined) {
    if (isProven) await db.updateTable('reports').set({ proven: 1 }).where('id', '=', id).execute();
    return 'repeated';
  }
  for (const [number, content] of pages.entries())
    await db.insertInto('report_pages').values({ report: id, number, content }).execute();
  await flagConflicts(db, report);
  await sql`
    insert into report_shapes (domain_id, id, content, last_day)
    select ${typed(domainId)}, cast(value ->> 0 as bigint), value ->> 1, ${typed(day)} from ${eachShape(shapes)} where true
    on conflict (domain_id, id) do update set last_day = excluded.last_day
      where report_shapes.last_day < excluded.last_day`.execute(db);
  return 'read';
}

/** Anyone can mail a report: one that is not proven does not flag those that are. */
async function flagConflicts(db: Db, { id, keyId, isProven }: PreparedReport): Promise<void> {
  const others = await db
    .selectFrom('reports')
    .select(['id', 'proven'])
    .where('key_id', '=', keyId)
    .where('id', '<>', id)
    .execute();
  if (others.length === 0) return;
  const flagged = others.filter(({ proven }) => isProven || proven === 0).map((other) => other.id);
  const isFlagged = !isProven || others.some(({ proven }) => proven === 1);
  await db
    .updateTable('reports')
    .set({ conflicts: 1 })
    .where('id', 'in', [...flagged, ...(isFlagged ? [id] : [])])
    .execute();
}

/** Begins with the time: a domain that was removed and comes again has other generations. */
async function nameDomain(db: Db, domain: string, nowMs: number): Promise<void> {
  await db
    .insertInto('report_domains')
    .values({ id: domainIdOf(domain), domain, generation: nowMs })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
}

async function moveGeneration(db: Db, domainId: number): Promise<void> {
  await db
    .updateTable('report_domains')
    .set((eb) => ({ generation: eb('generation', '+', 1) }))
    .where('id', '=', domainId)
    .execute();
}

async function readGeneration(db: Db, domain: string): Promise<number> {
  const row = await db
    .selectFrom('report_domains')
    .select('generation')
    .where('id', '=', domainIdOf(domain))
    .executeTakeFirst();
  return row?.generation ?? 0;
}

async function prune(db: Db, before: number, limit: number): Promise<number> {
  const old = await db.selectFrom('reports').select('id').where('day', '<', before).limit(limit).execute();
  const ids = old.map(({ id }) => id);
  if (ids.length > 0) {
    await db.deleteFrom('report_pages').where('report', 'in', ids).execute();
    await db.deleteFrom('reports').where('id', 'in', ids).execute();
  }
  if (ids.length < limit) {
    await db.deleteFrom('report_shapes').where('last_day', '<', before).execute();
    const isUnused = sql<boolean>`id not in (select domain_id from reports) and id not in (select domain_id from sender_decisions)`;
    await db.deleteFrom('report_domains').where(isUnused).execute();
  }
  return ids.length;
}

type JsonRows = (text: string) => RawBuilder<unknown>;
const sqliteEach: JsonRows = (text) => sql`json_each(${text})`;
const postgresEach: JsonRows = (text) => sql`json_array_elements(cast(${text} as json)) as shape (value)`;

/** PostgreSQL would take an untyped parameter of a selection for text. */
const typed = (value: number) => sql`cast(${value} as bigint)`;
const dayNumber = (day: string) => Math.floor(Date.parse(`${day}T00:00:00Z`) / DAY_MS);
const dayText = (day: number) => new Date(day * DAY_MS).toISOString().slice(0, 10);
