/**
 * Which events and domains a channel is about: what its account may read, and its own tags and
 * severity.
 */
import type { Account } from '../accounts/account.ts';
import { isAllowedDomain } from '../domains/allowed-domains.ts';

/**
 * Events from reports need no other right than that to their domain: every account may read the
 * reports of its domains. Those of the deployment are for accounts that may read all domains.
 */
export function mayRead(account: Account | undefined, domain: string): boolean {
  if (account === undefined || account.disabledAt !== undefined) return false;
  return isAllowedDomain(domain, account.allowedDomains);
}

/** Lists are separated by spaces; an empty one is for every domain. */
export function hasTag(wanted: string, tags: string): boolean {
  if (wanted === '') return true;
  const own = new Set(tags.split(' '));
  return wanted.split(' ').some((tag) => own.has(tag));
}
