// Which source decided each field. Values are taken from the record; the prefix is the largest
// around the address for which the source says the same. Decoded sets are kept as long as the
// dataset: neighbours share them.
import { type Address, ipv4, truncateAddress, wordMask } from '../address.ts';
import { isTooOld } from '../data-age.ts';
import type { Match } from '../file/match.ts';
import type { Dataset } from '../file/read.ts';
import { getOrInsert, Numbers } from '../get-or-insert.ts';
import {
  addressBits,
  formatPrefix,
  fromBigInt,
  lastAddress,
  toBigInt,
  widestPrefixLength,
} from '../prefix.ts';
import {
  AGING_NAMES,
  type Evidence,
  FLAGS,
  type IpRecord,
  neighbourWords,
  TOO_OLD,
  TYPE_SIGNALS,
  type TypeSource,
} from '../record.ts';

/** Fields that the route decides: their prefix is that of the record. */
const ANNOUNCED = new Set(['prefix', 'prefix_is_derived', 'asn', 'asn_name']);
/** Fields for which the age of a list matters. */
const AGING: ReadonlySet<string> = new Set([...FLAGS, 'threat.score', ...AGING_NAMES]);
/** Names of signals by what stands for them in the file. */
const SIGNAL_NAMES: ReadonlyMap<unknown, string> = new Map(
  Object.entries(TYPE_SIGNALS).map(([name, letters]) => [letters, name]),
);
/**
 * A source may say the same about a large part of the internet: the walk ends after this many runs
 * per direction.
 */
const MAX_RUNS = 256;
const MAX_KEPT_SETS = 8_192;
/** About 1.4 kB each. */
const MAX_KEPT_PREFIXES = 8_192;

/**
 * What a source says about all records with a set of attributes. Equal statements have the same id.
 */
type Statement = {
  readonly id: number;
  readonly field: string;
  readonly value: Evidence['value'];
  readonly source: number;
};

type Prepared = {
  readonly ids: Numbers;
  readonly statementsBySet: Kept<number, readonly Statement[]>;
  readonly jsonByPrefix: Kept<number | string, string>;
};

/**
 * Values by key. Half of them are dropped when there are too many, those that were not asked for
 * since the last time.
 */
class Kept<Key, Value> {
  readonly #maxHalf: number;
  #recent = new Map<Key, Value>();
  #older = new Map<Key, Value>();

  constructor(maxSize: number) {
    this.#maxHalf = maxSize / 2;
  }

  get(key: Key, make: () => Value): Value {
    const recent = this.#recent.get(key);
    if (recent !== undefined) return recent;
    const value = this.#older.get(key) ?? make();
    if (this.#recent.size >= this.#maxHalf) {
      this.#older = this.#recent;
      this.#recent = new Map();
    }
    this.#recent.set(key, value);
    return value;
  }
}

const preparedBy = new WeakMap<Dataset, Prepared>();

function preparedFor(dataset: Dataset): Prepared {
  return getOrInsert(preparedBy, dataset, () => ({
    ids: new Numbers(),
    statementsBySet: new Kept(MAX_KEPT_SETS),
    jsonByPrefix: new Kept(MAX_KEPT_PREFIXES),
  }));
}

export function explain(dataset: Dataset, address: Address, match: Match): readonly Evidence[] {
  return rowsOf(dataset, address, match, preparedFor(dataset));
}

/** What an explained record has beside the record. */
export type Explanation = { evidence: readonly Evidence[]; threat_is_known: boolean };

export function explanationOf(dataset: Dataset, address: Address, match: Match): Explanation {
  const threat_is_known = dataset.threatGap(address.version, match) === undefined;
  return { evidence: explain(dataset, address, match), threat_is_known };
}

/** The same as JSON, for a busy server. */
export function explanationJson(dataset: Dataset, address: Address, match: Match): string {
  return preparedFor(dataset).jsonByPrefix.get(prefixKey(dataset, address), () =>
    JSON.stringify(explanationOf(dataset, address, match)),
  );
}

/**
 * All addresses of the widest prefix around the address in its run have the same evidence, and the
 * same key.
 */
function prefixKey(dataset: Dataset, address: Address): number | string {
  if (address.version === 6)
    return formatPrefix(address, BIGINTS.widest(address, BIGINTS.at(dataset, address)));
  const length = NUMBERS.widest(address, NUMBERS.at(dataset, address));
  return NUMBERS.first(address, length) * 64 + length;
}

