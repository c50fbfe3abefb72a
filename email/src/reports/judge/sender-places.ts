/**
 * Whose an address is: the domain's own by an SPF record, of a provider, or of a network. Being in
 * the ranges of a provider proves nothing about a message: its other customers send from there too.
 */
import {
  isWithin,
  type Provider,
  providerNamed,
  providerOfDomain,
  providerOfSpfName,
} from '../../providers.ts';
import { organizationOf } from '../../registrable-domain.ts';
import { parseAddress, type SpfMatch } from '../../spf/evaluate.ts';
import { isAligned, spfIdentities } from '../alignment.ts';
import type { ReportShape } from '../report.ts';
import type { NamedRecord } from './named-records.ts';
import type { ProviderOfAddress } from './provider-ranges.ts';

/** What a person decides about: a provider, the domain's own servers, or a network. */
export type Sender = {
  /** Stays when a name is written otherwise. Lower case. */
  readonly id: string;
  readonly name: string;
  /** `own`: in a term of an SPF record of the domain or of a name below it. */
  readonly kind: 'own' | 'provider' | 'network';
  /**
   * The part of the sender that one customer has: a bounce domain at a provider that gives each its
   * own, elsewhere one address or one IPv6 /64. Empty for a provider as a whole.
   */
  readonly account: string;
  /** The id of this part, for decisions. */
  readonly accountId: string;
  /** What the provider does; empty for own servers and networks. */
  readonly role: Provider['role'] | '';
  /** An SPF record of the domain, or of a name in From, names it. */
  readonly isNamed: boolean;
  /**
   * The term that leads to the address, or names the provider; where no record lets it send, one
   * that does not say whether it may. `''` for others.
   */
  readonly term: string;
  /** Its mail that fails may be ours where other mail from there passed SPF. */
  readonly realm: string;
  readonly isOfOne: boolean;
};

export type SenderNetwork = {
  readonly id: string;
  readonly name: string;
  /** Smaller than the network where its customers rent single addresses. */
  readonly realm: string;
  /** The addresses of the realm belong to one organization. */
  readonly isOfOne: boolean;
};

export type PlaceSources = {
  /** That of the domain comes first. */
  readonly records: readonly Pick<NamedRecord, 'spf'>[];
  /** Providers that these records name, with the term that does. */
  readonly named: readonly NamedService[];
  readonly providerOf: ProviderOfAddress;
  readonly networkOf: (address: string) => SenderNetwork;
};
export type NamedService = {
  readonly name: string;
  /** The name whose record has the term. */
  readonly record: string;
  readonly term: string;
  /** DNS lookups that the term costs. */
  readonly lookups: number;
  /** Where DKIM is switched on there, if known. */
  readonly setup: string;
};

export const OWN_SERVERS = 'own servers';
export const idOf = (name: string): string => name.toLowerCase();

export type SenderFinder = (source: ReportShape & { readonly address: string }) => Sender;

type Place = Omit<Sender, 'account' | 'accountId'>;
type KnownAddress = {
  readonly network: SenderNetwork;
  /** By SPF records or published ranges; undefined where only the message can tell. */
  readonly place: Place | undefined;
  /** What most of its mail shares. */
  unit: Sender | undefined;
  /** By the provider and the account there. */
  accounts: Map<string, Sender> | undefined;
};

