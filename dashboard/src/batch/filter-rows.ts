/** Filters, value counts and sort orders of the rows of a batch. */
import type { ConnectionType, Flag, IpRecord, ThreatLevel } from '@whence/client/wire';
import type { BatchRecord } from '@whence/server/dashboard-wire/lookups';
import { FLAGS } from '../format/names.ts';
import type { BatchRow } from './batch-run.ts';

export const UNKNOWN_LEVEL = 'unknown';
export type ShownLevel = ThreatLevel | typeof UNKNOWN_LEVEL;

export type BatchFilter = {
  readonly q?: string;
  readonly network?: string;
  readonly country?: string;
  readonly type?: ConnectionType;
  readonly flag?: Flag;
  readonly level?: ShownLevel;
};
export type Facet = keyof Omit<BatchFilter, 'q'>;
export type FacetValue = { readonly key: string; readonly name: string; readonly amount: number };

const VALUES: { readonly [F in Facet]: (record: BatchRecord) => readonly string[] } = {
  network: ({ asn }) => [String(asn)],
  country: ({ country }) => [country],
  type: ({ connection_type }) => [connection_type],
  flag: furtherFlags,
  level: (record) => [shownLevel(record)],
};

/** A score that is not complete is never low. */
function shownLevel({ threat, threat_gap }: BatchRecord): ShownLevel {
  return threat_gap !== undefined && threat.level === 'low' ? UNKNOWN_LEVEL : threat.level;
}

/** The flags of an address that its connection type does not already say. */
export function furtherFlags({ detection, connection_type }: IpRecord): Flag[] {
  return FLAGS.filter((flag) => detection[flag] && flag !== `is_${connection_type}`);
}

export function matches(row: BatchRow, filter: BatchFilter): boolean {
  for (const facet of Object.keys(VALUES) as Facet[]) {
    const wanted = filter[facet];
    if (wanted === undefined) continue;
    if (row.record === undefined || !VALUES[facet](row.record).includes(wanted)) return false;
  }
  const text = filter.q?.toLowerCase();
  if (text === undefined) return true;
  return row.ip.includes(text) || row.record?.asn_name.toLowerCase().includes(text) === true;
}

/**
 * `total` is what the shares refer to: the rows with a record that the other filters let through.
 */
type FacetCounts = { readonly values: FacetValue[]; readonly total: number };

/**
 * The most frequent value first. The facet's own filter does not apply, so that another value can
 * be chosen.
 */
export function facetOf(rows: readonly BatchRow[], facet: Facet, filter: BatchFilter): FacetCounts {
  const others: BatchFilter = { ...filter, [facet]: undefined };
  const amounts = new Map<string, { name: string; amount: number }>();
  let total = 0;
  for (const row of rows) {
    if (row.record === undefined || !matches(row, others)) continue;
    total++;
    for (const key of VALUES[facet](row.record)) {
      const name = facet === 'network' ? `AS${key} ${row.record.asn_name}` : key;
      const value = amounts.get(key);
      if (value === undefined) amounts.set(key, { name, amount: 1 });
      else value.amount++;
    }
  }
  const values = [...amounts]
    .map(([key, value]) => ({ key, ...value }))
    .sort((a, b) => b.amount - a.amount);
  return { values, total };
}

export const BATCH_SORTS = ['times', 'network', 'country', 'type', 'threat'] as const;
export type BatchSort = (typeof BATCH_SORTS)[number];

/**
 * Numbers are sorted descending, text ascending, rows without a record last. Without a sort the
 * order is unchanged.
 */
export function sortRows(
  rows: readonly BatchRow[],
  by: BatchSort | undefined,
): readonly BatchRow[] {
  if (by === undefined) return rows;
  return [...rows].sort((a, b) => compare(a, b, by));
}

const ORDERS: Readonly<Record<Exclude<BatchSort, 'times'>, (record: IpRecord) => number | string>> =
  {
    network: ({ asn }) => asn,
    country: ({ country }) => country,
    type: ({ connection_type }) => connection_type,
    threat: ({ threat }) => -threat.score,
  };

function compare(a: BatchRow, b: BatchRow, by: BatchSort): number {
  if (by === 'times') return b.times - a.times;
  if (a.record === undefined || b.record === undefined)
    return Number(a.record === undefined) - Number(b.record === undefined);
  const first = ORDERS[by](a.record);
  const second = ORDERS[by](b.record);
  return first < second ? -1 : Number(first > second);
}