function rowsOf(dataset: Dataset, address: Address, match: Match, prepared: Prepared): Evidence[] {
  const record = dataset.record(address, match);
  const statements = statementsOf(dataset, dataset.attributesOf(match), prepared);
  const row = (
    field: string,
    stated: Evidence['value'],
    source: number,
    prefix: string,
  ): Evidence => {
    const stating = dataset.meta.sources[source];
    const { id = '', as_of = '' } = stating ?? {};
    const evidence = { field, value: shownValue(field, stated), source: id, prefix, as_of };
    const isOld = stating !== undefined && AGING.has(field) && isTooOld(stating, dataset.day);
    const note = isOld ? `list of ${as_of}, ${TOO_OLD}` : noteOf(field, stated, source, statements);
    return note === undefined ? evidence : { ...evidence, note };
  };
  const lengths =
    address.version === 4
      ? statedLengths(NUMBERS, dataset, address, statements, prepared)
      : statedLengths(BIGINTS, dataset, address, statements, prepared);
  const shown = statements.filter(({ field }) => field !== 'threat.limit');
  const rows = shown.map(({ id, field, value, source }) => {
    if (ANNOUNCED.has(field))
      return row(field, value === '' ? fieldValue(record, field) : value, source, record.prefix);
    return row(field, value, source, formatPrefix(address, lengths.get(id) ?? 0));
  });
  // Several networks may announce the same prefix (MOAS). The record has the one that most peers
  // see.
  const otherOrigins = dataset.otherOrigins(address, match).filter(({ asn }) => asn !== record.asn);
  return [
    ...rows.flatMap((row) =>
      row.field === 'connection_type' ? [row, typeSourceRow(dataset, match, row)] : [row],
    ),
    ...otherOrigins.map(({ asn, source }) => row('asn', asn, source, record.prefix)),
  ];
}

/** Beside the type, how it is known. */
function typeSourceRow(dataset: Dataset, match: Match, decided: Evidence): Evidence {
  return { ...decided, field: 'connection_type_source', value: typeSourceOf(dataset, match) };
}

/**
 * A flag with the value 0 was overruled; with another number the list names that many servers next
 * to the address.
 */
function shownValue(field: string, value: Evidence['value']): Evidence['value'] {
  if (field === 'type_signal') return SIGNAL_NAMES.get(value) ?? '';
  return typeof value === 'number' && field.startsWith('is_') ? value > 0 : value;
}

function noteOf(
  field: string,
  value: Evidence['value'],
  source: number,
  statements: readonly Statement[],
): string | undefined {
  if (field === 'threat.score' && value === 0)
    return statements.find(
      (statement) => statement.field === 'threat.limit' && statement.source === source,
    )?.value as string | undefined;
  if (typeof value !== 'number' || !field.startsWith('is_')) return undefined;
  return value > 0 ? neighbourWords(value) : 'what names the address itself comes first';
}

// Per statement: the length of the largest prefix for which its source says the same. Prefixes are
// tried from the longest on, in one walk that ends at the first run for which no source does.
function statedLengths<Position extends number | bigint>(
  positions: Positions<Position>,
  dataset: Dataset,
  address: Address,
  statements: readonly Statement[],
  prepared: Prepared,
): ReadonlyMap<number, number> {
  const lengths = new Map<number, number>();
  const interval = positions.at(dataset, address);
  let { start, end } = interval;
  let length = positions.widest(address, interval);
  let same = statements.filter(({ field }) => !ANNOUNCED.has(field));
  let before = 0;
  let after = 0;
  while (same.length > 0 && length > 0) {
    let repeated = same;
    const compare = (neighbour: Address) => {
      const other = positions.at(dataset, neighbour);
      const said =
        other.match === 0 ? [] : statementsOf(dataset, dataset.attributesOf(other.match), prepared);
      const isRepeated = ({ id }: Statement) => said.some((statement) => statement.id === id);
      if (!repeated.every(isRepeated)) repeated = repeated.filter(isRepeated);
      return other;
    };
    const first = positions.first(address, length - 1);
    const last = positions.last(address, length - 1);
    while (start > first && repeated.length > 0) {
      if (++before > MAX_RUNS) repeated = [];
      else ({ start } = compare(positions.before(start)));
    }
    while (end < last && repeated.length > 0) {
      if (++after > MAX_RUNS) repeated = [];
      else ({ end } = compare(positions.after(end)));
    }
    for (const statement of same)
      if (!repeated.includes(statement)) lengths.set(statement.id, length);
    same = repeated;
    length--;
  }
  for (const { id } of same) lengths.set(id, length);
  return lengths;
}

