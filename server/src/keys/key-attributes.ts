// Attributes of a key beside name, tier and permissions, each described once for all that show or
// change them.

import { formatAddress } from '@whence/dataset/address';
import { formatPrefix, parseCidr } from '@whence/dataset/prefix';
import { DAY_MS, HOUR_MS, timeOf } from '../day.ts';
import { MAX_ALLOWED_DOMAINS, parseAllowedDomain } from '../domains/allowed-domains.ts';
import type { KeyChange, StoredKey } from '../storage/stores/key-store.ts';
import type { AuditAction } from '../vocabulary.ts';
import { maskSecrets } from './secret.ts';

/** A rule that a name or another attribute breaks; the message says which. */
export class InvalidKey extends Error {
  override name = 'InvalidKey';
  /** In a request of the dashboard; empty if it is clear. */
  readonly path: string;

  constructor(message: string, path = '') {
    super(message);
    this.path = path;
  }
}

type AttributeName =
  | ('note' | 'expiresAt' | 'allowedNetworks')
  | ('allowedDomains' | 'requestsPerSecond' | 'dailyLimit');
/** Attributes that a key may have from the beginning. */
export type KeyAttributes = Pick<StoredKey, AttributeName>;

/**
 * As a request of the dashboard has them: null, an empty note and an empty list remove an
 * attribute.
 */
type AttributeFields = {
  readonly note?: string;
  readonly expires_at?: string | null;
  readonly allowed_networks?: readonly string[];
  readonly allowed_domains?: readonly string[];
  readonly requests_per_second?: number | null;
  readonly daily_limit?: number | null;
};

type DescribedAttributes = {
  [Field in keyof AttributeFields]: Field extends 'allowed_networks' | 'allowed_domains'
    ? string[]
    : Exclude<AttributeFields[Field], null>;
};

/** As the command has them: each with a word that removes it. */
export type AttributeOptions = {
  note?: string;
  expires?: string;
  networks?: string;
  domains?: string;
  requestsPerSecond?: string;
  dailyLimit?: string;
};

type Attribute = {
  readonly name: AttributeName;
  readonly field: keyof AttributeFields;
  readonly option: keyof AttributeOptions;
  /** In the audit log and in output. */
  readonly label: string;
  /** What the option removes it with, and how a key without it is shown. */
  readonly none: string;
  readonly action: AuditAction;
  readonly isEnforced: boolean;
  /** The text itself unless given. */
  fromOption?(text: string): unknown;
  /**
   * The type of the field is checked by the schema of the request. Undefined for a value that
   * removes the attribute.
   */
  parse(field: unknown, now: Date): KeyAttributes[AttributeName];
  text?(value: unknown): string;
};

const MAX_NOTE_CHARACTERS = 500;
const MAX_NETWORKS = 50;
const MAX_REQUESTS_PER_SECOND = 100_000;
/** One less than the number that the headers have for a key without a limit. */
const MAX_DAILY_LIMIT = 2_147_483_646;
/** Farther away than this is a typing error. */
const MAX_YEARS = 100;

export const ATTRIBUTES: readonly Attribute[] = [
  {
    name: 'note',
    field: 'note',
    option: 'note',
    label: 'note',
    none: 'none',
    action: 'key.note_changed',
    isEnforced: false,
    parse: parseNote,
  },
  {
    name: 'expiresAt',
    field: 'expires_at',
    option: 'expires',
    label: 'expires',
    none: 'never',
    action: 'key.expiry_changed',
    isEnforced: true,
    parse: (time: string, now) => parseTime(time, now, 'the expiry', '/expires_at'),
    text: (expiresAt: Date) => expiresAt.toISOString(),
  },
  {
    name: 'allowedNetworks',
    field: 'allowed_networks',
    option: 'networks',
    label: 'networks',
    none: 'any',
    action: 'key.networks_changed',
    isEnforced: true,
    fromOption: wordsOf,
    parse: parseNetworks,
    text: (networks: readonly string[]) => networks.join(' '),
  },
  {
    name: 'allowedDomains',
    field: 'allowed_domains',
    option: 'domains',
    label: 'domains',
    none: 'all',
    action: 'key.domains_changed',
    isEnforced: true,
    fromOption: wordsOf,
    parse: parseDomains,
    text: (domains: readonly string[]) => domains.join(' '),
  },
  {
    name: 'requestsPerSecond',
    field: 'requests_per_second',
    option: 'requestsPerSecond',
    label: 'rate',
    none: 'unlimited',
    action: 'key.rate_changed',
    isEnforced: true,
    fromOption: numberOf,
    parse: (rate: number) =>
      wholeNumber(rate, MAX_REQUESTS_PER_SECOND, 'requests per second are', '/requests_per_second'),
    text: (rate: number) => `${rate} a second`,
  },
  {
    name: 'dailyLimit',
    field: 'daily_limit',
    option: 'dailyLimit',
    label: 'daily limit',
    none: 'tier',
    action: 'key.limit_changed',
    isEnforced: true,
    fromOption: numberOf,
    parse: (limit: number) =>
      wholeNumber(limit, MAX_DAILY_LIMIT, 'a daily limit is', '/daily_limit'),
    text: (limit: number) => `${limit} a day`,
  },
];

