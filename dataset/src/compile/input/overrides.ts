/**
 * The operator's corrections: a JSON file that is applied after every feed and is named in explanation and evidence. An
 * invalid file is refused as a whole, with the position of the error: applying only some exceptions is worse than
 * keeping the previous dataset.
 *
 *   { "allow":    [{ "prefix": "192.0.2.0/24", "reason": "our scanners" }],
 *     "deny":     [{ "asn": 64500, "reason": "card testing" }],
 *     "relabel":  [{ "asn": 64501, "connection_type": "business", "reason": "a customer" }],
 *     "networks": [{ "prefix": "10.0.0.0/8", "asn": 64512, "asn_name": "Intranet", "connection_type": "business" }] }
 */

import { isCountry } from '../../country-code.ts';
import { DatasetError } from '../../dataset-error.ts';
import { parsePrefix, type Range } from '../../prefix.ts';
import { type FamilyRanges, Ranges } from '../../ranges.ts';
import { CONNECTION_TYPES, type ConnectionType, type Source } from '../../record.ts';
import { specialPurposeRanges } from '../../special-purpose.ts';

export type Verdict = { readonly kind: 'allow' | 'deny'; readonly reason: string | undefined };

const FLAGS = ['is_tor_exit', 'is_proxy', 'is_vpn'] as const;
const TEXTS = ['cloud_provider', 'ai_company'] as const;

/** Fields that the operator sets. `null` removes a name. */
export type Relabel = { readonly country?: string; readonly connection_type?: ConnectionType } & {
  readonly [K in (typeof FLAGS)[number]]?: boolean;
} & { readonly [K in (typeof TEXTS)[number]]?: string | null };

/**
 * Entries for prefixes, as ranges whose values are positions in `list`, and entries for whole networks, by AS number.
 */
type Scoped<T> = { readonly list: readonly T[]; readonly ranges: FamilyRanges; readonly asns: ReadonlyMap<number, T> };

type OwnNetwork = { readonly range: Range; readonly asn: number; readonly name: string | undefined };

export type Overrides = {
  readonly source: Source;
  readonly verdicts: Scoped<Verdict>;
  readonly relabels: Scoped<Relabel>;
  readonly networks: readonly OwnNetwork[];
};

export function parseOverrides(text: string, as_of: string): Overrides {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch (error) {
    throw refusal(`not JSON: ${(error as Error).message}`);
  }
  const lists = objectAt('the file', file, ['allow', 'deny', 'relabel', 'networks']);
  const verdicts = new ScopedEntries<Verdict>();
  const relabels = new ScopedEntries<Relabel>();
  const networks: OwnNetwork[] = [];
  let records = 0;
  const entries = (name: string, fields: readonly string[], visit: (entry: Entry, path: string) => void) => {
    const list = lists[name] ?? [];
    if (!Array.isArray(list)) throw refusal(`${name} is not a list`);
    list.forEach((entry, i) => {
      const path = `${name}[${i}]`;
      visit(objectAt(path, entry, [...fields, 'reason']), path);
      records++;
    });
  };
  for (const kind of ['allow', 'deny'] as const) {
    entries(kind, ['prefix', 'asn'], (entry, path) => {
      verdicts.add(entry, path, { kind, reason: optional<string>(entry, 'reason', path, isText) });
    });
  }
  entries('relabel', ['prefix', 'asn', ...RELABEL_FIELDS], (entry, path) => {
    const relabel = relabelOf(entry, path);
    if (Object.keys(relabel).length === 0) throw refusal(`${path} sets nothing; fields: ${RELABEL_FIELDS.join(', ')}`);
    relabels.add(entry, path, relabel);
  });
  entries('networks', ['prefix', 'asn', 'asn_name', ...RELABEL_FIELDS], (entry, path) => {
    const range = prefixAt(entry, path);
    const asn = optional<number>(entry, 'asn', path, isAsn);
    if (range === undefined || asn === undefined) throw refusal(`${path} needs a prefix and an asn`);
    checkUsable(range, path);
    networks.push({ range, asn, name: optional<string>(entry, 'asn_name', path, isText) });
    const relabel = relabelOf(entry, path);
    if (Object.keys(relabel).length > 0) relabels.add({ prefix: entry['prefix'] }, path, relabel);
  });
  return {
    source: { id: 'overrides', as_of, licence: 'local', credit: 'local', records },
    verdicts,
    relabels,
    networks,
  };
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
    if ((range === undefined) === (asn === undefined)) throw refusal(`${path} needs either a prefix or an asn`);
    if (asn !== undefined) this.asns.set(asn, value);
    if (range !== undefined) this.ranges[range.version].add(range.start, range.end, this.list.push(value) - 1);
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
  for (const flag of FLAGS) set(flag, { test: (value) => typeof value === 'boolean', expected: 'true or false' });
  for (const name of TEXTS)
    set(name, { test: (value) => value === null || isText.test(value), expected: 'a name, or null for none' });
  return relabel;
}

/** Own networks may be in private space, but not in other reserved space: addresses there are never looked up. */
function checkUsable({ version, start, end }: Range, path: string): void {
  if (version === 6 && (start >> 125n !== 1n || end >> 125n !== 1n))
    throw refusal(`${path}: IPv6 outside 2000::/3 is not part of a dataset`);
  const isPrivate = PRIVATE.some((range) => range !== undefined && start >= range.start && end <= range.end);
  const reserved = specialPurposeRanges(version).some((range) => start <= range.end && end >= range.start);
  if (version === 4 && reserved && !isPrivate)
    throw refusal(`${path} overlaps special-purpose space that is not private use (RFC 1918, RFC 6598)`);
}

const PRIVATE = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10'].map(parsePrefix);

type Check = { readonly test: (value: unknown) => boolean; readonly expected: string };

const isText: Check = {
  test: (value) => typeof value === 'string' && /^[^\p{Cc}]{1,200}$/u.test(value),
  expected: 'a text of at most 200 characters without control characters',
};
const isAsn: Check = {
  test: (value) => Number.isInteger(value) && Number(value) > 0 && Number(value) < 2 ** 32,
  expected: 'an AS number',
};

/** `T` is the type of the values that pass `test`. */
function optional<T>(entry: Entry, field: string, path: string, { test, expected }: Check): T | undefined {
  const value = entry[field];
  if (value === undefined) return undefined;
  if (!test(value)) throw refusal(`${path}.${field} is ${JSON.stringify(value)}, but must be ${expected}`);
  return value as T;
}

function prefixAt(entry: Entry, path: string): Range | undefined {
  const text = optional<string>(entry, 'prefix', path, isText);
  if (text === undefined) return undefined;
  const range = parsePrefix(text);
  if (range === undefined)
    throw refusal(`${path}.prefix is ${JSON.stringify(text)}, which is not a prefix or an address`);
  return range;
}

function objectAt(path: string, value: unknown, fields: readonly string[]): Entry {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw refusal(`${path} is not an object`);
  const unknown = Object.keys(value).find((field) => !fields.includes(field));
  // A misspelt field would silently disable the exception.
  if (unknown !== undefined) throw refusal(`${path} has an unknown field ${unknown}; known are ${fields.join(', ')}`);
  return value as Entry;
}

function refusal(reason: string): DatasetError {
  return new DatasetError(`overrides: ${reason}`);
}
