// The Public Suffix List with its private section, as receivers use it.
import { getDomain } from 'tldts';

/** The public suffix and one more label; undefined for a public suffix itself. */
export function registrableDomain(domain: string): string | undefined {
  return getDomain(domain, { allowPrivateDomains: true, extractHostname: false, detectIp: false }) ?? undefined;
}

/** The registrable domain, or the name itself if it is a public suffix. */
export function organizationOf(name: string): string {
  return registrableDomain(name) ?? name;
}
