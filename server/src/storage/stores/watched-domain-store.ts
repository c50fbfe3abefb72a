/** The list of watched domains in storage. */
import { domainToUnicode } from 'node:url';
import { type RawBuilder, sql } from 'kysely';
import { type Severity, severityOf } from '../../vocabulary.ts';
import type { Engine } from '../engine.ts';
import { findFirst, fromRow, type Stored } from '../rows.ts';
import { type Allowed, escaped, isAllowed } from './allowed-domains.ts';
import { nextChange, resolveEvents } from './watch-event-store.ts';

export const MAX_WATCHED_DOMAINS = 10_000;
/** Names in one statement. */
const NAMES_AT_ONCE = 500;

export type WatchedDomain = Stored<'watched_domains'>;
/** With the number of its open events, and the severity of the worst. */
export type ListedDomain = WatchedDomain & {
  readonly openEvents: number;
  readonly worst: Severity | undefined;
};

export type DomainSelection = {
  readonly allowed: Allowed;
  /** Whether events from reports count. */
  readonly mayReadReports: boolean;
  readonly tag?: string | undefined;
  readonly grade?: string | undefined;
  readonly open?: boolean | undefined;
  /** The beginning of a name, in A-labels or as people read it. */
  readonly q?: string | undefined;
  /** `worst`: those with the most severe open events first. */
  readonly sort: 'domain' | 'worst';
  /** Where the page before has ended. */
  readonly after?: { readonly worst: number; readonly domain: string } | undefined;
  readonly limit: number;
};

export function watchedDomainStore({ db, statisticsReads: reads }: Engine) {
  /** What people read in A-labels cannot be told from their beginning. */
  const unicodeNames = async (begin: string): Promise<string[]> => {
    const rows = await reads
      .selectFrom('watched_domains')
      .select('domain')
      .where('domain', 'like', '%xn--%')
      .execute();
    return rows
      .map(({ domain }) => domain)
      .filter((domain) => domainToUnicode(domain).startsWith(begin));
  };
  return {
    /**
     * Watches these domains from now on and returns those that were not watched yet. Throws
     * TooManyDomains before it adds one too many.
     */
    add: (
      domains: readonly string[],
      { tags, note, by }: Pick<WatchedDomain, 'tags' | 'note'> & { readonly by: string },
      now: Date,
    ): Promise<string[]> =>
      db.transaction().execute(async (transaction) => {
        // Lets one process count and add at a time.
        await nextChange(transaction, 0);
        const { count } = await transaction
          .selectFrom('watched_domains')
          .select((eb) => eb.fn.countAll<number>().as('count'))
          .executeTakeFirstOrThrow();
        const added = await forParts(domains, (names) =>
          transaction
            .insertInto('watched_domains')
            .values(
              names.map((domain) => ({
                domain,
                tags,
                note: note ?? null,
                added_at: now.getTime(),
                added_by: by,
                due_at: now.getTime(),
                state: '{}',
              })),
            )
            .onConflict((conflict) => conflict.column('domain').doNothing())
            .returning('domain')
            .execute(),
        );
        if (Number(count) + added.length > MAX_WATCHED_DOMAINS) throw new TooManyDomains();
        return added;
      }),

    find: (domain: string) =>
      findFirst<'watched_domains'>(
        db.selectFrom('watched_domains').selectAll().where('domain', '=', domain),
      ),

    /** Those of them that are watched. */
    among: (domains: readonly string[]): Promise<string[]> =>
      forParts(domains, (names) =>
        reads.selectFrom('watched_domains').select('domain').where('domain', 'in', names).execute(),
      ),

    /** What is absent stays as it is; an empty note is removed. */
    async change(
      domain: string,
      { tags, note }: { readonly tags?: string | undefined; readonly note?: string | undefined },
    ): Promise<void> {
      const changed = {
        ...(tags !== undefined && { tags }),
        ...(note !== undefined && { note: note || null }),
      };
      if (Object.keys(changed).length === 0) return;
      await db.updateTable('watched_domains').set(changed).where('domain', '=', domain).execute();
    },

    /** Ends their events, as if they were accepted. Returns those that were watched. */
    remove: (domains: readonly string[], by: string, now: Date): Promise<string[]> =>
      db.transaction().execute(async (transaction) => {
        const removed = await forParts(domains, (names) =>
          transaction
            .deleteFrom('watched_domains')
            .where('domain', 'in', names)
            .returning('domain')
            .execute(),
        );
        for (const names of inParts(removed)) {
          const open = await transaction
            .selectFrom('watch_events')
            .select('id')
            .where('domain', 'in', names)
            .where('resolved_at', 'is', null)
            .execute();
          const ids = open.map(({ id }) => id);
          for (const some of inParts(ids)) await resolveEvents(transaction, some, now, by);
        }
        return removed;
      }),

    /** Lets the next check of these begin now. Returns those that are watched. */
    makeDue: (domains: readonly string[], now: Date): Promise<string[]> =>
      forParts(domains, (names) =>
        db
          .updateTable('watched_domains')
          .set({ due_at: now.getTime() })
          .where('domain', 'in', names)
          .returning('domain')
          .execute(),
      ),

    async list(selection: DomainSelection): Promise<{ domains: ListedDomain[]; total: number }> {
      const events = sql`select domain, count(*) as open_events, max(severity) as worst
        from watch_events where resolved_at is null
        ${selection.mayReadReports ? sql`` : sql`and source <> 'reports'`} group by domain`;
      const conditions = conditionsOf(selection);
      if (selection.q !== undefined)
        conditions.push(beginsWith(selection.q, await unicodeNames(selection.q)));
      const from = sql`from watched_domains left join (${events}) as open_ones using (domain)
        where ${sql.join(conditions, sql` and `)}`;
      const isWorstFirst = selection.sort === 'worst';
      const order = isWorstFirst ? sql`coalesce(worst, 0) desc, domain` : sql`domain`;
      const { rows } = await sql<{ readonly open_events: number; readonly worst: number }>`
        select watched_domains.*, coalesce(open_events, 0) as open_events, coalesce(worst, 0) as worst
        ${from} and ${isBeyond(selection)} order by ${order} limit ${selection.limit}`.execute(
        reads,
      );
      const counted = await sql<{ total: number }>`select count(*) as total ${from}`.execute(reads);
      return {
        domains: rows.map(({ open_events, worst, ...row }) => ({
          ...fromRow<'watched_domains'>(row as never),
          openEvents: Number(open_events),
          worst: worst === 0 ? undefined : severityOf(worst),
        })),
        total: Number(counted.rows[0]?.total ?? 0),
      };
    },
  };
}

