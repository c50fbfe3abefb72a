/**
 * How right the connection type is for networks that the hand-written table does not know: every network of the table
 * is decided again by lists, rules and the default alone, and the result is compared with the table. A row was
 * often added because rules got the network wrong, so the figures are a lower estimate for networks without a row.
 */
import { CONNECTION_TYPES, type ConnectionType, type QualityRow, type Source } from '../record.ts';
import { rounded, WeightedShare } from './share.ts';

export type HeldOutNetwork = {
  readonly label: ConnectionType;
  readonly answer: ConnectionType;
  readonly addresses: number;
};

const FIELDS: Readonly<Record<ConnectionType, string>> = {
  datacenter: 'is_datacenter',
  residential: 'is_residential',
  mobile: 'is_mobile',
  business: 'connection_type=business',
  education: 'connection_type=education',
};

export function heldOutNetworkRows(networks: readonly HeldOutNetwork[], { id, as_of }: Source): QualityRow[] {
  const labels = { labels: id, labels_as_of: as_of, held_out: true };
  return (['network', 'address'] as const).flatMap((weight) => {
    const family = weight === 'network' ? ('all' as const) : ('ipv4' as const);
    const rows: QualityRow[] = [];
    const recalls: Pick<QualityRow, 'value' | 'n' | 'interval'>[] = [];
    for (const type of CONNECTION_TYPES) {
      const recall = new WeightedShare();
      const precision = new WeightedShare();
      for (const { label, answer, addresses } of networks) {
        const units = weight === 'network' ? 1 : addresses;
        if (label === type) recall.add(answer === type, units);
        if (answer === type) precision.add(label === type, units);
      }
      const found = recall.finish();
      const right = precision.finish();
      const row = { field: FIELDS[type], family, weight };
      if (found !== undefined) {
        recalls.push(found);
        rows.push({ ...row, measure: 'recall', ...found, ...labels });
      }
      if (right !== undefined) rows.push({ ...row, measure: 'precision', ...right, ...labels });
    }
    return recalls.length === 0 ? [] : [macroRow(recalls, family, weight, labels), ...rows];
  });
}

/** Each type counts the same, whatever its number of networks. */
function macroRow(
  recalls: readonly Pick<QualityRow, 'value' | 'n' | 'interval'>[],
  family: QualityRow['family'],
  weight: QualityRow['weight'],
  labels: Pick<QualityRow, 'labels' | 'labels_as_of' | 'held_out'>,
): QualityRow {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const value = mean(recalls.map((recall) => recall.value));
  // The error of a mean of independent shares: the root of the sum of squares, divided by their number.
  const half =
    Math.sqrt(recalls.reduce((sum, { interval: [low, high] }) => sum + ((high - low) / 2) ** 2, 0)) / recalls.length;
  return {
    field: 'connection_type',
    measure: 'macro_recall',
    family,
    weight,
    value: rounded(value),
    n: recalls.reduce((sum, { n }) => sum + n, 0),
    interval: [rounded(Math.max(0, value - half)), rounded(Math.min(1, value + half))],
    ...labels,
  };
}
