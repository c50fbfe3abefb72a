// The Public Suffix List with its private section, as receivers use it.
import { getDomain } from 'tldts';

/** The public suffix and one more label; undefined for a public suffix itself. */
export function registrableDomain(domain: string): string | undefined {
  return (
    getDomain(domain, { allowPrivateDomains: true, extractHostname: false, detectIp: false }) ??
    undefined
  );
}

/** The registrable domain, or the name itself if it is a public suffix. */
export function organizationOf(name: string): string {
  let organization = organizations.get(name);
  if (organization !== undefined) return organization;
  organization = registrableDomain(name) ?? name;
  if (organizations.size === MAX_KNOWN) organizations.clear();
  organizations.set(name, organization);
  return organization;
}

/** Reports and SPF records repeat few names very often. */
const organizations = new Map<string, string>();
const MAX_KNOWN = 1_000;
