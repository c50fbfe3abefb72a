// What `include` adds to the record of an address; unknown sections are absent. Local ones need the dataset alone, so
// batches and commands have them too.
import { type Address, formatAddress } from '@whence/dataset/address';
import type { Match } from '@whence/dataset/internal/file/format';
import type { Dataset } from '@whence/dataset/internal/file/read';
import type { Location } from '@whence/dataset/internal/supplement/supplement';
import { parseInclude, requireIncluded } from '../http/requests.ts';
import type { Requester } from '../limits/cost-classes.ts';
import {
  ADDRESS_SECTIONS,
  type AddressSection,
  LOCAL_ADDRESS_SECTIONS,
  type LocalAddressSection,
  NETWORK_SECTIONS,
  type NetworkSection,
} from '../vocabulary.ts';
import type { Hostname } from './hostname.ts';
import type { HostnameLookups } from './hostname-lookups.ts';
import { locationJsonOf, locationOf } from './location.ts';
import { type Privacy, privacyOf } from './privacy.ts';
import type { Registration } from './registration/rdap-network.ts';
import type { Registrations } from './registration/registrations.ts';
import {
  countStates,
  type FoundAddress,
  type NetworkRouting,
  type Origin,
  type Routing,
  routingOf,
  withPartStates,
} from './routing/routing.ts';
import type { VrpTable } from './routing/vrps.ts';
import { type Scanner, scannerOf } from './scanner.ts';

export type AddressMembers = {
  routing?: Routing;
  privacy?: Privacy;
  scanner?: Scanner;
  location?: Location;
  labels?: string[];
  hostname?: Hostname;
  registration?: Registration;
};

/** All that is known of an address of a peering LAN that no network announces. */
export type ExchangeAddress = { ip: string; routing: { origins: Origin[]; exchange: string } };

type LocalSources = { readonly vrps?: VrpTable | undefined };

type SectionSources = {
  readonly hostnames: HostnameLookups;
  readonly registrations?: Registrations | undefined;
  /** Validated ROA payloads, if there are any at this time. */
  readonly rpki?: { readonly table: VrpTable | undefined; readonly asOf?: Date | undefined } | undefined;
};

export class AddressSections {
  readonly #hostnames: HostnameLookups;
  readonly #registrations: Registrations | undefined;
  readonly #rpki: SectionSources['rpki'];
  readonly #allowed: readonly AddressSection[];

  /** Without `registrations`, that section is refused as if it did not exist. */
  constructor({ hostnames, registrations, rpki }: SectionSources) {
    this.#hostnames = hostnames;
    this.#rpki = rpki;
    this.#registrations = registrations;
    this.#allowed = ADDRESS_SECTIONS.filter((name) => name !== 'registration' || registrations !== undefined);
  }

  has(section: AddressSection): boolean {
    return this.#allowed.includes(section);
  }

