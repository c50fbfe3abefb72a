// Whether DMARC reports can arrive: the host must take mail, and outside the organization have
// agreed to reports (RFC 9990 §4, RFC 7489 §7.1), or a record could flood a third party.
import type { Answer, MxHost, Resolver } from '../dns/answer.ts';
import { isWithin } from '../providers.ts';
import { organizationOf } from '../registrable-domain.ts';
import { readNamedDomains } from '../tables.ts';
import { type DmarcRecord, selectDmarc } from './dmarc.ts';
import type { ReportUri } from './report-uris.ts';

/** What becomes of reports to an address. `unknown`: a question failed or was not asked. */
export type Arrival =
  | {
      readonly kind:
        | 'arrives'
        | 'not mail'
        | 'no such host'
        | 'null MX'
        | 'no mail host'
        | 'unknown';
    }
  /** A service that filled in the record by itself reads them, not the owner of the domain. */
  | { readonly kind: 'other owner'; readonly service: string }
  /** There is no consent: no TXT record at `name`. */
  | { readonly kind: 'not authorized'; readonly name: string };

type ReportAddress = { readonly uri: string; readonly host: string; readonly arrival: Arrival };

/** Each address once, in order; those of `rua` and of `ruf`. */
export type Destinations = {
  readonly rua: readonly ReportAddress[];
  readonly ruf: readonly ReportAddress[];
};

export const NO_DESTINATIONS: Destinations = { rua: [], ruf: [] };

type PublishedUris = Pick<DmarcRecord, 'aggregateUris' | 'forensicUris' | 'policy'>;

/**
 * Asks all hosts at once. No step follows `p=reject`: there, a host that has agreed is taken to
 * receive mail.
 */
export async function checkDestinations(
  recordDomain: string,
  { aggregateUris: rua, forensicUris: ruf, policy }: PublishedUris,
  resolver: Resolver,
): Promise<Destinations> {
  const hostsOf = (uris: readonly ReportUri[]) =>
    uris.map(({ host }) => host).filter((host) => host !== '');
  // Only the first ones, which the next policy step depends on, are checked for accepting mail.
  const mailHosts = [...new Set(hostsOf(rua))].slice(0, MAX_MAIL_HOSTS);
  const hosts = [...new Set(hostsOf([...rua, ...ruf]))].slice(0, MAX_HOSTS);
  const ask = async (host: string) => {
    const askedAbout = policy === 'reject' ? 'without consent' : 'asked';
    const mail = mailHosts.includes(host) ? askedAbout : 'not asked';
    return [host, await arrivalAt(recordDomain, host, mail, resolver)] as const;
  };
  const arrivals = new Map(await Promise.all(hosts.map(ask)));
  const addressesOf = (uris: readonly ReportUri[]) =>
    [...new Map(uris.map((destination) => [destination.uri, destination])).values()].map(
      ({ uri, host }): ReportAddress => {
        const arrival =
          host === '' ? ({ kind: 'not mail' } as const) : (arrivals.get(host) ?? UNKNOWN);
        return { uri, host, arrival };
      },
    );
  return { rua: addressesOf(rua), ruf: addressesOf(ruf) };
}

const UNKNOWN: Arrival = { kind: 'unknown' };

/**
 * Receivers must support two URIs (RFC 7489 §6.2). A record with hundreds must not cause hundreds
 * of questions.
 */
const MAX_HOSTS = 10;
const MAX_MAIL_HOSTS = 3;

async function arrivalAt(
  recordDomain: string,
  host: string,
  whenMail: 'asked' | 'without consent' | 'not asked',
  resolver: Resolver,
): Promise<Arrival> {
  // By the Public Suffix List: a tree walk per host would take another round, and older receivers
  // use the list.
  const isOwn = organizationOf(host) === organizationOf(recordDomain);
  const service = isOwn
    ? undefined
    : DEFAULT_MAILBOXES.find(({ domains }) => domains.some((domain) => isWithin(host, domain)));
  const name = `${recordDomain}._report._dmarc.${host}`;
  const consented = isOwn ? undefined : askConsent(name, resolver);
  const isMailAsked =
    whenMail === 'asked' || (whenMail === 'without consent' && (await consented) !== 'yes');
  const [consent = 'yes', mail] = await Promise.all([
    consented,
    isMailAsked ? askMail(host, resolver) : ('arrives' as const),
  ]);
  if (mail === 'no such host') return { kind: mail };
  if (consent === 'no') return { kind: 'not authorized', name };
  if (mail !== 'arrives') return { kind: mail };
  if (service !== undefined) return { kind: 'other owner', service: service.name };
  return { kind: consent === 'unknown' ? 'unknown' : 'arrives' };
}

/** A record that begins with v=DMARC1 is consent; RFC 7489 §7.1 allows several. */
async function askConsent(name: string, resolver: Resolver): Promise<'yes' | 'no' | 'unknown'> {
  const answer = await resolver.txt(name);
  if (answer.kind === 'failure') return 'unknown';
  return answer.kind === 'found' && selectDmarc(answer.records).kind !== 'none' ? 'yes' : 'no';
}

/** RFC 5321 §5.1, RFC 7505: an MX host, or without MX records an address. */
async function askMail(
  host: string,
  resolver: Resolver,
): Promise<'arrives' | 'no such host' | 'null MX' | 'no mail host' | 'unknown'> {
  const mx: Answer<MxHost> = await resolver.mx(host);
  if (mx.kind === 'failure') return 'unknown';
  if (mx.kind === 'nxdomain') return mx.alias === undefined ? 'no such host' : 'no mail host';
  if (mx.kind === 'found')
    return mx.records.every(({ exchange }) => exchange === '.') ? 'null MX' : 'arrives';
  const ipv4 = await resolver.a(host);
  const address = ipv4.kind === 'nodata' ? await resolver.aaaa(host) : ipv4;
  if (address.kind === 'failure') return 'unknown';
  return address.kind === 'found' ? 'arrives' : 'no mail host';
}

/**
 * Registrars, site builders and parking services whose default record sends the reports to
 * themselves.
 */
const DEFAULT_MAILBOXES = readNamedDomains('default-mailboxes.csv');