export function textOf({ name, none, text = String }: Attribute, key: StoredKey): string {
  const value = key[name];
  return value === undefined ? none : text(value);
}

export function changesOf(fields: AttributeFields, now: Date): KeyChange {
  return collect(({ field, parse }) => {
    const given = fields[field];
    return given === undefined || given === null ? given : (parse(given, now) ?? null);
  });
}

export function changesOfOptions(options: AttributeOptions, now: Date): KeyChange {
  return changesOf(
    collect(({ option, none, fromOption }) => {
      const text = options[option];
      if (text === undefined) return undefined;
      return text === none ? null : (fromOption?.(text) ?? text);
    }, 'field'),
    now,
  );
}

/** For a new key, where what is removed and what is absent are the same. */
export function attributesOf(change: KeyChange | StoredKey): KeyAttributes {
  return collect(({ name }) => change[name] ?? undefined);
}

export function fieldsOf(key: StoredKey): DescribedAttributes {
  return collect(({ name }) => {
    const value = key[name];
    return value instanceof Date ? value.toISOString() : value;
  }, 'field');
}

function collect<T>(read: (attribute: Attribute) => unknown, under: 'name' | 'field' = 'name'): T {
  const entries = ATTRIBUTES.map((attribute) => [attribute[under], read(attribute)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as T;
}

export function wordsOf(text: string): string[] {
  return text.split(/[\s,]+/).filter((word) => word !== '');
}

function numberOf(text: string): number {
  return /^[0-9]+$/.test(text) ? Number(text) : Number.NaN;
}

function wholeNumber(value: number, max: number, what: string, path: string): number {
  if (!Number.isInteger(value) || value < 1 || value > max)
    throw new InvalidKey(`${what} a whole number from 1 to ${max.toLocaleString('en')}`, path);
  return value;
}

export function parseNote(text: string): string | undefined {
  const note = text.trim().replaceAll('\r\n', '\n');
  if (maskSecrets(note) !== note) throw new InvalidKey('a note must not hold a key', '/note');
  if (note.length > MAX_NOTE_CHARACTERS || /[^\P{Cc}\n]/u.test(note)) {
    throw new InvalidKey(
      `a note has at most ${MAX_NOTE_CHARACTERS} characters, none of them a control character other than a line break`,
      '/note',
    );
  }
  return note === '' ? undefined : note;
}

/** In canonical form, each once; undefined for an empty list, which allows any client. */
export function parseNetworks(texts: readonly string[]): string[] | undefined {
  const networks = [
    ...new Set(texts.map((text, index) => parseNetwork(text, `/allowed_networks/${index}`))),
  ];
  if (networks.length > MAX_NETWORKS)
    throw new InvalidKey(`at most ${MAX_NETWORKS} networks`, '/allowed_networks');
  return networks.length === 0 ? undefined : networks;
}

/** Each once; undefined for an empty list, which means all domains. */
function parseDomains(texts: readonly string[]): string[] | undefined {
  const domains = texts.map((text, index) => {
    const domain = parseAllowedDomain(text);
    if (domain !== undefined) return domain;
    const rule = `${JSON.stringify(text.trim())} is neither a domain such as example.com nor *.example.com`;
    throw new InvalidKey(rule, `/allowed_domains/${index}`);
  });
  if (domains.length > MAX_ALLOWED_DOMAINS)
    throw new InvalidKey(`at most ${MAX_ALLOWED_DOMAINS} domains`, '/allowed_domains');
  return domains.length === 0 ? undefined : [...new Set(domains)];
}

function parseNetwork(text: string, path: string): string {
  const cidr = parseCidr(text.trim());
  if (cidr === undefined)
    throw new InvalidKey(
      `${JSON.stringify(text.trim())} is neither an address nor a prefix such as 192.0.2.0/24 or 2001:db8::/32`,
      path,
    );
  const network = formatPrefix(cidr.address, cidr.length);
  // More likely a wrong length than meant: 192.0.2.7/24 allows 256 addresses.
  if (network !== `${formatAddress(cidr.address)}/${cidr.length}`)
    throw new InvalidKey(
      `${text.trim()} has bits behind its length; the network is ${network}`,
      path,
    );
  return network;
}

const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: HOUR_MS, d: DAY_MS };

/**
 * A time, a day (its beginning in UTC), or a period from now on: minutes, hours or days. `what`
 * begins the message.
 */
export function parseTime(text: string, now: Date, what: string, path = ''): Date {
  const [, count, unit = ''] = /^([1-9][0-9]{0,5})([mhd])$/.exec(text.trim()) ?? [];
  const ms =
    count === undefined
      ? timeOf(text.trim())
      : now.getTime() + Number(count) * (UNIT_MS[unit] ?? Number.NaN);
  if (!(ms > now.getTime() && ms < now.getTime() + MAX_YEARS * 366 * DAY_MS))
    throw new InvalidKey(
      `${what} must be a time in the future, such as 2026-12-31, 2026-12-31T18:00:00Z or 90d`,
      path,
    );
  return new Date(ms);
}
