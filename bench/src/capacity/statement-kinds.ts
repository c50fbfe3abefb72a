/** What replicas ask the database for, by the lines of the table in docs/capacity.md. */
import type { Statement } from '../cluster/database.ts';

const KINDS = {
  'revision of keys': /^select "keys", \(select/,
  recalls: /from "recalls"|^select "recalls" from "revisions"/,
  'taking leases': /^with input as materialized/,
  'returning leases': /^with given/,
  statistics: /^insert into "(usage|writers|traffic)"|^with seen|^begin|^commit/,
  'keys not known': /from "keys" where/,
} as const;

export type Kind = keyof typeof KINDS | 'clock, renewal, reports';

export function countKinds(statements: readonly Statement[]): Record<Kind, number> {
  const counts = { 'clock, renewal, reports': 0 } as Record<Kind, number>;
  for (const kind of Object.keys(KINDS) as (keyof typeof KINDS)[]) counts[kind] = 0;
  for (const { query, calls } of statements) {
    const kind = (Object.keys(KINDS) as (keyof typeof KINDS)[]).find((name) => KINDS[name].test(query));
    counts[kind ?? 'clock, renewal, reports'] += calls;
  }
  return counts;
}
