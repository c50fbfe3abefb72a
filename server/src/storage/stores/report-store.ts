/** Aggregate reports in storage, and what people decided about senders. A report is stored whole or not at all. */
import type {
  DailySource,
  ReportShape,
  ReportWindow,
  SeenReporter,
  SenderDecision,
} from '@whence/email/internal/reports/report';
import type { RawBuilder } from 'kysely';
import type { Engine } from '../engine.ts';
import { sql } from '../kysely.ts';
import { decodeShape, domainIdOf, type PreparedReport } from '../prepared-report.ts';
import { type Db, WEEKDAYS } from '../schema.ts';
import { pruneRows } from '../tables.ts';

const DAY_MS = 86_400_000;
const WEEK_DAYS = 7;
/** Bits of a number in JavaScript, less one for all others. */
const MAX_REPORTERS = 51;
const OTHERS = 'other reporters';

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
  const json = engine === 'PostgreSQL' ? postgresJson : sqliteJson;
  return {
    /** In one transaction. `nowMs` is when they are imported. */
    add: (reports: readonly PreparedReport[], nowMs: number): Promise<AddedState[]> =>
      db.transaction().execute(async (transaction) => {
        const states: AddedState[] = [];
        for (const report of reports) states.push(await add(transaction, report, nowMs, json));
        return states;
      }),

    /** What proven and usable reports say about a domain, from one day to another, both included. */
    async window(domain: string, fromDay: string, toDay: string): Promise<ReportWindow<DailySource>> {
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
        sources: await readSources(reads, json, domainId, from, to),
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

async function add(db: Db, report: PreparedReport, nowMs: number, json: JsonFunctions): Promise<AddedState> {
  const { id, keyId, domainId, day, isProven, shapes, pages } = report;
  const known = await db.selectFrom('reports').select('proven').where('id', '=', id).executeTakeFirst();
  if (known !== undefined && known.proven >= (isProven ? 1 : 0)) return 'repeated';
  await nameDomain(db, report.domain, nowMs);
  // Also a lock: reports of a domain are added one after the other, because they count in the same rows.
  await moveGeneration(db, domainId);
  const inserted = await db
    .insertInto('reports')
    .values({
      id,
      key_id: keyId,
      domain_id: domainId,
      day,
      reporter: report.reporter,
      reporter_email: report.reporterEmail,
      report_id: report.reportId,
      begin_at: report.beginMs,
      end_at: report.endMs,
      policy: report.policy,
      row_count: report.rowCount,
      messages: report.messages,
      passed: report.passed,
      digest: report.digest,
      arrived: report.arrived,
      arrived_from: report.arrivedFrom,
      imported_at: nowMs,
      proven: isProven ? 1 : 0,
      usable: report.isUsable ? 1 : 0,
      conflicts: 0,
    })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returning('id')
    .executeTakeFirst();
  if (inserted === undefined) {
    if (isProven && (await prove(db, id)) && report.isUsable) await count(db, json, report, pages);
    return 'repeated';
  }
  for (const [number, content] of pages.entries())
    await db.insertInto('report_pages').values({ report: id, number, content }).execute();
  if (isProven && report.isUsable) await count(db, json, report, pages);
  await flagConflicts(db, report);
  await sql`
    insert into report_shapes (domain_id, id, content, last_day)
    select ${typed(domainId)}, cast(value ->> 0 as bigint), value ->> 1, ${typed(day)} from ${json.each(shapes)} where true
    on conflict (domain_id, id) do update set last_day = excluded.last_day
      where report_shapes.last_day < excluded.last_day`.execute(db);
  return 'read';
}

/** Adds the rows of a report to those of its week. */
async function count(
  db: Db,
  json: JsonFunctions,
  { domainId, day, reporter }: PreparedReport,
  pages: readonly string[],
): Promise<void> {
  const number = await numberOf(db, domainId, reporter);
  const week = weekOf(day);
  const column = sql.ref(WEEKDAYS[day - firstDayOf(week)] ?? '');
  for (const page of pages)
    await sql`
      insert into report_weeks (domain_id, week, shape_id, address, reporters, ${column})
      select ${typed(domainId)}, ${typed(week)}, cast(value ->> 0 as bigint), value ->> 1, ${typed(2 ** number)},
        cast(value ->> 2 as bigint)
      from ${json.each(page)} where true
      on conflict (domain_id, week, shape_id, address) do update set
        reporters = report_weeks.reporters | excluded.reporters,
        ${column} = report_weeks.${column} + excluded.${column}`.execute(db);
}

/** The number of a reporter of a domain. Those beyond MAX_REPORTERS share the last one. */
async function numberOf(db: Db, domainId: number, reporter: string): Promise<number> {
  const known = await db.selectFrom('report_reporters').selectAll().where('domain_id', '=', domainId).execute();
  const found = known.find((row) => row.reporter === reporter);
  if (found !== undefined) return found.number;
  if (known.length > MAX_REPORTERS) return MAX_REPORTERS;
  const isLast = known.length === MAX_REPORTERS;
  const row = { domain_id: domainId, number: known.length, reporter: isLast ? OTHERS : reporter };
  await db.insertInto('report_reporters').values(row).execute();
  return row.number;
}

/** A report that came unproven before, and is now proven. */
async function prove(db: Db, id: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('reports')
    .set({ proven: 1 })
    .where('id', '=', id)
    .where('proven', '=', 0)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
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

type WeekRow = readonly [shape: number, address: string, reporters: number, ...daily: number[]];

/** A statement per week, as one text: the event loop gets no more at a time than it reads in some milliseconds. */
async function readSources(
  db: Db,
  json: JsonFunctions,
  domainId: number,
  from: number,
  to: number,
): Promise<DailySource[]> {
  const stored = await db
    .selectFrom('report_shapes')
    .select(['id', 'content'])
    .where('domain_id', '=', domainId)
    .where('last_day', '>=', from)
    .execute();
  const shapes = new Map(stored.map(({ id, content }) => [id, decodeShape(content)]));
  const names = await db
    .selectFrom('report_reporters')
    .select('reporter')
    .where('domain_id', '=', domainId)
    .orderBy('number')
    .execute();
  const sources = new WindowSources(from, to);
  for (let week = weekOf(from); week <= weekOf(to); week++) {
    const rows = await db
      .selectFrom('report_weeks')
      .select(json.list(['shape_id', 'address', 'reporters', ...WEEKDAYS]).as('text'))
      .where('domain_id', '=', domainId)
      .where('week', '=', week)
      .executeTakeFirst();
    for (const row of JSON.parse(rows?.text ?? '[]') as WeekRow[]) sources.add(firstDayOf(week), row);
  }
  return sources.list(
    shapes,
    names.map(({ reporter }) => reporter),
  );
}

/** Rows of calendar weeks, divided into the weeks of a window. */
class WindowSources {
  readonly #from: number;
  readonly #to: number;
  /** By week of the window, the last one first; then by shape and address. */
  readonly #weeks: Map<string, Source>[] = [];

  constructor(from: number, to: number) {
    this.#from = from;
    this.#to = to;
  }

  add(monday: number, row: WeekRow): void {
    const [shape, address, reporters] = row;
    const key = `${shape} ${address}`;
    let [source, sourceWeek]: [Source | undefined, number] = [undefined, -1];
    for (let i = 0; i < WEEK_DAYS; i++) {
      const [day, messages] = [monday + i, row[i + 3] as number];
      if (messages === 0 || day < this.#from || day > this.#to) continue;
      const week = Math.floor((this.#to - day) / WEEK_DAYS);
      if (source === undefined || week !== sourceWeek) {
        source = this.#source(week, key, row);
        source.reporters |= BigInt(reporters);
        sourceWeek = week;
      }
      source.daily[day - this.#firstDay(week)] = messages;
    }
  }

  #source(week: number, key: string, row: WeekRow): Source {
    this.#weeks[week] ??= new Map();
    const known = this.#weeks[week].get(key);
    if (known !== undefined) return known;
    const source = { row, daily: [0, 0, 0, 0, 0, 0, 0], reporters: 0n };
    this.#weeks[week].set(key, source);
    return source;
  }

  #firstDay(week: number): number {
    return this.#to - (week + 1) * WEEK_DAYS + 1;
  }

  list(shapes: ReadonlyMap<number, ReportShape>, names: readonly string[]): DailySource[] {
    const namesOf = new Map<bigint, readonly string[]>();
    const list: DailySource[] = [];
    for (const [week, sources] of this.#weeks.entries()) {
      const days = Array.from({ length: WEEK_DAYS }, (_, i) => dayText(this.#firstDay(week) + i));
      for (const { row, daily, reporters: bits } of sources?.values() ?? []) {
        const shape = shapes.get(row[0]);
        // Of an import that was committed after the shapes were read: the next generation has it.
        if (shape === undefined) continue;
        let reporters = namesOf.get(bits);
        if (reporters === undefined) {
          reporters = names.filter((_, i) => (bits >> BigInt(i)) & 1n);
          namesOf.set(bits, reporters);
        }
        // Without a spread, which takes ten times as long.
        const { disposition, spfPassed, dkimPassed, reasons, headerFrom, envelopeFrom, spf, dkim } = shape;
        list.push({
          disposition,
          spfPassed,
          dkimPassed,
          reasons,
          headerFrom,
          envelopeFrom,
          spf,
          dkim,
          address: row[1],
          messages: sumOf(daily),
          firstDay: days[daily.findIndex((messages) => messages > 0)] ?? '',
          lastDay: days[daily.findLastIndex((messages) => messages > 0)] ?? '',
          reporters,
          week: days[0] ?? '',
          daily,
        });
      }
    }
    return list;
  }
}

type Source = { readonly row: WeekRow; readonly daily: number[]; reporters: bigint };

function sumOf(numbers: readonly number[]): number {
  let sum = 0;
  for (const number of numbers) sum += number;
  return sum;
}

async function prune(db: Db, before: number, limit: number): Promise<number> {
  const old = await db.selectFrom('reports').select('id').where('day', '<', before).limit(limit).execute();
  const ids = old.map(({ id }) => id);
  if (ids.length > 0) {
    await db.deleteFrom('report_pages').where('report', 'in', ids).execute();
    await db.deleteFrom('reports').where('id', 'in', ids).execute();
  }
  const weeks = await pruneRows(db, 'report_weeks', 'week', weekOf(before), limit);
  if (ids.length < limit && weeks < limit) {
    await db.deleteFrom('report_shapes').where('last_day', '<', before).execute();
    const isUnused = sql<boolean>`id not in (select domain_id from reports) and id not in (select domain_id from sender_decisions)`;
    await db.deleteFrom('report_domains').where(isUnused).execute();
    await sql`delete from report_reporters where domain_id not in (select id from report_domains)`.execute(db);
  }
  return Math.max(ids.length, weeks);
}

/** What the engines call functions of JSON. */
type JsonFunctions = {
  each(text: string): RawBuilder<unknown>;
  /** All rows as one text; null if there is none. */
  list(columns: readonly string[]): RawBuilder<string | null>;
};
const sqliteJson: JsonFunctions = {
  each: (text) => sql`json_each(${text})`,
  list: (columns) => sql`json_group_array(json_array(${sql.raw(columns.join())}))`,
};
const postgresJson: JsonFunctions = {
  each: (text) => sql`json_array_elements(cast(${text} as json)) as page (value)`,
  list: (columns) => sql`cast(json_agg(json_build_array(${sql.raw(columns.join())})) as text)`,
};

/** PostgreSQL would take an untyped parameter of a selection for text. */
const typed = (value: number) => sql`cast(${value} as bigint)`;

/** The first week began on a Monday, three days before 1970. */
const weekOf = (day: number) => Math.floor((day + 3) / WEEK_DAYS);
const firstDayOf = (week: number) => week * WEEK_DAYS - 3;
const dayNumber = (day: string) => Math.floor(Date.parse(`${day}T00:00:00Z`) / DAY_MS);
const dayText = (day: number) => new Date(day * DAY_MS).toISOString().slice(0, 10);
