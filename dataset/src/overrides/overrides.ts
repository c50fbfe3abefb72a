// The operator's corrections: a JSON file that stands over every version of the dataset and is
// named in explanation and evidence. An invalid file is refused as a whole, with the line of the
// error: applying only some exceptions is worse than keeping the previous ones.
//
//   { "allow":    [{ "prefix": "192.0.2.0/24", "reason": "our scanners" }],
//     "deny":     [{ "asn": 64500, "reason": "card testing" }],
//     "relabel":  [{ "asn": 64501, "connection_type": "business", "reason": "a customer" }],
//     "networks": [{ "prefix": "10.0.0.0/8", "asn": 64512, "asn_name": "Intranet", "labels": ["office"] }] }

import { DatasetError } from '../dataset-error.ts';
import { addressBits, parsePrefix, type Range } from '../prefix.ts';
import { type FamilyRanges, Ranges } from '../ranges.ts';
import { CONNECTION_TYPES, type ConnectionType, isCountry, type Source } from '../record.ts';
import { specialPurposeRanges } from '../special-purpose.ts';

export type Verdict = { readonly kind: 'allow' | 'deny'; readonly reason: string | undefined };

const FLAGS = ['is_tor_exit', 'is_proxy', 'is_vpn'] as const;
const TEXTS = ['cloud_provider', 'ai_company'] as const;

/** Fields that the operator sets. `null` removes a name. */
export type Relabel = { readonly country?: string; readonly connection_type?: ConnectionType } & {
  readonly [K in (typeof FLAGS)[number]]?: boolean;
} & { readonly [K in (typeof TEXTS)[number]]?: string | null };

/** For prefixes, ranges whose values are positions in `list`; for whole networks, by AS number. */
type Scoped<T> = {
  readonly list: readonly T[];
  readonly ranges: FamilyRanges;
  readonly asns: ReadonlyMap<number, T>;
};

export type OwnNetwork = {
  readonly range: Range;
  readonly length: number;
  readonly asn: number;
  readonly name: string | undefined;
};

export type Overrides = {
  readonly source: Source;
  readonly verdicts: Scoped<Verdict>;
  readonly relabels: Scoped<Relabel>;
  readonly networks: readonly OwnNetwork[];
  readonly labels: Scoped<readonly string[]>;
};

export const OVERRIDES_LIMITS = { maxBytes: 64_000_000, timeoutMs: 10_000 };
/** Each makes a record of its own for each version of the dataset, in some 30 us. */
const MAX_ENTRIES = 100_000;

/** `as_of`: the day of its last change. */
export function parseOverrides(text: string, as_of: string): Overrides {
  try {
    return overridesOf(parseJson(text), as_of);
  } catch (error) {
    const { message } = error as Error;
    const [, list = '', index = ''] = /^overrides: (\w+)\[(\d+)\]/.exec(message) ?? [];
    const line = list === '' ? undefined : lineOfEntry(text, list, Number(index));
    throw line === undefined ? error : refusal(message.replace('overrides: ', `line ${line}: `));
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw refusal(`not JSON: ${(error as Error).message}`);
  }
}

function overridesOf(file: unknown, as_of: string): Overrides {
  const lists = objectAt('the file', file, ['allow', 'deny', 'relabel', 'networks']);
  const verdicts = new ScopedEntries<Verdict>();
  const relabels = new ScopedEntries<Relabel>();
  const labels = new ScopedEntries<readonly string[]>();
  const networks: OwnNetwork[] = [];
  let records = 0;
  const entries = (
    name: string,
    fields: readonly string[],
    visit: (entry: Entry, path: string) => void,
  ) => {
    const list = lists[name] ?? [];
    if (!Array.isArray(list)) throw refusal(`${name} is not a list`);
    list.forEach((entry, i) => {
      const path = `${name}[${i}]`;
      visit(objectAt(path, entry, [...fields, 'reason']), path);
      if (++records > MAX_ENTRIES) throw refusal(`more than ${MAX_ENTRIES} entries`);
    });
  };
  for (const kind of ['allow', 'deny'] as const) {
    entries(kind, ['prefix', 'asn'], (entry, path) => {
      verdicts.add(entry, path, { kind, reason: optional<string>(entry, 'reason', path, isText) });
    });
  }
  /** False if the entry sets none of them. */
  const addFields = (scope: Entry, entry: Entry, path: string): boolean => {
    const relabel = relabelOf(entry, path);
    const own = optional<string[]>(entry, 'labels', path, areLabels);
    const hasFields = Object.keys(relabel).length > 0;
    if (hasFields) relabels.add(scope, path, relabel);
    if (own !== undefined) labels.add(scope, path, own);
    return hasFields || own !== undefined;
  };
  entries('relabel', ['prefix', 'asn', ...RELABEL_FIELDS, 'labels'], (entry, path) => {
    if (!addFields(entry, entry, path))
      throw refusal(`${path} sets nothing; fields: ${RELABEL_FIELDS.join(', ')}, labels`);
  });
  entries('networks', ['prefix', 'asn', 'asn_name', ...RELABEL_FIELDS, 'labels'], (entry, path) => {
    const range = prefixAt(entry, path);
    const asn = optional<number>(entry, 'asn', path, isAsn);
    if (range === undefined || asn === undefined)
      throw refusal(`${path} needs a prefix and an asn`);
    checkUsable(range, path);
    networks.push({
      range,
      length: lengthOf(range),
      asn,
      name: optional<string>(entry, 'asn_name', path, isText),
    });
    addFields({ prefix: entry['prefix'] }, entry, path);
  });
  return {
    source: { id: 'overrides', as_of, licence: 'local', credit: 'local', records },
    verdicts,
    relabels,
    networks,
    labels,
  };
}

