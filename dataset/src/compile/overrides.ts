/**
 * What the operator knows better: a JSON file that is applied after every feed and shows in explanation and evidence. A file that does not read is
 * refused whole, with the place: half of a list of exceptions is worse than the build of yesterday.
 *
 *   { "allow":    [{ "prefix": "192.0.2.0/24", "reason": "our scanners" }],
 *     "deny":     [{ "asn": 64500, "reason": "card testing" }],
 *     "relabel":  [{ "asn": 64501, "connection_type": "business", "reason": "a customer" }],
 *     "networks": [{ "prefix": "10.0.0.0/8", "asn": 64512, "asn_name": "Intranet", "country": "DE", "connection_type": "business" }] }
 */

import { isCountry } from '../country-code.ts';
import { DatasetError, ROLES } from '../format.ts';
import { parsePrefix, type Range } from '../prefix.ts';
import type { ConnectionType, Source } from '../record.ts';
import { specialPurposeRanges } from '../tables/special-purpose.ts';
import type { FamilyRanges } from './parsed.ts';
import { Ranges } from './ranges.ts';

export type Verdict = { readonly kind: 'allow' | 'deny'; readonly reason: string | undefined };

const FLAGS = ['is_tor_exit', 'is_proxy', 'is_vpn'] as const;
const TEXTS = ['cloud_provider', 'ai_company'] as const;

/** Fields that the operator sets. `null` takes a name away. */
export type Relabel = { readonly country?: string; readonly connection_type?: ConnectionType } & {
  readonly [K in (typeof FLAGS)[number]]?: boolean;
} & { readonly [K in (typeof TEXTS)[number]]?: string | null };

/** Values are positions in the list: what holds for addresses, and for whole networks. */
type Placed<T> = { readonly list: readonly T[]; readonly ranges: FamilyRanges; readonly asns: ReadonlyMap<number, T> };

export type OwnNetwork = { readonly range: Range; readonly asn: number; readonly name: string | undefined };

export type Overrides = {
  readonly source: Source;
  readonly verdicts: Placed<Verdict>;
  readonly relabels: Placed<Relabel>;
  readonly networks: readonly OwnNetwork[];
};

