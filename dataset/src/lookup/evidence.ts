/**
 * Which source decided each field of a record. The file stores the deciding sources per record; values are taken from
 * the record itself. The prefix is found by walking to the neighbouring runs: the largest prefix around the address for
 * which the source says the same.
 */
import { type Address, truncateAddress } from '../address.ts';
import type { Match } from '../file/format.ts';
import type { Dataset } from '../file/read.ts';
import { addressBits, formatPrefix, fromBigInt, lastAddress, toBigInt, widestPrefixLength } from '../prefix.ts';
import { type Evidence, type IpRecord, TYPE_SIGNALS } from '../record.ts';

/** Fields that the route decides: their prefix is that of the record. */
const ANNOUNCED = new Set(['prefix', 'prefix_is_derived', 'asn', 'asn_name']);
/** Names of signals by what stands for them in the file. */
const SIGNAL_NAMES: ReadonlyMap<unknown, string> = new Map(
  Object.entries(TYPE_SIGNALS).map(([name, letters]) => [letters, name]),
);
/** A source may say the same about a large part of the internet: the walk ends after this many runs per direction. */
const MAX_RUNS = 256;

/** What a source says about the address. */
type Statement = { readonly field: string; readonly value: Evidence['value']; readonly source: number };

export function explain(dataset: Dataset, address: Address, match: Match): Evidence[] {
  const record = dataset.record(address, match);
  const statements = dataset
    .decisions(dataset.attributesOf(match))
    .map(([field, source, value]): Statement => ({ field, source, value: value ?? fieldValue(record, field) }));
  const lengths = statedLengths(
    dataset,
    address,
    statements.filter(({ field }) => !ANNOUNCED.has(field)),
  );
  const row = (statement: Statement, value: Evidence['value'], prefix: string): Evidence => {
    const { id = '', as_of = '' } = dataset.meta.sources[statement.source] ?? {};
    return { field: statement.field, value, source: id, prefix, as_of };
  };
  const rows = statements.map((statement) => {
    const { field, value } = statement;
    const length = lengths.get(statement);
    const prefix = length === undefined ? record.prefix : formatPrefix(address, length);
    return row(statement, field === 'type_signal' ? (SIGNAL_NAMES.get(value) ?? '') : value, prefix);
  });
  // Several networks may announce the same prefix (MOAS). The record has the one that most peers see.
  const otherOrigins = dataset.otherOrigins(address, match).filter(({ asn }) => asn !== record.asn);
  return [
    ...rows,
    ...otherOrigins.map(({ asn, source }) => row({ field: 'asn', value: asn, source }, asn, record.prefix)),
  ];
}

/**
 * Per statement: the length of the largest prefix around the address for which its source says the same. Prefixes that
 * contain the address are tried from the longest to the shortest, for all statements in one walk, which ends at the first
 * run for which no source says the same.
 */
function statedLengths(
  dataset: Dataset,
  address: Address,
  statements: readonly Statement[],
): ReadonlyMap<Statement, number> {
  const lengths = new Map<Statement, number>();
  const { version } = address;
  const bits = addressBits(version);
  const at = toBigInt(address);
  const repeatedBySet = new Map<number, ReadonlySet<Statement>>();
  const repeatedAt = (neighbour: Address): ReadonlySet<Statement> => {
    const match = dataset.find(neighbour);
    if (match === 0) return NONE;
    const set = dataset.attributesOf(match);
    let repeated = repeatedBySet.get(set);
    if (repeated === undefined) {
      repeated = repeatedStatements(dataset, set, statements);
      repeatedBySet.set(set, repeated);
    }
    return repeated;
  };

  let { start, end } = dataset.bounds(address);
  let same = statements;
  let length = widestPrefixLength(at, start, end, bits);
  const runs = { before: 0, after: 0 };
  while (same.length > 0 && length > 0) {
    const tried = length - 1;
    const first = toBigInt(truncateAddress(address, tried));
    const last = lastAddress(first, tried, bits);
    let repeated = same;
    const visit = (neighbour: Address, direction: keyof typeof runs) => {
      if (++runs[direction] > MAX_RUNS) repeated = [];
      else {
        const inRun = repeatedAt(neighbour);
        if (!repeated.every((statement) => inRun.has(statement)))
          repeated = repeated.filter((statement) => inRun.has(statement));
      }
      return dataset.bounds(neighbour);
    };
    while (start > first && repeated.length > 0) ({ start } = visit(fromBigInt(start - 1n, version), 'before'));
    while (end < last && repeated.length > 0) ({ end } = visit(fromBigInt(end + 1n, version), 'after'));
    for (const statement of same) if (!repeated.includes(statement)) lengths.set(statement, length);
    same = repeated;
    length = tried;
  }
  for (const statement of same) lengths.set(statement, length);
  return lengths;
}

const NONE: ReadonlySet<Statement> = new Set();

/** The statements that the same source makes with the same value about the records with this set of attributes. */
function repeatedStatements(dataset: Dataset, set: number, statements: readonly Statement[]): ReadonlySet<Statement> {
  const decisions = dataset.decisions(set);
  let attributes: ReturnType<Dataset['attributes']> | undefined;
  const shown = (field: string) => {
    attributes ??= dataset.attributes(set);
    return fieldValue(attributes, field);
  };
  return new Set(
    statements.filter(({ field, source, value }) =>
      decisions.some(
        ([decided, by, stated]) => decided === field && by === source && (stated ?? shown(field)) === value,
      ),
    ),
  );
}

function fieldValue(record: Pick<IpRecord, 'detection'>, field: string): Evidence['value'] {
  // Stored only where it is true.
  if (field === 'prefix_is_derived') return true;
  // A spread of both objects would be shorter, and was a third of the time of an explanation.
  const value =
    (record.detection as Record<string, unknown>)[field] ?? (record as unknown as Record<string, unknown>)[field];
  // An override can remove a name; the row then has an empty value.
  return (value ?? '') as Evidence['value'];
}
