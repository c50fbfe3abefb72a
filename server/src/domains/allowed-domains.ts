/**
 * Whose reports and watched domains a key or an account may use: a list of `example.com`, which
 * means the name and everything below it, and `*.example.com`, only what is below. No list: all.
 */
import { normalizeDomain } from '@whence/email/domain-name';

export type AllowedDomains = readonly string[] | undefined;

export const MAX_ALLOWED_DOMAINS = 100;
const BELOW = '*.';

/** In the form of the list; undefined for a text that is no such name. */
export function parseAllowedDomain(text: string): string | undefined {
  const written = text.trim();
  const prefix = written.startsWith(BELOW) ? BELOW : '';
  const domain = normalizeDomain(written.slice(prefix.length));
  return domain && prefix + domain;
}

/** `text` is a domain as it was requested; text that is no domain is not on any list. */
export function isAllowedDomain(text: string, allowed: AllowedDomains): boolean {
  if (allowed === undefined) return true;
  const domain = normalizeDomain(text) ?? '';
  return allowed.some((entry) => {
    const name = entry.startsWith(BELOW) ? entry.slice(BELOW.length) : entry;
    return domain.endsWith(`.${name}`) || (domain === name && name === entry);
  });
}

/** Whether everything that an entry means is allowed. */
export function isAllowedEntry(entry: string, allowed: AllowedDomains): boolean {
  if (!entry.startsWith(BELOW)) return isAllowedDomain(entry, allowed);
  return (
    allowed === undefined ||
    allowed.includes(entry) ||
    isAllowedDomain(entry.slice(BELOW.length), allowed)
  );
}
