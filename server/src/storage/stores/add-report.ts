/**
 * Writes a report: its row, its shapes and rows, the addresses of senders, and what is added up by
 * day and network.
 */
import { isLargeReceiver } from '@whence/email/reports/large-receivers';
import { sql } from 'kysely';
import type { PreparedReport } from '../prepared-report.ts';
import { toRow } from '../rows.ts';
import type { Db } from '../schema.ts';
import type { Words } from './json-rows.ts';
import { type AddedState, addUnproven, moveGeneration, nameDomain } from './reported-domain.ts';

/** Networks of rows beyond those that are kept one by one, of a day of a domain. */
const MAX_NETWORKS = 20_000;

export async function addReport(
  db: Db,
  report: PreparedReport,
  nowMs: number,
  words: Words,
): Promise<AddedState> {
  const { id, domain, domainId, day, isUsable } = report;
  const { unproven } = report;
  if (unproven !== undefined)
    return (await hasReport(db, id))
      ? 'repeated'
      : addUnproven(db, { ...report, kind: 'dmarc', reason: unproven }, nowMs);
  if (await hasReport(db, id)) return 'repeated';
  await nameDomain(db, domain, nowMs);
  // Also a lock: reports of a domain are added one after the other, and those with the same key see
  // each other.
  await moveGeneration(db, domainId);
  await db.deleteFrom('unproven_reports').where('id', '=', id).execute();
  const inserted = await db
    .insertInto('reports')
    .values(
      toRow<'reports'>({
        id,
        keyId: report.keyId,
        domainId,
        day,
        reporter: report.reporter,
        reporterEmail: report.reporterEmail,
        reportId: report.reportId,
        beginAt: new Date(report.beginMs),
        endAt: new Date(report.endMs),
        policy: report.policy,
        rowCount: report.rowCount,
        messages: report.messages,
        passed: report.passed,
        digest: report.digest,
        arrived: report.arrived,
        arrivedFrom: report.arrivedFrom,
        importedAt: new Date(nowMs),
        usable: isUsable ? 1 : 0,
        conflicts: 0,
      }),
    )
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returning('id')
    .executeTakeFirst();
  if (inserted === undefined) return 'repeated';
  await flagConflicts(db, report);
  await addShapes(db, report, words);
  for (const page of [...report.rows, ...report.others.pages])
    await sql`
      insert into report_rows (report, shape, address, messages)
      select ${typed(id)}, report_shapes.id, ${words.textAt(1)}, ${words.numberAt(2)}
      from ${words.each(page)} cross join report_shapes
      where report_shapes.domain_id = ${domainId} and report_shapes.hash = ${words.numberAt(0)}`.execute(
      db,
    );
  for (const page of report.rows)
    await sql`
      insert into report_sources (domain_id, address, last_day)
      select distinct ${typed(domainId)}, ${words.textAt(1)}, ${typed(day)} from ${words.each(page)} where true
      on conflict (domain_id, address) do update set last_day = excluded.last_day
        where report_sources.last_day < excluded.last_day`.execute(db);
  await addSums(db, report, words);
  if (isUsable) await addToDay(db, report);
  return 'read';
}

export async function hasReport(db: Db, id: number): Promise<boolean> {
  const known = await db.selectFrom('reports').select('id').where('id', '=', id).executeTakeFirst();
  return known !== undefined;
}

/**
 * Numbers of new shapes follow those that the domain has. In one statement, whose list is read
 * once: an update from a list reads it again for every shape.
 */
async function addShapes(
  db: Db,
  { domainId, day, shapes, isUsable }: PreparedReport,
  words: Words,
): Promise<void> {
  const counted = isUsable ? words.numberAt(9) : sql`0`;
  await sql`
    insert into report_shapes (domain_id, id, hash, header_from, envelope_from, disposition, spf_passed,
      dkim_passed, spf, dkim, reasons, messages, last_day)
    select ${typed(domainId)},
      (select coalesce(max(id), 0) from report_shapes where domain_id = ${domainId}) + row_number() over (),
      ${words.numberAt(0)}, ${words.textAt(1)}, ${words.textAt(2)}, ${words.textAt(3)}, ${words.numberAt(4)},
      ${words.numberAt(5)}, ${words.textAt(6)}, ${words.textAt(7)}, ${words.textAt(8)}, ${counted}, ${typed(day)}
    from ${words.each(shapes)} where true
    on conflict (domain_id, hash) do update set messages = report_shapes.messages + excluded.messages,
      last_day = case when report_shapes.last_day < excluded.last_day
        then excluded.last_day else report_shapes.last_day end`.execute(db);
}

async function addSums(db: Db, report: PreparedReport, words: Words): Promise<void> {
  const { domainId, day, sums, reporter, reporterEmail, isUsable } = report;
  if (!isUsable) return;
  const isListed = isLargeReceiver({ name: reporter, email: reporterEmail });
  for (const page of sums) {
    const { networks } = await db
      .selectFrom('report_sums')
      .select((eb) => eb.fn.countAll<number>().as('networks'))
      .where('domain_id', '=', domainId)
      .where('day', '=', day)
      .executeTakeFirstOrThrow();
    const isFull = Number(networks) >= MAX_NETWORKS;
    const known = sql`exists (select 1 from report_sums as known where known.domain_id = ${domainId}
      and known.day = ${day} and known.network = ${words.textAt(1)})`;
    await sql`
      insert into report_sums (domain_id, day, network, shape, messages, listed_messages, addresses)
      select ${typed(domainId)}, ${typed(day)}, network, shape, sum(messages),
        sum(${isListed ? sql`messages` : sql`0`}), sum(addresses)
      from (
        select ${isFull ? sql`case when ${known} then ${words.textAt(1)} else '' end` : words.textAt(1)} as network,
          report_shapes.id as shape, ${words.numberAt(2)} as messages, ${words.numberAt(3)} as addresses
        from ${words.each(page)} cross join report_shapes
        where report_shapes.domain_id = ${domainId} and report_shapes.hash = ${words.numberAt(0)}
      ) as summed
      where true group by network, shape
      on conflict (domain_id, day, network, shape) do update set
        messages = report_sums.messages + excluded.messages,
        listed_messages = report_sums.listed_messages + excluded.listed_messages,
        addresses = report_sums.addresses + excluded.addresses`.execute(db);
  }
}

async function addToDay(
  db: Db,
  { domainId, day, messages, passed, others }: PreparedReport,
): Promise<void> {
  const row = { reports: 1, messages, passed, other_rows: others.rows };
  await db
    .insertInto('report_days')
    .values({ domain_id: domainId, day, ...row })
    .onConflict((conflict) =>
      conflict.columns(['domain_id', 'day']).doUpdateSet((eb) => ({
        reports: eb('report_days.reports', '+', 1),
        messages: eb('report_days.messages', '+', messages),
        passed: eb('report_days.passed', '+', passed),
        other_rows: eb('report_days.other_rows', '+', others.rows),
      })),
    )
    .execute();
}

async function flagConflicts(db: Db, { id, keyId }: PreparedReport): Promise<void> {
  const others = await db
    .selectFrom('reports')
    .select('id')
    .where('key_id', '=', keyId)
    .where('id', '<>', id)
    .execute();
  if (others.length === 0) return;
  const flagged = [...others.map((other) => other.id), id];
  await db.updateTable('reports').set({ conflicts: 1 }).where('id', 'in', flagged).execute();
}

/** PostgreSQL would take an untyped parameter of a selection for text. */
const typed = (value: number) => sql`cast(${value} as bigint)`;
