/**
 * Which source decided each field of a record. The file stores the deciding sources per record; values are taken from
 * the record itself. The prefix is found by walking to the neighbouring runs: the largest prefix around the address for
 * which the source says the same.
 */
import type { Address } from './address.ts';
import type { Match } from './file/format.ts';
import type { Dataset } from './file/read.ts';
import { addressBits, formatPrefix, fromBigInt, toBigInt, widestPrefixLength } from './prefix.ts';
import type { Evidence, IpRecord } from './record.ts';

/** Fields that the route decides: their prefix is that of the record. */
const ANNOUNCED = new Set(['prefix', 'prefix_is_derived', 'asn', 'asn_name']);
/** A source may say the same about a large part of the internet. This limit per direction keeps the walk under 1 ms. */
const MAX_RUNS = 256;

export function explain(dataset: Dataset, address: Address, match: Match): Evidence[] {
  const record = dataset.record(address, match);
  const row = (field: string, value: Evidence['value'], source: number, prefix: string): Evidence => {
    const { id = '', as_of = '' } = dataset.meta.sources[source] ?? {};
    return { field, value, source: id, prefix, as_of };
  };
  const rows = dataset.decisions(dataset.attributesOf(match)).map(([field, source, stated]) => {
    const value = stated ?? fieldValue(record, field);
    const prefix = ANNOUNCED.has(field) ? record.prefix : statedPrefix(dataset, address, field, value, source);
    return row(field, value, source, prefix);
  });
  // Several networks may announce the same prefix (MOAS). The record has the one that most peers see.
  const otherOrigins = dataset.otherOrigins(address, match).filter(({ asn }) => asn !== record.asn);
  return [...rows, ...otherOrigins.map(({ asn, source }) => row('asn', asn, source, record.prefix))];
}

function statedPrefix(
  dataset: Dataset,
  address: Address,
  field: string,
  value: Evidence['value'],
  source: number,
): string {
  const { version } = address;
  const bits = addressBits(version);
  const saysSame = new Map<number, boolean>();
  const isSame = (at: bigint): boolean => {
    if (at < 0n || at >> BigInt(bits) !== 0n) return false;
    const match = dataset.find(fromBigInt(at, version));
    if (match === 0) return false;
    const set = dataset.attributesOf(match);
    let same = saysSame.get(set);
    if (same === undefined) {
      const record = dataset.attributes(set);
      same = dataset
        .decisions(set)
        .some(([f, s, stated]) => f === field && s === source && (stated ?? fieldValue(record, field)) === value);
      saysSame.set(set, same);
    }
    return same;
  };
  const boundsOf = (at: bigint) => dataset.bounds(fromBigInt(at, version));

  let { start, end } = dataset.bounds(address);
  for (let runs = 0; runs < MAX_RUNS && isSame(start - 1n); runs++) start = boundsOf(start - 1n).start;
  for (let runs = 0; runs < MAX_RUNS && isSame(end + 1n); runs++) end = boundsOf(end + 1n).end;
  return formatPrefix(address, widestPrefixLength(toBigInt(address), start, end, bits));
}

function fieldValue(record: Pick<IpRecord, 'detection'>, field: string): Evidence['value'] {
  // Stored only where it is true.
  if (field === 'prefix_is_derived') return true;
  // An override can remove a name; the row then has an empty value.
  return (({ ...record, ...record.detection } as Record<string, unknown>)[field] ?? '') as Evidence['value'];
}
