import type { BatchRow } from './batch-run.ts';

export const BATCH_SORTS = ['times', 'network', 'country', 'type', 'threat'] as const;
export type BatchSort = (typeof BATCH_SORTS)[number];

/** Numbers from large to small, words from A to Z; rows without a record last. Without a sort, as found. */
export function sortRows(rows: readonly BatchRow[], by: BatchSort | undefined): readonly BatchRow[] {
  if (by === undefined) return rows;
  return [...rows].sort((a, b) => compare(a, b, by));
}

function compare(a: BatchRow, b: BatchRow, by: BatchSort): number {
  if (by === 'times') return b.times - a.times;
  if (a.record === undefined || b.record === undefined)
    return Number(a.record === undefined) - Number(b.record === undefined);
  switch (by) {
    case 'threat':
      return b.record.threat.score - a.record.threat.score;
    case 'network':
      return a.record.asn - b.record.asn;
    case 'country':
      return a.record.country < b.record.country ? -1 : Number(a.record.country > b.record.country);
    case 'type':
      return a.record.connection_type < b.record.connection_type
        ? -1
        : Number(a.record.connection_type > b.record.connection_type);
  }
}
