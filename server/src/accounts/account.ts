/** What an account is, and the rules for its name and its password. */
import { randomInt } from 'node:crypto';
import {
  type AllowedDomains,
  MAX_ALLOWED_DOMAINS,
  parseAllowedDomain,
} from '../domains/allowed-domains.ts';
import type { StoredAccount } from '../storage/stores/account-store.ts';
import { isRole, MIN_PASSWORD_CHARACTERS, ROLES, type Role } from '../vocabulary.ts';

export type Account = Omit<StoredAccount, 'role' | 'allowedDomains'> & {
  readonly role: Role;
  readonly allowedDomains?: AllowedDomains;
};

const MAX_NAME_CHARACTERS = 100;
const NAME_RULE = `a name has 1 to ${MAX_NAME_CHARACTERS} characters, none of them a control character`;

const MAX_PASSWORD_CHARACTERS = 256;
const PASSWORD_RULE = `a password has ${MIN_PASSWORD_CHARACTERS} to ${MAX_PASSWORD_CHARACTERS} characters and is not the name`;

/** A rule that a name, a password or a role breaks; the message says which. `path` is the field. */
export class InvalidAccount extends Error {
  override name = 'InvalidAccount';
  readonly path: string;

  constructor(path: string, rule: string) {
    super(rule);
    this.path = path;
  }
}

/**
 * Names that look alike are one name: RFC 8265 folds case and compatibility forms in the same way.
 */
export function nameKeyOf(name: string): string {
  return name.normalize('NFKC').trim().toLowerCase();
}

export function parseAccountName(text: string): string {
  const name = text.normalize('NFC').trim();
  if (name === '' || name.length > MAX_NAME_CHARACTERS || /[\p{Cc}\p{Cf}]/u.test(name)) {
    throw new InvalidAccount('name', NAME_RULE);
  }
  return name;
}

/** As it is hashed. Keyboards differ in how they send the same character (RFC 8265 §4.2.2). */
export function normalizePassword(text: string): string {
  return text.normalize('NFC');
}

export function parsePassword(text: string, name: string): string {
  const password = normalizePassword(text);
  const { length } = password;
  if (
    length < MIN_PASSWORD_CHARACTERS ||
    length > MAX_PASSWORD_CHARACTERS ||
    nameKeyOf(password) === nameKeyOf(name)
  ) {
    throw new InvalidAccount('password', PASSWORD_RULE);
  }
  return password;
}

export function parseRole(text: string): Role {
  if (!isRole(text)) throw new InvalidAccount('role', `a role is one of ${ROLES.join(', ')}`);
  return text;
}

/** A role that this version does not know may do the least. */
export function fromStored(stored: StoredAccount): Account {
  const { allowedDomains, ...rest } = stored;
  return {
    ...rest,
    role: isRole(stored.role) ? stored.role : 'viewer',
    ...(allowedDomains !== undefined && { allowedDomains: allowedDomains.split(' ') }),
  };
}

/** Each once; undefined for an empty list, which means all domains. */
export function parseAccountDomains(texts: readonly string[]): AllowedDomains {
  const domains = texts.map((text) => {
    const domain = parseAllowedDomain(text);
    if (domain !== undefined) return domain;
    const rule = `${JSON.stringify(text.trim())} is neither a domain such as example.com nor *.example.com`;
    throw new InvalidAccount('allowed_domains', rule);
  });
  if (domains.length > MAX_ALLOWED_DOMAINS)
    throw new InvalidAccount('allowed_domains', `at most ${MAX_ALLOWED_DOMAINS} domains`);
  return domains.length === 0 ? undefined : [...new Set(domains)];
}

const ID_LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789';

export function makeAccountId(): string {
  return Array.from({ length: 12 }, () => ID_LETTERS[randomInt(ID_LETTERS.length)]).join('');
}
