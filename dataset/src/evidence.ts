/**
 * Why a record says what it says. The file keeps per record which source decided which field; the value comes from the record
 * itself, and the prefix is found by walking: the largest one around the address for which the source says the same.
 */
import type { Address } from './address.ts';
import { type Match, prefixLength } from './format.ts';
import { addressBits, formatPrefix, fromBigInt, toBigInt, widestPrefixLength } from './prefix.ts';
import type { Dataset } from './read.ts';
import type { Evidence, IpRecord } from './record.ts';

/** The announcement itself decides these, so their prefix is that of the record. */
const ANNOUNCED = new Set(['prefix', 'asn', 'asn_name']);
/** A source may say the same of half the internet. The walk stops after so many runs in each direction: under 1 ms. */
const MAX_RUNS = 256;

export function explain(dataset: Dataset, address: Address, match: Match): Evidence[] {
  const record = dataset.record(address, match);
  const row = (field: string, value: Evidence['value'], source: number, prefix: string): Evidence => {
    const { id = '', as_of = '' } = dataset.meta.sources[source] ?? {};
    return { field, value, source: id, prefix, as_of };
  };
  const rows = dataset.decisions(dataset.tailOf(match)).map(([field, source, points]) => {
    const value = points ?? fieldValue(record, field);
    const prefix = ANNOUNCED.has(field) ? record.prefix : statedPrefix(dataset, address, field, value, source);
    return row(field, value, source, prefix);
  });
  // Several networks may announce one prefix. The answer has the one that most peers see; the others are worth knowing.
  const rivals = dataset.rivals(address, prefixLength(match)).filter(({ asn }) => asn !== record.asn);
  return [...rows, ...rivals.map(({ asn, source }) => row('asn', asn, source, record.prefix))];
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
    const tail = dataset.tailOf(match);
    let same = saysSame.get(tail);
    if (same === undefined) {
      const record = dataset.tail(tail);
      same = dataset
        .decisions(tail)
        .some(([f, s, points]) => f === field && s === source && (points ?? fieldValue(record, field)) === value);
      saysSame.set(tail, same);
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
  // An override can decide that there is no provider; a row still says who did.
  return (({ ...record, ...record.detection } as Record<string, unknown>)[field] ?? '') as Evidence['value'];
}