export function parseOverrides(text: string, as_of: string): Overrides {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch (error) {
    throw refusal(`it is not JSON: ${(error as Error).message}`);
  }
  const lists = objectAt('the file', file, ['allow', 'deny', 'relabel', 'networks']);
  const verdicts = new Placement<Verdict>();
  const relabels = new Placement<Relabel>();
  const networks: OwnNetwork[] = [];
  let records = 0;
  const entries = (name: string, fields: readonly string[], take: (entry: Entry, place: string) => void) => {
    const list = lists[name] ?? [];
    if (!Array.isArray(list)) throw refusal(`${name} is not a list`);
    list.forEach((entry, i) => {
      const place = `${name}[${i}]`;
      take(objectAt(place, entry, [...fields, 'reason']), place);
      records++;
    });
  };
  for (const kind of ['allow', 'deny'] as const) {
    entries(kind, ['prefix', 'asn'], (entry, place) => {
      verdicts.add(entry, place, { kind, reason: optional<string>(entry, 'reason', place, isText) });
    });
  }
  entries('relabel', ['prefix', 'asn', ...RELABEL_FIELDS], (entry, place) => {
    const relabel = relabelOf(entry, place);
    if (Object.keys(relabel).length === 0) throw refusal(`${place} sets nothing; fields: ${RELABEL_FIELDS.join(', ')}`);
    relabels.add(entry, place, relabel);
  });
  entries('networks', ['prefix', 'asn', 'asn_name', ...RELABEL_FIELDS], (entry, place) => {
    const range = prefixAt(entry, place);
    const asn = optional<number>(entry, 'asn', place, isAsn);
    if (range === undefined || asn === undefined) throw refusal(`${place} needs a prefix and an asn`);
    checkUsable(range, place);
    networks.push({ range, asn, name: optional<string>(entry, 'asn_name', place, isText) });
    const relabel = relabelOf(entry, place);
    if (Object.keys(relabel).length > 0) relabels.add({ prefix: entry['prefix'] }, place, relabel);
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

class Placement<T> implements Placed<T> {
  readonly list: T[] = [];
  readonly ranges = { 4: new Ranges(), 6: new Ranges() };
  readonly asns = new Map<number, T>();

  add(entry: Entry, place: string, value: T): void {
    const range = prefixAt(entry, place);
    const asn = optional<number>(entry, 'asn', place, isAsn);
    if ((range === undefined) === (asn === undefined)) throw refusal(`${place} needs either a prefix or an asn`);
    if (asn !== undefined) this.asns.set(asn, value);
    if (range !== undefined) this.ranges[range.version].add(range.start, range.end, this.list.push(value) - 1);
  }
}

function relabelOf(entry: Entry, place: string): Relabel {
  const relabel: Record<string, unknown> = {};
  const take = (field: string, check: Check) => {
    const value = optional(entry, field, place, check);
    if (value !== undefined) relabel[field] = value;
  };
  take('country', { test: (value) => typeof value === 'string' && isCountry(value), words: 'a country code like DE' });
  take('connection_type', {
    test: (value) => (ROLES as readonly unknown[]).includes(value),
    words: `one of ${ROLES.join(', ')}`,
  });
  for (const flag of FLAGS) take(flag, { test: (value) => typeof value === 'boolean', words: 'true or false' });
  for (const name of TEXTS)
    take(name, { test: (value) => value === null || isText.test(value), words: 'a name, or null for none' });
  return relabel;
}

/** Own networks may lie in private space, where nobody else can be; everywhere else that is reserved they would never be asked for. */
function checkUsable({ version, start, end }: Range, place: string): void {
  if (version === 6 && (start >> 125n !== 1n || end >> 125n !== 1n))
    throw refusal(`${place}: IPv6 outside 2000::/3 has no place in a dataset`);
  const isPrivate = PRIVATE.some((range) => range !== undefined && start >= range.start && end <= range.end);
  const reserved = specialPurposeRanges(version).some((range) => start <= range.end && end >= range.start);
  if (version === 4 && reserved && !isPrivate)
    throw refusal(`${place} overlaps special-purpose space that is not private use (RFC 1918, RFC 6598)`);
}

const PRIVATE = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10'].map(parsePrefix);

type Check = { readonly test: (value: unknown) => boolean; readonly words: string };

const isText: Check = {
  test: (value) => typeof value === 'string' && /^[^\p{Cc}]{1,200}$/u.test(value),
  words: 'a text of at most 200 characters, none of them a control character',
};
const isAsn: Check = {
  test: (value) => Number.isInteger(value) && Number(value) > 0 && Number(value) < 2 ** 32,
  words: 'an AS number',
};

/** `T` is what `test` lets through. */
function optional<T>(entry: Entry, field: string, place: string, { test, words }: Check): T | undefined {
  const value = entry[field];
  if (value === undefined) return undefined;
  if (!test(value)) throw refusal(`${place}.${field} is ${JSON.stringify(value)}, but must be ${words}`);
  return value as T;
}

function prefixAt(entry: Entry, place: string): Range | undefined {
  const text = optional<string>(entry, 'prefix', place, isText);
  if (text === undefined) return undefined;
  const range = parsePrefix(text);
  if (range === undefined) throw refusal(`${place}.prefix is ${JSON.stringify(text)}, which is no prefix or address`);
  return range;
}

function objectAt(place: string, value: unknown, fields: readonly string[]): Entry {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw refusal(`${place} is not an object`);
  const unknown = Object.keys(value).find((field) => !fields.includes(field));
  // A misspelt field would be an exception that silently does not hold.
  if (unknown !== undefined) throw refusal(`${place} has the field ${unknown}; known are ${fields.join(', ')}`);
  return value as Entry;
}

function refusal(sentence: string): DatasetError {
  return new DatasetError(`overrides: ${sentence}`);
}
