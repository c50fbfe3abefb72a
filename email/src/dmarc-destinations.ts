/**
 * Whether a host outside the organization has agreed to receive its DMARC reports (RFC 9990 §4, RFC 7489 §7.1). Receivers do not
 * report to one that has not: a record could otherwise bury anybody in mail.
 */

import { selectDmarc } from './dmarc.ts';
import type { ReportUri } from './dmarc-report-uris.ts';
import type { Resolver } from './dns.ts';
import { registrableDomain } from './registrable-domain.ts';

export type Destinations = {
  /** The host has not agreed: the TXT record is missing at `name`. */
  unauthorized: { uri: string; host: string; name: string }[];
  /** Nothing is known, since the question failed. */
  unverified: string[];
};

/** Asks all hosts outside the record's organization at once. A wildcard answers by itself. */
export async function checkDestinations(
  recordDomain: string,
  uris: readonly ReportUri[],
  resolver: Resolver,
): Promise<Destinations> {
  const unauthorized: Destinations['unauthorized'] = [];
  const unverified: string[] = [];
  const external = uris.filter(({ host }) => host !== '' && !isSameOrganization(host, recordDomain));
  const hosts = [...new Set(external.map(({ host }) => host))];
  const consents = new Map(
    await Promise.all(
      hosts
        .slice(0, MAX_HOSTS)
        .map(async (host) => [host, await askConsent(consentName(recordDomain, host), resolver)] as const),
    ),
  );
  for (const [uri, host] of new Map(external.map(({ uri, host }) => [uri, host]))) {
    const consent = consents.get(host) ?? 'unknown';
    if (consent === 'unknown') unverified.push(uri);
    else if (consent === 'no') unauthorized.push({ uri, host, name: consentName(recordDomain, host) });
  }
  return { unauthorized, unverified };
}

/** Receivers must honour two URIs (RFC 7489 §6.2) and few honour many; a record of hundreds shall not make us ask hundreds of questions. */
const MAX_HOSTS = 10;

function consentName(recordDomain: string, host: string): string {
  return `${recordDomain}._report._dmarc.${host}`;
}

/** One record that begins v=DMARC1 is consent; RFC 7489 §7.1 does not mind several. */
async function askConsent(name: string, resolver: Resolver): Promise<'yes' | 'no' | 'unknown'> {
  const answer = await resolver.txt(name);
  if (answer.kind === 'failure') return 'unknown';
  return answer.kind === 'found' && selectDmarc(answer.records).kind !== 'none' ? 'yes' : 'no';
}

/** By the Public Suffix List on both sides: a tree walk for each host would take a round more, and older receivers do it this way. */
function isSameOrganization(a: string, b: string): boolean {
  return (registrableDomain(a) ?? a) === (registrableDomain(b) ?? b);
}
