// How right the connection type is without the hand-written table. A row was often added because rules got the network
// wrong, so this is a lower estimate for networks without a row.
import { typeLabels } from '../../data-files/data-files.ts';
import { CONNECTION_TYPES, type ConnectionType, type QualityRow, type Source } from '../../record.ts';
import { rounded, WeightedShare } from '../../weighted-share.ts';

export type HeldOutNetwork = {
  readonly label: ConnectionType;
  readonly answer: ConnectionType;
  /** The answer is the default. */
  readonly isAssumed: boolean;
  readonly isCarrier: boolean;
  readonly addresses: number;
};

const FIELDS: Readonly<Record<ConnectionType, string>> = {
  datacenter: 'is_datacenter',
  residential: 'is_residential',
  mobile: 'is_mobile',
  business: 'connection_type=business',
  education: 'connection_type=education',
};
/** Answers that are the default are not counted as `business`: they mean that the type is unknown. */
const ASSUMED = 'connection_type=assumed';

/** `business` of a carrier is a convention that no rule can guess: also measured without carriers. */
export function heldOutNetworkRows(networks: readonly HeldOutNetwork[], { id, as_of }: Source): QualityRow[] {
  const measure = (some: readonly HeldOutNetwork[], labels: string) => {
    const rows = networkRows(some, { labels, labels_as_of: as_of, held_out: true });
    return [...macroRows(rows), ...rows];
  };
  const others = networks.filter(({ isCarrier }) => !isCarrier);
  return [
    ...measure(networks, id),
    ...(others.length === networks.length
      ? []
      : measure(others, `${id} without carriers`).filter(
          ({ field }) => field === 'connection_type' || field === FIELDS.business,
        )),
  ];
}

/** The labels are those of a reader, for networks that the table does not have. */
export function labelledNetworkRows(networks: readonly HeldOutNetwork[]): QualityRow[] {
  return networkRows(networks, { labels: 'type-labels', labels_as_of: typeLabels.asOf, held_out: false });
}

type Labels = Pick<QualityRow, 'labels' | 'labels_as_of' | 'held_out'>;

function networkRows(networks: readonly HeldOutNetwork[], labels: Labels): QualityRow[] {
  return (['network', 'address'] as const).flatMap((weight) => {
    const family = weight === 'network' ? ('all' as const) : ('ipv4' as const);
    const rows: QualityRow[] = [];
    const add = (field: string, measure: 'recall' | 'precision', share: WeightedShare) => {
      const finished = share.finish();
      if (finished !== undefined) rows.push({ field, measure, family, weight, ...finished, ...labels });
    };
    const assumed = new WeightedShare();
    for (const type of CONNECTION_TYPES) {
      const recall = new WeightedShare();
      const precision = new WeightedShare();
      for (const { label, answer, isAssumed, addresses } of networks) {
        const units = weight === 'network' ? 1 : addresses;
        if (label === type) recall.add(answer === type, units);
        if (answer === type) (isAssumed ? assumed : precision).add(label === type, units);
      }
      add(FIELDS[type], 'recall', recall);
      add(FIELDS[type], 'precision', precision);
    }
    add(ASSUMED, 'precision', assumed);
    return rows;
  });
}

/** The mean recall by weight: each type counts the same, whatever its number of networks. */
function macroRows(rows: readonly QualityRow[]): QualityRow[] {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  return (['network', 'address'] as const).flatMap((weight) => {
    const recalls = rows.filter((row) => row.measure === 'recall' && row.weight === weight);
    const [first] = recalls;
    if (first === undefined) return [];
    const value = mean(recalls.map((recall) => recall.value));
    // The error of a mean of independent shares: the root of the sum of squares, divided by their number.
    const half =
      Math.sqrt(recalls.reduce((sum, { interval: [low, high] }) => sum + ((high - low) / 2) ** 2, 0)) / recalls.length;
    return [
      {
        ...first,
        field: 'connection_type',
        measure: 'macro_recall',
        value: rounded(value),
        n: recalls.reduce((sum, { n }) => sum + n, 0),
        interval: [rounded(Math.max(0, value - half)), rounded(Math.min(1, value + half))],
      },
    ];
  });
}