function statementsOf(
  dataset: Dataset,
  set: number,
  { statementsBySet, ids }: Prepared,
): readonly Statement[] {
  return statementsBySet.get(set, () => {
    const attributes = dataset.attributes(set);
    return dataset.decisions(set).map(([field, source, stated]) => {
      const value = stated ?? fieldValue(attributes, field);
      return { id: ids.of(`${field} ${source} ${value}`), field, value, source };
    });
  });
}

function fieldValue(record: Pick<IpRecord, 'detection'>, field: string): Evidence['value'] {
  // Stored only where it is true.
  if (field === 'prefix_is_derived') return true;
  // A spread of both objects would be shorter, and was a third of the time of an explanation.
  const value =
    (record.detection as Record<string, unknown>)[field] ??
    (record as unknown as Record<string, unknown>)[field];
  // An override can remove a name; the row then has an empty value.
  return (value ?? '') as Evidence['value'];
}

/** The addresses between two starts in the tables. */
type Interval<Position> = {
  readonly start: Position;
  readonly end: Position;
  readonly match: Match;
};

/**
 * Addresses of a family as positions that can be compared: numbers for IPv4, bigints for IPv6.
 * Walks go from an interval to its neighbours.
 */
type Positions<Position extends number | bigint> = {
  at(dataset: Dataset, address: Address): Interval<Position>;
  before(position: Position): Address;
  after(position: Position): Address;
  /** The first and last address of the prefix of this length around the address. */
  first(address: Address, length: number): Position;
  last(address: Address, length: number): Position;
  /** The length of the widest prefix around the address in the interval. */
  widest(address: Address, interval: Interval<Position>): number;
};

const LAST_IPV4 = 0xffffffff;

/** IPv4, without bigints, which would take most of the time. */
const NUMBERS: Positions<number> = {
  at(dataset, address) {
    const cursor = dataset.cursorFrom(address);
    cursor.advance();
    const { w0: start, match } = cursor;
    return { start, end: cursor.advance() ? cursor.w0 - 1 : LAST_IPV4, match };
  },
  before: (position) => ipv4(position - 1),
  after: (position) => ipv4(position + 1),
  first: ({ w0 }, length) => (w0 & wordMask(length)) >>> 0,
  last: ({ w0 }, length) => (w0 | ~wordMask(length)) >>> 0,
  widest({ w0 }, { start, end }) {
    const before = start === 0 ? 0 : Math.clz32(w0 ^ (start - 1)) + 1;
    const after = end === LAST_IPV4 ? 0 : Math.clz32(w0 ^ (end + 1)) + 1;
    return Math.max(before, after);
  },
};

const BIGINTS: Positions<bigint> = {
  at: (dataset, address) => ({ ...dataset.bounds(address), match: dataset.find(address) }),
  before: (position) => fromBigInt(position - 1n, 6),
  after: (position) => fromBigInt(position + 1n, 6),
  first: (address, length) => toBigInt(truncateAddress(address, length)),
  last: (address, length) =>
    lastAddress(toBigInt(truncateAddress(address, length)), length, addressBits(6)),
  widest: (address, { start, end }) =>
    widestPrefixLength(toBigInt(address), start, end, addressBits(6)),
};

/** Per set of attributes: decoding its decisions takes longer than a lookup. */
const typeSources = new WeakMap<Dataset, (TypeSource | undefined)[]>();

/** How much a connection type is worth depends on this. `assumed` business means unknown. */
export function typeSourceOf(dataset: Dataset, match: Match): TypeSource {
  const sourcesOfSets = getOrInsert(typeSources, dataset, () => []);
  const set = dataset.attributesOf(match);
  sourcesOfSets[set] ??= decideTypeSource(dataset, set);
  return sourcesOfSets[set];
}

function decideTypeSource(dataset: Dataset, set: number): TypeSource {
  const decisions = dataset.decisions(set);
  const deciding = decisions.find(([field]) => field === 'connection_type')?.[1];
  const id = deciding === undefined ? '' : dataset.meta.sources[deciding]?.id;
  const signal = decisions.find(([field]) => field === 'type_signal')?.[2];
  // Also of the operator's own networks that have no type.
  if (signal === TYPE_SIGNALS.assumed) return 'assumed';
  if (id === 'name-rules') return 'rule';
  return id === 'type-signals' ? 'signals' : 'table';
}
