/**
 * Whether a host outside the organization has agreed to receive its DMARC reports (RFC 9990 §4, RFC 7489 §7.1).
 * Receivers send none without that, or a record could flood a third party with mail.
 */

import type { Resolver } from '../dns/answer.ts';
import { registrableDomain } from '../registrable-domain.ts';
import { selectDmarc } from './dmarc.ts';
import type { ReportUri } from './report-uris.ts';

export type Destinations = {
  /** The host has not agreed: there is no TXT record at `name`. */
  unauthorized: { uri: string; host: string; name: string }[];
  /** Unknown, because the question failed or was not asked. */
  unverified: string[];
};

/** Asks all hosts outside the record's organization at once. A wildcard needs no question of its own. */
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

/**
 * Receivers must support two URIs (RFC 7489 §6.2), and few support many. A record with hundreds must not make us ask
 * hundreds of questions.
 */
const MAX_HOSTS = 10;

function consentName(recordDomain: string, host: string): string {
  return `${recordDomain}._report._dmarc.${host}`;
}

/** A record that begins with v=DMARC1 is consent; RFC 7489 §7.1 allows several. */
async function askConsent(name: string, resolver: Resolver): Promise<'yes' | 'no' | 'unknown'> {
  const answer = await resolver.txt(name);
  if (answer.kind === 'failure') return 'unknown';
  return answer.kind === 'found' && selectDmarc(answer.records).kind !== 'none' ? 'yes' : 'no';
}

/**
 * Compares by the Public Suffix List: a tree walk for each host would take another round of questions, and older
 * receivers use the list.
 */
function isSameOrganization(a: string, b: string): boolean {
  return (registrableDomain(a) ?? a) === (registrableDomain(b) ?? b);
}
