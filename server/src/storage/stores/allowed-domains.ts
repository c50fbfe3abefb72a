/** Which domains a reader may see, as a condition of a query. */
import { type RawBuilder, sql } from 'kysely';

/** Entries as in `domains/allowed-domains`; undefined for all. */
export type Allowed = readonly string[] | undefined;

/** The same rule as `isAllowedDomain`. */
export function isAllowed(allowed: Allowed): RawBuilder<boolean> {
  if (allowed === undefined) return sql`true`;
  const entries = allowed.map((entry) =>
    entry.startsWith('*.')
      ? sql`domain like ${`%${escaped(entry.slice(1))}`} escape '\\'`
      : sql`domain = ${entry} or domain like ${`%.${escaped(entry)}`} escape '\\'`,
  );
  return entries.length === 0 ? sql`false` : sql`(${sql.join(entries, sql` or `)})`;
}

export const escaped = (text: string): string => text.replace(/[\\%_]/g, '\\$&');
