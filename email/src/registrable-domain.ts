/** The Public Suffix List, where DNS itself does not say which names belong together: private section included, as receivers use it. */
import { getDomain } from 'tldts';

/** The public suffix and one label, or undefined for a public suffix itself. */
export function registrableDomain(domain: string): string | undefined {
  return getDomain(domain, { allowPrivateDomains: true, extractHostname: false, detectIp: false }) ?? undefined;
}
