/** Names for the codes of records and keys: countries, flags, roles, permissions. */
import {
  byFlag,
  FLAG_FACTS,
  type FlagSubject,
  FLAGS as RECORD_FLAGS,
} from '@whence/dataset/record';
import type { RpkiState } from '@whence/server/dashboard-wire/lookups';
import type { Permission, Role } from '@whence/server/vocabulary';

const localNames = new Intl.DisplayNames(undefined, { type: 'region', fallback: 'none' });
const englishNames = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

/** The name in the reader's language. `ZZ` means that the country is unknown. */
export function countryName(code: string): string {
  if (code === 'ZZ' || code === '') return 'unknown country';
  return nameIn(localNames, code);
}

/** The English name for use in a sentence, with its article. */
export function countryInSentence(code: string): string {
  const name = nameIn(englishNames, code);
  return /^(?:United|Netherlands|Philippines|Maldives|Bahamas|Gambia|Seychelles|Comoros)/.test(name)
    ? `the ${name}`
    : name;
}

function nameIn(displayNames: Intl.DisplayNames, code: string): string {
  try {
    return displayNames.of(code) ?? code;
  } catch {
    return code;
  }
}

/** The most telling flag first. */
export const FLAGS = [...RECORD_FLAGS].sort((a, b) => FLAG_FACTS[a].rank - FLAG_FACTS[b].rank);
export const FLAG_WORDS = byFlag((flag): string => FLAG_FACTS[flag].word);

/** A field as people read it: `tor_exit` for `is_tor_exit`, also in `detection.is_tor_exit`. */
export const fieldName = (field: string): string => field.replace(/(^|\.)is_/, '$1');

export const SUBJECT_WORDS: Readonly<Record<FlagSubject, string>> = {
  ...FLAG_WORDS,
  blocklists: 'blocklists',
  criminal_netblocks: 'criminal netblocks',
  relay: 'privacy relays',
};

export const ROLE_WORDS: Readonly<Record<Role, { name: string; about: string }>> = {
  viewer: { name: 'viewer', about: 'looks up addresses, networks and domains' },
  member: { name: 'member', about: 'also creates and revokes their own keys' },
  admin: { name: 'administrator', about: 'manages all keys, people and data' },
};

export const PERMISSION_WORDS: Readonly<
  Record<Permission, { name: string; about: string; path: string }>
> = {
  'ip:read': {
    name: 'Addresses',
    about: 'look up single addresses, read information about the dataset',
    path: '/v1/ip/8.8.8.8',
  },
  'ip:batch': {
    name: 'Batch',
    about: 'look up many addresses in one request',
    path: '/v1/ip/batch',
  },
  'asn:read': { name: 'Networks', about: 'look up and search AS numbers', path: '/v1/asn/15169' },
  'email:read': {
    name: 'Email domains',
    about: 'check MX, SPF, DKIM and DMARC',
    path: '/v1/email/domain/example.com/dns',
  },
  'decide:read': {
    name: 'Decisions',
    about: 'ask whether a request may pass, by the rules of the server',
    path: '/v1/decide?ip=8.8.8.8',
  },
  'database:read': {
    name: 'Databases and lists',
    about: 'download database files for other programs, and lists for firewalls',
    path: '/v1/databases',
  },
  'reports:read': {
    name: 'Read reports',
    about: 'ask who sends mail as a domain, by DMARC reports',
    path: '/v1/email/domain/example.com/senders',
  },
  'reports:write': {
    name: 'Import reports',
    about: 'send DMARC reports to the server',
    path: '/v1/email/reports',
  },
  'watch:read': {
    name: 'Read watched domains',
    about: 'list watched domains and their events',
    path: '/v1/watched-domains',
  },
  'watch:write': {
    name: 'Watch domains',
    about: 'watch domains, check them now and accept events',
    path: '/v1/watched-domains',
  },
};

export function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export const RPKI_WORDS: Readonly<Record<RpkiState, string>> = {
  valid: 'valid',
  invalid: 'invalid',
  not_found: 'no ROA',
};