  /** Names separated by commas, as in `?include=`. An unknown one is refused. */
  parse(text: string | undefined): ReadonlySet<AddressSection> {
    return text === undefined ? NONE : parseInclude(text, this.#allowed, { registration: 'WHENCE_RDAP' });
  }

  /** The same for sections that need nothing but the dataset, of which none is refused. */
  parseLocal(text: string | undefined): ReadonlySet<LocalAddressSection> {
    return text === undefined ? NONE : parseInclude(text, LOCAL_ADDRESS_SECTIONS);
  }

  describeLocal(found: FoundAddress, included: ReadonlySet<LocalAddressSection>): AddressMembers {
    return localMembers(found, included, { vrps: this.#rpki?.table });
  }

  async describe(
    found: FoundAddress,
    included: ReadonlySet<AddressSection>,
    requester: Requester,
  ): Promise<AddressMembers> {
    const [hostname, registration] = await Promise.all([
      included.has('hostname') ? this.#hostnames.find(found.address, requester) : undefined,
      included.has('registration') ? this.#registrations?.find(found.address, requester) : undefined,
    ]);
    return {
      ...localMembers(found, included, { vrps: this.#rpki?.table }),
      ...(hostname && { hostname }),
      ...(registration && { registration }),
    };
  }

  get rpkiAsOf(): Date | undefined {
    return this.#rpki?.asOf;
  }

  async describeNetwork(
    dataset: Dataset,
    asn: number,
    included: ReadonlySet<NetworkSection>,
  ): Promise<{ routing?: NetworkRouting }> {
    const vrps = included.has('routing') ? this.#rpki?.table : undefined;
    return vrps === undefined ? {} : { routing: await countStates(dataset, asn, vrps) };
  }

  /** For an address without a record: an exchange does not announce its peering LAN. Undefined if it is of no exchange. */
  unannounced(
    { supplement }: Pick<FoundAddress, 'supplement'>,
    address: Address,
    included: ReadonlySet<AddressSection>,
  ): ExchangeAddress | undefined {
    const exchange = included.has('routing') ? supplement?.exchange(address) : undefined;
    return exchange === undefined ? undefined : { ip: formatAddress(address), routing: { origins: [], exchange } };
  }

  describeParts(json: string, dataset: Dataset): string {
    const vrps = this.#rpki?.table;
    return vrps === undefined ? json : withPartStates(json, dataset, vrps);
  }

  /** Local sections as JSON without braces; for an address without a record, all members of its answer, if any. */
  localJson(
    { dataset, supplement }: Pick<FoundAddress, 'dataset' | 'supplement'>,
    included: ReadonlySet<LocalAddressSection>,
  ): ((address: Address, match: Match) => string) | undefined {
    if (included.size === 0) return undefined;
    const sources = { vrps: this.#rpki?.table };
    const others = new Set([...included].filter((name) => name !== 'location'));
    return (address, match) => {
      if (match === 0) {
        const known = this.unannounced({ supplement }, address, included);
        return known === undefined ? '' : JSON.stringify(known).slice(1, -1);
      }
      const found = { dataset, supplement, address, match };
      const members = others.size === 0 ? '' : JSON.stringify(localMembers(found, others, sources)).slice(1, -1);
      const location = included.has('location') ? locationJsonOf(found) : undefined;
      if (location === undefined) return members;
      return `${members}${members === '' ? '' : ','}"location":${location}`;
    };
  }
}

const NONE: ReadonlySet<never> = new Set();

/** Whether all of them need nothing but the dataset. */
export function isLocal(included: ReadonlySet<AddressSection>): included is ReadonlySet<LocalAddressSection> {
  return !included.has('hostname') && !included.has('registration');
}

export function parseNetworkInclude(text: string | undefined): ReadonlySet<NetworkSection> {
  return text === undefined ? NONE : parseInclude(text, NETWORK_SECTIONS);
}

export function requireLocal(names: readonly string[] | undefined): ReadonlySet<LocalAddressSection> {
  return names === undefined ? NONE : requireIncluded(names, LOCAL_ADDRESS_SECTIONS);
}

function localMembers(
  found: FoundAddress,
  included: ReadonlySet<AddressSection>,
  { vrps }: LocalSources,
): AddressMembers {
  const location = included.has('location') ? locationOf(found) : undefined;
  const { labels, ...members } = recordMembers(found, included);
  return {
    ...(included.has('routing') && { routing: routingOf(found, vrps) }),
    ...members,
    ...(location && { location }),
    ...(labels && { labels }),
  };
}

/** What all addresses with a record have. */
export function recordMembers(
  { dataset, match }: Pick<FoundAddress, 'dataset' | 'match'>,
  included: ReadonlySet<AddressSection>,
): Pick<AddressMembers, 'privacy' | 'scanner' | 'labels'> {
  const privacy = included.has('privacy') ? privacyOf(dataset, match) : undefined;
  const scanner = included.has('scanner') ? scannerOf(dataset, match) : undefined;
  const labels = included.has('labels') ? dataset.labels(match) : [];
  return {
    ...(privacy && { privacy }),
    ...(scanner && { scanner }),
    ...(labels.length > 0 && { labels: [...labels] }),
  };
}

export function withMembers(json: string, members: object): string {
  const text = JSON.stringify(members);
  return text === '{}' ? json : `${json.slice(0, -1)},${text.slice(1)}`;
}
