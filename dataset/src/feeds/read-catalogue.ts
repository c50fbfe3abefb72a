// An operator's catalogue: own feeds, and changes to the built-in ones. An invalid catalogue is
// refused as a whole, with the position of the error: if a feed were silently left out, its flags
// would be missing without a message.
//
//   { "extends": "built-in",                          omit to use only the feeds below
//     "enable": ["greensnow"], "disable": ["ipsum"],  by id; `bgptools-*` matches a prefix
//     "feeds": [{ "id": "our-list", "url": "file:///srv/bad.txt", "format": "cidr-lines", "drives": ["blocklist"] }] }
import { MAX_ASN } from '../as-number.ts';
import { DatasetError } from '../dataset-error.ts';
import { CONNECTION_TYPES } from '../record.ts';
import { builtInFeeds } from './catalogue.ts';
import { DRIVES, type Drive, type Feed, MAX_AGE_DAYS } from './feed.ts';
import { FEED_ID } from './feed-cache.ts';
import { DRIVES_OF, FORMATS } from './formats.ts';

export type ActiveFeed = Feed & { readonly isOn: boolean };

export function defaultFeeds(): ActiveFeed[] {
  return builtInFeeds().map((feed) => ({ ...feed, isOn: feed.mode === 'on' }));
}

export function parseCatalogue(text: string): ActiveFeed[] {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch (error) {
    throw refusal(`it is not JSON: ${(error as Error).message}`);
  }
  // A list is a catalogue that contains only these feeds.
  const {
    extends: base,
    enable,
    disable,
    feeds,
  } = Array.isArray(file)
    ? ({ feeds: file } as Record<string, unknown>)
    : fieldsOf('the catalogue', file, ['extends', 'enable', 'disable', 'feeds']);
  if (base !== undefined && base !== 'built-in') throw refusal('extends can only be "built-in"');
  const builtIn = base === undefined ? [] : defaultFeeds();
  if (feeds !== undefined && !Array.isArray(feeds)) throw refusal('feeds is not a list');
  const own = (feeds ?? []).map((feed: unknown, i: number) => parseFeed(feed, `feeds[${i}]`));
  const repeated = own.find(({ id }, i) => own.findIndex((other) => other.id === id) !== i);
  if (repeated !== undefined) throw refusal(`the feed ${repeated.id} is listed twice`);
  // A feed with the id of a built-in one replaces it at its position, so the order of trust does
  // not change.
  const merged = builtIn.map((feed) => own.find(({ id }) => id === feed.id) ?? feed);
  const all = [...merged, ...own.filter(({ id }) => !builtIn.some((feed) => feed.id === id))];
  const switched = (names: unknown, field: string): Set<string> => {
    if (names === undefined) return new Set();
    if (!Array.isArray(names)) throw refusal(`${field} is not a list of ids`);
    return new Set(names.flatMap((name) => idsLike(all, name, field)));
  };
  const on = switched(enable, 'enable');
  const off = switched(disable, 'disable');
  return all.map((feed) => ({
    ...feed,
    isOn: (feed.isOn || on.has(feed.id)) && !off.has(feed.id),
  }));
}

function idsLike(feeds: readonly Feed[], name: unknown, field: string): string[] {
  const text = String(name);
  const ids = feeds.map(({ id }) => id);
  const matching = text.endsWith('*')
    ? ids.filter((id) => id.startsWith(text.slice(0, -1)))
    : ids.filter((id) => id === text);
  if (matching.length === 0)
    throw refusal(`${field} names ${JSON.stringify(name)}, but there is no such feed`);
  return matching;
}

type FieldCheck = {
  readonly isRight: (value: unknown) => boolean;
  readonly words: string;
  readonly fallback?: unknown;
};

const text: FieldCheck = {
  isRight: (value) => typeof value === 'string' && value !== '' && value.length <= 500,
  words: 'a text of at most 500 characters',
};
const hours: FieldCheck = {
  isRight: (value) => typeof value === 'number' && value > 0 && value <= 87_600,
  words: 'a number of hours',
};
const yesOrNo: FieldCheck = {
  isRight: (value) => typeof value === 'boolean',
  words: 'true or false',
};
const count: FieldCheck = {
  isRight: (value) => Number.isInteger(value) && Number(value) >= 0,
  words: 'a whole number from 0',
};
const feedId: FieldCheck = {
  isRight: (value) => typeof value === 'string' && FEED_ID.test(value),
  words:
    'lower-case letters, digits, dots and hyphens, at most 64, and not lock or last-update.json',
};
const asn: FieldCheck = {
  isRight: (value) =>
    typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= MAX_ASN,
  words: 'an AS number',
};
const listOf = ({ isRight }: FieldCheck, words: string): FieldCheck => ({
  isRight: (value) =>
    Array.isArray(value) && value.length > 0 && value.length <= 1_000 && value.every(isRight),
  words,
});

