/** The content of a prefix: its parts in order, and its addresses by type, flag, threat level, country and network. */
import { formatAddress } from '@whence/dataset/address';
import { prefixLength } from '@whence/dataset/format';
import { formatPrefix, fromBigInt, type Range } from '@whence/dataset/prefix';
import type { Dataset } from '@whence/dataset/read';
import { type ConnectionType, FLAGS, type Flag, type ThreatLevel } from '@whence/dataset/record';
import type { GiveWay } from './dataset-walks.ts';
import { type PrefixCell, PrefixCells } from './prefix-cells.ts';
import { runsWithin } from './prefix-runs.ts';

export type Share<Value extends string> = { value: Value; addresses: number };
export type PrefixPart = {
  first: string;
  last: string;
  prefix: string;
  asn: number;
  asn_name: string;
  country: string;
  connection_type: ConnectionType;
  flags: Flag[];
  score: number;
  level: ThreatLevel;
};
type PrefixContent = {
  unit: 'addresses' | 'slash64s';
  size: number;
  counted: number;
  announced: number;
  cells: PrefixCell[];
  parts: PrefixPart[];
  part_count: number;
  connection_types: Share<ConnectionType>[];
  flags: Share<Flag>[];
  threat_levels: Share<ThreatLevel>[];
  countries: Share<string>[];
  networks: { asn: number; asn_name: string; addresses: number }[];
};

/** Parts that are listed. */
const MAX_PARTS = 256;
/**
 * Runs that are walked, which takes about half a second in slices. A /8 of IPv4 has at most some 40,000. Later ones are
 * not counted, and `counted` is smaller than the size.
 */
const MAX_RUNS = 100_000;
const MAX_SHARES = 50;

export async function summarizePrefix(
  dataset: Dataset,
  { version, start, end }: Range,
  giveWay: GiveWay,
): Promise<PrefixContent> {
  const parts: PrefixPart[] = [];
  const types = new Shares<ConnectionType>();
  const flags = new Shares<Flag>();
  const levels = new Shares<ThreatLevel>();
  const countries = new Shares<string>();
  const networks = new Map<number, { asn: number; asn_name: string; addresses: number }>();
  const cells = new PrefixCells({ start, end });
  let announced = 0;
  let runs = 0;
  let partCount = 0;
  let countedTo = end;
  for (const run of runsWithin(dataset, version, start, end)) {
    if (++runs > MAX_RUNS) {
      countedTo = run.start - 1n;
      break;
    }
    const pause = giveWay();
    if (pause !== undefined) await pause;
    if (run.match === 0) continue;
    const address = fromBigInt(run.start, version);
    const record = dataset.record(address, run.match);
    const size = sizeOf(version, run.start, run.end);
    const set = FLAGS.filter((flag) => record.detection[flag]);
    announced += size;
    cells.add(run.start, run.end, record.threat.level, record.connection_type);
    types.add(record.connection_type, size);
    levels.add(record.threat.level, size);
    countries.add(record.country, size);
    for (const flag of set) flags.add(flag, size);
    const network = networks.get(record.asn) ?? { asn: record.asn, asn_name: record.asn_name, addresses: 0 };
    network.addresses += size;
    networks.set(record.asn, network);
    partCount++;
    if (parts.length === MAX_PARTS) continue;
    parts.push({
      first: record.ip,
      last: formatAddress(fromBigInt(run.end, version)),
      prefix: formatPrefix(address, prefixLength(run.match)),
      asn: record.asn,
      asn_name: record.asn_name,
      country: record.country,
      connection_type: record.connection_type,
      flags: set,
      score: record.threat.score,
      level: record.threat.level,
    });
  }
  return {
    unit: version === 4 ? 'addresses' : 'slash64s',
    size: sizeOf(version, start, end),
    counted: sizeOf(version, start, countedTo),
    announced,
    cells: cells.upTo(countedTo),
    parts,
    part_count: partCount,
    connection_types: types.sorted(),
    flags: flags.sorted(),
    threat_levels: levels.sorted(),
    countries: countries.sorted(),
    networks: [...networks.values()].sort((a, b) => b.addresses - a.addresses).slice(0, MAX_SHARES),
  };
}

/** IPv4 addresses, or IPv6 /64s; a part of a /64 counts as one. */
export function sizeOf(version: 4 | 6, start: bigint, end: bigint): number {
  const count = end - start + 1n;
  return Number(version === 4 ? count : (count + (1n << 64n) - 1n) >> 64n);
}

/** Number of addresses by value, largest first. */
export class Shares<Value extends string> {
  readonly #counts = new Map<Value, number>();

  add(value: Value, addresses: number): void {
    this.#counts.set(value, (this.#counts.get(value) ?? 0) + addresses);
  }

  sorted(): Share<Value>[] {
    const all = [...this.#counts].map(([value, addresses]) => ({ value, addresses }));
    return all.sort((a, b) => b.addresses - a.addresses).slice(0, MAX_SHARES);
  }
}
