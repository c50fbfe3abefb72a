/**
 * Whose an address is: the domain's own by its SPF record, of a service that the record names, or of a network. Being in
 * the ranges of a service proves nothing about a message: its other customers send from there too.
 */
import type { Resolver } from '../dns/answer.ts';
import { EventLoopSlices } from '../dns/event-loop-slices.ts';
import { type Provider, providerOfDomain, providerOfSpfName, publishedRanges } from '../providers.ts';
import { organizationOf } from '../registrable-domain.ts';
import { createSpfEvaluator, type SpfEvaluator, type SpfMatch } from '../spf/evaluate.ts';
import { checkSpf } from '../spf/lookups.ts';
import type { ReportShape } from './report.ts';

/** What a person decides about: a service, the domain's own servers, or a network. */
export type Sender = {
  /** Stays when a name is written otherwise. Lower case. */
  readonly id: string;
  readonly name: string;
  /** `own`: in a term of the domain's own record. `named`: of a service that the record names. */
  readonly kind: 'own' | 'named' | 'other';
  /** The term of the domain's record that leads to the address, or names the service; `''` for others. */
  readonly term: string;
  /** Mail of ours from one address of a realm lets us take other mail from there for ours. */
  readonly realm: string;
};

/** `realm` is smaller than the network where its customers rent single addresses. */
export type SenderNetwork = Pick<Sender, 'id' | 'name' | 'realm'>;

export type PlaceSources = {
  readonly domain: string;
  readonly spf: SpfEvaluator;
  /** Services that the record names, with the term that does. */
  readonly named: readonly NamedService[];
  /** The service whose published ranges have the address, for records that list ranges instead of naming the service. */
  readonly sharedBy: (address: string) => string | undefined;
  readonly networkOf: (address: string) => SenderNetwork;
};
export type NamedService = {
  readonly name: string;
  readonly term: string;
  /** DNS lookups that the term costs. */
  readonly lookups: number;
  /** Where DKIM is switched on there, if known. */
  readonly setup: string;
};

export const OWN_SERVERS = 'own servers';
export const idOf = (name: string): string => name.toLowerCase();

export type SenderFinder = (source: ReportShape & { readonly address: string }) => Sender;

export function createSenderFinder(sources: PlaceSources): SenderFinder {
  const { networkOf, named } = sources;
  const byAddress = new Map<string, Sender | undefined>();
  const networks = new Map<string, Sender>();
  return (source) => {
    const { address } = source;
    if (!byAddress.has(address)) byAddress.set(address, bySpf(address, sources));
    const known = byAddress.get(address);
    if (known !== undefined) return known;
    const service = signingService(source);
    const naming = named.find(({ name }) => name === service?.name);
    if (naming !== undefined) return serviceSender(naming.name, naming.term);
    if (service !== undefined) return { ...serviceSender(service.name, ''), kind: 'other' };
    const network = networks.get(address) ?? { ...networkOf(address), kind: 'other', term: '' };
    networks.set(address, network);
    return network;
  };
}

function bySpf(address: string, { domain, spf, sharedBy }: PlaceSources): Sender | undefined {
  const found = spf.matchesOf(address);
  if (found.length === 0) return undefined;
  const own = organizationOf(domain);
  for (const match of found) {
    const other = otherOwner(match, own);
    if (other !== undefined) return serviceSender(providerOfSpfName(other)?.name ?? other, match.ownTerm);
  }
  const [{ ownTerm: term } = { ownTerm: '' }] = found;
  const service = sharedBy(address);
  if (service !== undefined) return serviceSender(service, term);
  return { id: OWN_SERVERS, name: OWN_SERVERS, kind: 'own', term, realm: OWN_SERVERS };
}

/** The first record on the way to the term that is not in the domain's own registrable domain. */
function otherOwner({ records }: SpfMatch, own: string): string | undefined {
  return records.find((name, depth) => depth > 0 && organizationOf(name) !== own);
}

function serviceSender(name: string, term: string): Sender {
  return { id: idOf(name), name, kind: 'named', term, realm: `service ${idOf(name)}` };
}

/** The service that has signed the message, or whose bounce domain it has: receivers have verified both. */
function signingService({ dkim, spf }: ReportShape): Provider | undefined {
  for (const { domain, result } of [...dkim, ...spf]) {
    const service = result === 'pass' ? providerOfDomain(domain) : undefined;
    if (service !== undefined) return service;
  }
  return undefined;
}

/** A hundred thousand addresses and the ranges of forty services take seconds. */
const slices = new EventLoopSlices();

/**
 * The services whose published ranges have these addresses of the own record: a record may list ranges that a service and
 * all of its customers share.
 */
export async function findSharedRanges(
  addresses: readonly string[],
  resolver: Resolver,
): Promise<PlaceSources['sharedBy']> {
  if (addresses.length === 0) return () => undefined;
  const published = await Promise.all(
    publishedRanges().map(async ({ service, include }) => {
      const { tree } = await checkSpf(include, await resolver.txt(include), resolver);
      return tree.raw === '' ? [] : [{ service, spf: await createSpfEvaluator(tree, resolver) }];
    }),
  );
  const known = published.flat();
  const shared = new Map<string, string>();
  for (const address of addresses) {
    await slices.next();
    const found = known.find(({ spf }) => spf.matchesOf(address).length > 0);
    if (found !== undefined) shared.set(address, found.service);
  }
  return (address) => shared.get(address);
}