/** A field without a default is required, unless it is optional. */
const FIELDS: Readonly<Record<keyof Feed, FieldCheck & { readonly isOptional?: boolean }>> = {
  id: feedId,
  url: { isRight: isFeedUrl, words: 'an https:, http: or file: URL without a user name' },
  link: {
    isRight: isPattern,
    words: 'a regular expression of at most 300 characters',
    isOptional: true,
  },
  format: {
    isRight: (value) => Object.hasOwn(FORMATS, String(value)),
    words: `one of ${Object.keys(FORMATS).join(', ')}`,
  },
  licence: { ...text, fallback: 'not given' },
  credit: { ...text, fallback: 'not given' },
  drives: {
    isRight: (value) =>
      Array.isArray(value) &&
      value.length > 0 &&
      value.every((item) => (DRIVES as readonly unknown[]).includes(item)),
    words: `a list of some of ${DRIVES.join(', ')}`,
  },
  refresh_hours: { ...hours, fallback: 24 },
  expire_hours: { ...hours, isOptional: true },
  max_age_days: {
    isRight: (value) => Number.isInteger(value) && Number(value) > 0 && Number(value) <= 36_500,
    words: 'a whole number of days from 1',
    isOptional: true,
  },
  mode: {
    isRight: (value) => value === 'on' || value === 'opt-in',
    words: 'on or opt-in',
    fallback: 'on',
  },
  needs_contact: { ...yesOrNo, isOptional: true },
  min_records: { ...count, fallback: 1 },
  max_records: { ...count, fallback: 2_000_000 },
  max_bytes: { ...count, isOptional: true },
  is_aggregate: { ...yesOrNo, isOptional: true },
  direct: { ...yesOrNo, isOptional: true },
  broad: { ...yesOrNo, isOptional: true },
  contains: { ...listOf(feedId, 'a list of ids of feeds'), isOptional: true },
  fallback_for: { ...feedId, words: 'the id of a feed', isOptional: true },
  asns: { ...listOf(asn, 'a list of AS numbers'), isOptional: true },
  provider: { ...text, isOptional: true },
  company: { ...text, isOptional: true },
  operator: { ...text, isOptional: true },
  crawler: { ...text, isOptional: true },
  is_relay: { ...yesOrNo, isOptional: true },
  is_generic: { ...yesOrNo, isOptional: true },
  connection_type: {
    isRight: (value) => (CONNECTION_TYPES as readonly unknown[]).includes(value),
    words: `one of ${CONNECTION_TYPES.join(', ')}`,
    isOptional: true,
  },
};

/**
 * Holds for a copy at another URL too: a mirror of a relay's list without `is_relay` would make it
 * a VPN.
 */
const INHERITED: readonly (keyof Feed)[] = [
  'max_age_days',
  'is_aggregate',
  'direct',
  'broad',
  'contains',
  'fallback_for',
  'asns',
  'provider',
  'company',
  'operator',
  'crawler',
  'is_relay',
  'is_generic',
];

function parseFeed(value: unknown, place: string): ActiveFeed {
  const own = fieldsOf(place, value, Object.keys(FIELDS));
  const builtIn = builtInFeeds().find(({ id }) => id === own['id']);
  const inherited =
    builtIn === undefined ? [] : INHERITED.map((field) => [field, builtIn[field]] as const);
  const entry: Record<string, unknown> = {
    ...defaultAge(own),
    ...Object.fromEntries(inherited),
    ...own,
  };
  const feed: Record<string, unknown> = {};
  for (const [field, { isRight, words, fallback, isOptional }] of Object.entries(FIELDS)) {
    const given = entry[field] ?? fallback;
    if (given === undefined && isOptional === true) continue;
    if (given === undefined) throw refusal(`${place} lacks ${field}`);
    if (!isRight(given))
      throw refusal(`${place}.${field} is ${JSON.stringify(given)}, but must be ${words}`);
    feed[field] = given;
  }
  const parsed = feed as unknown as Feed;
  const { shape = 'prefixes' } = FORMATS[parsed.format] ?? {};
  const possible = DRIVES_OF[shape];
  const impossible = parsed.drives.find((drive) => !possible.includes(drive));
  if (impossible !== undefined)
    throw refusal(
      `${place}: ${parsed.format} cannot drive ${impossible}; it can drive ${possible.join(', ')}`,
    );
  for (const [drive, field] of [
    ['cloud_provider', 'provider'],
    ['is_ai_crawler', 'company'],
    ['crawler', 'crawler'],
    ['known_good', 'operator'],
  ] as const)
    if (parsed.drives.includes(drive) && parsed[field] === undefined)
      throw refusal(`${place} drives ${drive}, so it needs the field ${field}`);
  if (parsed.drives.includes('connection_type') && parsed.connection_type === undefined)
    throw refusal(
      `${place}: ${parsed.format} names networks without their types, so it needs a connection_type`,
    );
  return { ...parsed, isOn: parsed.mode === 'on' };
}

/**
 * By what the feed states. A file of this machine is a list that its operator keeps, and counts
 * until it is removed.
 */
function defaultAge({ url, drives }: Record<string, unknown>): Pick<Feed, 'max_age_days'> {
  if (String(url).startsWith('file:') || !Array.isArray(drives)) return {};
  const ages = drives.map((drive: Drive) => MAX_AGE_DAYS[drive] ?? Number.POSITIVE_INFINITY);
  const max_age_days = Math.min(...ages);
  return Number.isFinite(max_age_days) ? { max_age_days } : {};
}

function isFeedUrl(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  try {
    const { protocol, username, password } = new URL(value.replaceAll(/\{(?:yyyy|mm|dd)\}/g, '00'));
    return ['https:', 'http:', 'file:'].includes(protocol) && username === '' && password === '';
  } catch {
    return false;
  }
}

function isPattern(value: unknown): boolean {
  if (typeof value !== 'string' || value === '' || value.length > 300) return false;
  try {
    return new RegExp(value) instanceof RegExp;
  } catch {
    return false;
  }
}

function fieldsOf(
  place: string,
  value: unknown,
  allowed: readonly string[],
): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw refusal(`${place} is not an object`);
  const unknown = Object.keys(value).find((field) => !allowed.includes(field));
  if (unknown !== undefined)
    throw refusal(`${place} has the field ${unknown}; known are ${allowed.join(', ')}`);
  return value as Record<string, unknown>;
}

function refusal(sentence: string): DatasetError {
  return new DatasetError(`catalogue of feeds: ${sentence}`);
}
