/**
 * The Public Suffix List, for where DNS itself does not tell which names belong together. Includes the private section,
 * as receivers do.
 */
import { getDomain } from 'tldts';

/** The public suffix and one more label; undefined for a public suffix itself. */
export function registrableDomain(domain: string): string | undefined {
  return getDomain(domain, { allowPrivateDomains: true, extractHostname: false, detectIp: false }) ?? undefined;
}
