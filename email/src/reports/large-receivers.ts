/**
 * Receivers with so many mailboxes that most mail reaches one of them: reports without any of these
 * show a part. Found by the domain of the address in their reports. A message proves that it is
 * theirs by the names in From and in its signature, which users of theirs cannot have: comparing
 * organizations is not enough where a receiver's users or customers share its domain.
 */
import { isWithin } from '../providers.ts';
import { readTable, words } from '../tables.ts';

type Receiver = {
  readonly reportDomains: readonly string[];
  /** Exact names; `*.` stands for what is below one. */
  readonly fromDomains: readonly string[];
  readonly signingDomains: readonly string[];
};

const RECEIVERS = readTable('large-receivers.csv').map(
  ([, reportDomains, fromDomains, signingDomains]): Receiver => ({
    reportDomains: words(reportDomains),
    fromDomains: words(fromDomains),
    signingDomains: words(signingDomains),
  }),
);

function receiverOf(reportDomain: string): Receiver | undefined {
  return RECEIVERS.find(({ reportDomains }) =>
    reportDomains.some((domain) => isWithin(reportDomain, domain)),
  );
}

type Reporter = { readonly name: string; readonly email: string };

/** A report without an address has a domain as its name. */
export function reportDomainOf({ name, email }: Reporter): string {
  return (email === '' ? name : email.slice(email.lastIndexOf('@') + 1)).toLowerCase();
}

export function isLargeReceiver(reporter: Reporter): boolean {
  return receiverOf(reportDomainOf(reporter)) !== undefined;
}

/**
 * Whether a signature of `signer` proves that a message with `from` in From is a report of
 * `reportDomain`. For receivers outside the table all three must be the same name.
 */
export function provesReporter(reportDomain: string, from: string, signer: string): boolean {
  const receiver = receiverOf(reportDomain);
  if (receiver === undefined) return from === reportDomain && signer === reportDomain;
  return isListed(receiver.fromDomains, from) && isListed(receiver.signingDomains, signer);
}

function isListed(domains: readonly string[], name: string): boolean {
  return domains.some((domain) =>
    domain.startsWith('*.') ? name.endsWith(domain.slice(1)) : name === domain,
  );
}