export function createSenderFinder(sources: PlaceSources): SenderFinder {
  const { networkOf, named } = sources;
  const known = new Map<string, KnownAddress>();
  const termOf = new Map(named.map(({ name, term }) => [name, term] as const).reverse());
  const providerPlace = (name: string, { realm }: SenderNetwork, term?: string): Place => ({
    id: idOf(name),
    name,
    kind: 'provider',
    // An organization that is not in the table is treated like a service.
    role: providerNamed(name)?.role ?? 'service',
    isNamed: term !== undefined || termOf.has(name),
    term: term ?? termOf.get(name) ?? '',
    realm,
    isOfOne: false,
  });
  const placeOf = (address: string, network: SenderNetwork): Place | undefined => {
    const found = sources.records.map(({ spf }) => spf.matchesOf(address));
    const neutral = found.map(([first]) => first).find((match) => match?.qualifier === '?');
    const isOwn = neutral !== undefined && otherOwner(neutral) === undefined;
    // The first matching term of a record decides.
    const others = isOwn ? found.filter(([first]) => first !== neutral) : found;
    const matches = others.flat().filter(({ qualifier }) => qualifier === '+');
    const place = allowedPlace(matches, address, network);
    if (neutral === undefined || place?.isNamed) return place;
    return { ...(place ?? networkPlace(network)), term: neutral.term };
  };
  const allowedPlace = (
    matches: readonly SpfMatch[],
    address: string,
    network: SenderNetwork,
  ): Place | undefined => {
    const shared = matches.find((match) => otherOwner(match) !== undefined);
    const other = shared && otherOwner(shared);
    const isOwnServer = other !== undefined && matches.some(isSingleAddress);
    if (other !== undefined && !isOwnServer)
      return providerPlace(providerOfSpfName(other)?.name ?? other, network, shared?.ownTerm);
    const [match] = matches;
    const provider = isOwnServer ? undefined : (sources.providerOf(address) ?? hostedBy(match));
    if (provider !== undefined) return providerPlace(provider, network, match?.ownTerm);
    if (match === undefined) return undefined;
    return {
      ...networkPlace({ ...network, id: OWN_SERVERS, name: OWN_SERVERS, isOfOne: false }),
      kind: 'own',
      isNamed: true,
      term: match.ownTerm,
    };
  };
  const knownAddress = (address: string): KnownAddress => {
    let found = known.get(address);
    if (found === undefined) {
      const network = networkOf(address);
      const place = placeOf(address, network);
      found = { network, place, unit: undefined, accounts: undefined };
      known.set(address, found);
    }
    return found;
  };
  return (source) => {
    const found = knownAddress(source.address);
    const { network, place } = found;
    const verified = place === undefined ? verifiedProvider(source) : undefined;
    const provider = place?.kind === 'provider' ? place.name : verified?.name;
    if (provider === undefined) {
      found.unit ??= partOf(place ?? networkPlace(network), unitOf(source.address));
      return found.unit;
    }
    const account = accountOf(source, providerNamed(provider));
    const key = `${provider} ${account}`;
    found.accounts ??= new Map();
    let sender = found.accounts.get(key);
    if (sender === undefined) {
      sender = partOf(place ?? providerPlace(provider, network), account);
      found.accounts.set(key, sender);
    }
    return sender;
  };
}

function networkPlace({ id, name, realm, isOfOne }: SenderNetwork): Place {
  return { id, name, kind: 'network', role: '', isNamed: false, term: '', realm, isOfOne };
}

function partOf(place: Place, account: string): Sender {
  const accountId = account === '' ? place.id : `${place.id}/${account}`;
  return { ...place, account, accountId };
}

/** A server that the domain's own record lists beside an include of the range around it. */
function isSingleAddress({ records, term }: SpfMatch): boolean {
  return records.length === 1 && /^\+?ip[46]:[^/]+(?:\/(?:32|64|128))?$/i.test(term);
}

/** The provider of `a:dispatch-eu.ppe-hosted.com`, whose other customers send from there too. */
function hostedBy(match: SpfMatch | undefined): string | undefined {
  const host = /^\+?(?:a|mx):([^/]+)/i.exec(match?.term ?? '')?.[1];
  return host && providerOfSpfName(host.toLowerCase())?.name;
}

/** The first record on the way to the term that is in another registrable domain. */
export function otherOwner({ records: [own = '', ...others] }: SpfMatch): string | undefined {
  return others.find((name) => organizationOf(name) !== organizationOf(own));
}

/**
 * The provider that has signed the message, or whose bounce domain it has: receivers have verified
 * both.
 */
function verifiedProvider({ dkim, spf }: ReportShape): Provider | undefined {
  for (const { domain, result } of [...dkim, ...spf]) {
    const provider = result === 'pass' ? providerOfDomain(domain) : undefined;
    if (provider !== undefined) return provider;
  }
  return undefined;
}

/** `''` for the provider as a whole, and for mail with a bounce domain of ours. */
function accountOf(source: ReportShape, provider: Provider | undefined): string {
  if (provider === undefined || provider.accounts.length === 0) return '';
  for (const { domain, result } of spfIdentities(source)) {
    if (domain === '' || isAligned(domain, source.headerFrom, 'r')) continue;
    if (provider.accounts.some((parent) => domain !== parent && isWithin(domain, parent)))
      return domain;
    // Another customer's own bounce domain, which its SPF record proves.
    if (result === 'pass' && providerOfDomain(domain) === undefined) return organizationOf(domain);
  }
  return '';
}

/** One address, or one IPv6 /64: the smallest part of a network that has one owner. */
export function unitOf(address: string): string {
  const parsed = parseAddress(address);
  if (parsed === undefined || parsed.version === 4) return address;
  const groups = [112n, 96n, 80n, 64n].map((bits) => (BigInt(parsed.number) >> bits) & 0xffffn);
  return `${groups.map((group) => group.toString(16)).join(':')}::/64`.replace(/(?::0)+::/, '::');
}