/** Nothing was added. */
export class TooManyDomains extends Error {
  override name = 'TooManyDomains';
}

function* inParts(names: readonly string[]): Generator<string[]> {
  for (let start = 0; start < names.length; start += NAMES_AT_ONCE)
    yield names.slice(start, start + NAMES_AT_ONCE);
}

async function forParts(
  domains: readonly string[],
  run: (names: string[]) => Promise<{ readonly domain: string }[]>,
): Promise<string[]> {
  const affected: string[] = [];
  for (const names of inParts(domains))
    affected.push(...(await run(names)).map(({ domain }) => domain));
  return affected;
}

function conditionsOf({ allowed, tag, grade, open }: DomainSelection): RawBuilder<boolean>[] {
  const conditions = [isAllowed(allowed)];
  if (tag !== undefined)
    conditions.push(sql`' ' || tags || ' ' like ${`% ${escaped(tag)} %`} escape '\\'`);
  if (grade !== undefined) conditions.push(sql`grade = ${grade}`);
  if (open === true) conditions.push(sql`open_events > 0`);
  if (open === false) conditions.push(sql`open_events is null`);
  return conditions;
}

function beginsWith(q: string, others: readonly string[]): RawBuilder<boolean> {
  const isListed = others.length === 0 ? sql`false` : sql`domain in (${sql.join(others)})`;
  return sql`(domain like ${`${escaped(q)}%`} escape '\\' or ${isListed})`;
}

function isBeyond({ sort, after }: DomainSelection): RawBuilder<boolean> {
  if (after === undefined) return sql`true`;
  const isLater = sql<boolean>`domain > ${after.domain}`;
  if (sort === 'domain') return isLater;
  return sql`(coalesce(worst, 0) < ${after.worst} or (coalesce(worst, 0) = ${after.worst} and ${isLater}))`;
}