/** The line on which the element of a list in a JSON object begins. */
function lineOfEntry(text: string, list: string, index: number): number | undefined {
  let depth = 0;
  let element = -1;
  let isInList = false;
  let line = 1;
  for (const { 0: token } of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],\n]/g)) {
    if (token === '\n') line++;
    else if (depth === 1 && token.startsWith('"')) isInList = token === `"${list}"`;
    else if (token === '{' || token === '[') {
      if (depth === 1) element = -1;
      if (depth === 2 && isInList && ++element === index) return line;
      depth++;
    } else if (token === '}' || token === ']') depth--;
  }
  return undefined;
}

type Entry = Readonly<Record<string, unknown>>;

const RELABEL_FIELDS = ['country', 'connection_type', ...FLAGS, ...TEXTS];

class ScopedEntries<T> implements Scoped<T> {
  readonly list: T[] = [];
  readonly ranges = { 4: new Ranges(), 6: new Ranges() };
  readonly asns = new Map<number, T>();

  add(entry: Entry, path: string, value: T): void {
    const range = prefixAt(entry, path);
    const asn = optional<number>(entry, 'asn', path, isAsn);
    if ((range === undefined) === (asn === undefined))
      throw refusal(`${path} needs either a prefix or an asn`);
    if (asn !== undefined) this.asns.set(asn, value);
    if (range !== undefined)
      this.ranges[range.version].add(range.start, range.end, this.list.push(value) - 1);
  }
}

function relabelOf(entry: Entry, path: string): Relabel {
  const relabel: Record<string, unknown> = {};
  const set = (field: string, check: Check) => {
    const value = optional(entry, field, path, check);
    if (value !== undefined) relabel[field] = value;
  };
  set('country', {
    test: (value) => typeof value === 'string' && isCountry(value),
    expected: 'a country code like DE',
  });
  set('connection_type', {
    test: (value) => (CONNECTION_TYPES as readonly unknown[]).includes(value),
    expected: `one of ${CONNECTION_TYPES.join(', ')}`,
  });
  for (const flag of FLAGS)
    set(flag, { test: (value) => typeof value === 'boolean', expected: 'true or false' });
  for (const name of TEXTS)
    set(name, {
      test: (value) => value === null || isText.test(value),
      expected: 'a name, or null for none',
    });
  return relabel;
}

/** Own networks may be in private space, but not in other reserved space. */
function checkUsable(range: Range, path: string): void {
  const { version, start, end } = range;
  const isReserved =
    version === 6
      ? start >> 125n !== 1n || end >> 125n !== 1n
      : specialPurposeRanges(4).some((special) => start <= special.end && end >= special.start);
  if (isReserved && !isPrivate(range))
    throw refusal(
      `${path} overlaps special-purpose space that is not private use (RFC 1918, RFC 6598, RFC 4193)`,
    );
}

/**
 * Every record in a prefix is made again when the file is read: of all of IPv4, that would take
 * seconds.
 */
const MIN_LENGTH = { 4: 8, 6: 16 } as const;

const lengthOf = ({ version, start, end }: Range): number =>
  addressBits(version) - (end - start).toString(2).replace(/^0$/, '').length;

const isPrivate = ({ version, start, end }: Range): boolean =>
  PRIVATE.some((range) => range?.version === version && start >= range.start && end <= range.end);

const PRIVATE = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7'].map(
  parsePrefix,
);

type Check = { readonly test: (value: unknown) => boolean; readonly expected: string };

const isText: Check = {
  test: (value) => typeof value === 'string' && /^[^\p{Cc}]{1,200}$/u.test(value),
  expected: 'a text of at most 200 characters without control characters',
};
const MAX_LABELS = 20;
const areLabels: Check = {
  test: (value) =>
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= MAX_LABELS &&
    value.every(isText.test),
  expected: `a list of at most ${MAX_LABELS} texts`,
};
const isAsn: Check = {
  test: (value) => Number.isInteger(value) && Number(value) > 0 && Number(value) < 2 ** 32,
  expected: 'an AS number',
};

/** `T` is the type of the values that pass `test`. */
function optional<T>(
  entry: Entry,
  field: string,
  path: string,
  { test, expected }: Check,
): T | undefined {
  const value = entry[field];
  if (value === undefined) return undefined;
  if (!test(value))
    throw refusal(
      `${path}.${field} is ${JSON.stringify(value).slice(0, 300)}, but must be ${expected}`,
    );
  return value as T;
}

function prefixAt(entry: Entry, path: string): Range | undefined {
  const text = optional<string>(entry, 'prefix', path, isText);
  if (text === undefined) return undefined;
  const range = parsePrefix(text);
  if (range === undefined)
    throw refusal(`${path}.prefix is ${JSON.stringify(text)}, which is not a prefix or an address`);
  if (lengthOf(range) < MIN_LENGTH[range.version] && !isPrivate(range))
    throw refusal(
      `${path}.prefix is ${JSON.stringify(text)}, which is wider than /${MIN_LENGTH[range.version]}`,
    );
  return range;
}

function objectAt(path: string, value: unknown, fields: readonly string[]): Entry {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw refusal(`${path} is not an object`);
  const unknown = Object.keys(value).find((field) => !fields.includes(field));
  // A misspelt field would silently disable the exception.
  if (unknown !== undefined)
    throw refusal(
      `${path} has an unknown field ${unknown.slice(0, 80)}; known are ${fields.join(', ')}`,
    );
  return value as Entry;
}

function refusal(reason: string): DatasetError {
  return new DatasetError(`overrides: ${reason}`);
}
