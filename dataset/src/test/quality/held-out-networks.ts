// How right the connection type is without the hand-written table. A row was often added because
// rules got the network wrong, so this is a lower estimate for networks without a row.
import { typeWithoutTable } from '../../compile/describe/connection.ts';
import { NetworkNames } from '../../compile/describe/network-names.ts';
import type { CompileInput } from '../../compile/input/compile-input.ts';
import type { KnownWords } from '../../compile/signals/name-signals.ts';
import { networkSignals } from '../../compile/signals/network-signals.ts';
import { routeShapes } from '../../compile/signals/route-shapes.ts';
import { isFitted } from '../../compile/signals/type-score.ts';
import { labelledNetworks, typeLabels } from '../../data-files/data-files.ts';
import type { Dataset } from '../../file/read.ts';
import { CONNECTION_TYPES, type ConnectionType } from '../../record.ts';
import type { QualityRow } from './quality-row.ts';
import { rounded, WeightedShare } from './weighted-share.ts';

type LabelledNetwork = {
  readonly label: ConnectionType;
  readonly answer: ConnectionType;
  /** The answer is the default. */
  readonly isAssumed: boolean;
};

const FIELDS: Readonly<Record<ConnectionType, string>> = {
  datacenter: 'is_datacenter',
  residential: 'is_residential',
  mobile: 'is_mobile',
  business: 'connection_type=business',
  education: 'connection_type=education',
};
/**
 * Answers that are the default are not counted as `business`: they mean that the type is unknown.
 */
const ASSUMED = 'connection_type=assumed';

/** `dataset` says which networks are announced. */
export function heldOutNetworkRows(input: CompileInput, dataset: Dataset): QualityRow[] {
  const names = new NetworkNames(input.names, input.tables.networks);
  const shapes = routeShapes(input);
  const knownWords: KnownWords = new Map();
  const isAnnounced = (asn: number) => dataset.asn(asn)?.is_announced === true;
  const decide = (asn: number, registeredName: string | undefined) => {
    const handle = names.handle(asn);
    const name = registeredName ?? handle ?? `AS${asn}`;
    const signals = () => networkSignals(asn, name, shapes.get(asn), knownWords);
    const network = { asn, name, handle, signals };
    return typeWithoutTable(network, input.networkLists, input.tables);
  };

  const rowsOfTable = labelledNetworks.rows.filter(({ asn }) => isAnnounced(asn));
  const measured = rowsOfTable.map(({ asn, role, connection_type: label }) => {
    const { type: answer, isAssumed } = decide(asn, names.sourceName(asn)?.value);
    return { label, answer, isAssumed, isCarrier: role === 'carrier' };
  });
  const withoutCarriers = measured.filter(({ isCarrier }) => !isCarrier);
  const rowsOfReader = typeLabels.rows.filter(
    ({ asn }) => isAnnounced(asn) && !isFitted(asn) && labelledNetworks.find(asn) === undefined,
  );
  const readerMeasured = rowsOfReader.map(({ asn, connection_type: label }) => {
    const { type, isAssumed } = decide(asn, names.name(asn)?.value);
    // The reader's `residential` is any access network.
    return { label, answer: type === 'mobile' ? 'residential' : type, isAssumed } as const;
  });
  return [
    ...withMeanRecall(networkRows(measured, 'networks.csv')),
    // `business` of a carrier is a convention that no rule can guess.
    ...withMeanRecall(networkRows(withoutCarriers, 'networks.csv without carriers')).filter(
      ({ field }) => field === 'connection_type' || field === FIELDS.business,
    ),
    ...networkRows(readerMeasured, 'type-labels.csv'),
  ];
}

function networkRows(networks: readonly LabelledNetwork[], labels: string): QualityRow[] {
  const rows: QualityRow[] = [];
  const add = (field: string, measure: 'recall' | 'precision', share: WeightedShare) => {
    const finished = share.finish();
    if (finished !== undefined)
      rows.push({ field, measure, ...finished, unit: 'networks', labels });
  };
  const assumed = new WeightedShare();
  for (const type of CONNECTION_TYPES) {
    const recall = new WeightedShare();
    const precision = new WeightedShare();
    for (const { label, answer, isAssumed } of networks) {
      if (label === type) recall.add(answer === type, 1);
      if (answer === type) (isAssumed ? assumed : precision).add(label === type, 1);
    }
    add(FIELDS[type], 'recall', recall);
    add(FIELDS[type], 'precision', precision);
  }
  add(ASSUMED, 'precision', assumed);
  return rows;
}

/** The mean recall first: each type counts the same, whatever its number of networks. */
function withMeanRecall(rows: readonly QualityRow[]): QualityRow[] {
  const recalls = rows.filter(({ measure }) => measure === 'recall');
  const [first] = recalls;
  if (first === undefined) return [];
  const value = recalls.reduce((sum, recall) => sum + recall.value, 0) / recalls.length;
  // The error of a mean of independent shares: the root of the sum of squares, divided by their
  // number.
  const squares = recalls.reduce(
    (sum, { interval: [low, high] }) => sum + ((high - low) / 2) ** 2,
    0,
  );
  const half = Math.sqrt(squares) / recalls.length;
  const mean: QualityRow = {
    ...first,
    field: 'connection_type',
    measure: 'mean recall',
    value: rounded(value),
    n: recalls.reduce((sum, { n }) => sum + n, 0),
    interval: [rounded(Math.max(0, value - half)), rounded(Math.min(1, value + half))],
  };
  return [mean, ...rows];
}
