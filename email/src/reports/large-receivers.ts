/**
 * Receivers with so many mailboxes that most mail reaches one of them: reports without any of these show a part. Found by
 * the domain of the address that their reports come from, which a signature proves, not by the name that they state.
 */
import { isWithin } from '../providers.ts';
import { readNamedDomains } from '../tables.ts';

const DOMAINS = readNamedDomains('large-receivers.csv').flatMap(({ domains }) => domains);

/** A report without an address has a domain as its name. */
export function isLargeReceiver({ name, email }: { readonly name: string; readonly email: string }): boolean {
  const domain = (email === '' ? name : email.slice(email.lastIndexOf('@') + 1)).toLowerCase();
  return DOMAINS.some((one) => isWithin(domain, one));
}
