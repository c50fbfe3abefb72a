/**
 * What can be asked about an address beside its record, by `include`. A section of which nothing is known is absent from
 * the answer. Local sections are made from the dataset alone, so that batches and commands can have them too.
 */
import type { Address } from '@whence/dataset/address';
import type { Match } from '@whence/dataset/format';
import type { Dataset } from '@whence/dataset/read';
import { parseInclude, requireIncluded } from '../http/requests.ts';
import {
  ADDRESS_SECTIONS,
  type AddressSection,
  LOCAL_ADDRESS_SECTIONS,
  type LocalAddressSection,
} from '../vocabulary.ts';
import type { Hostname } from './hostname.ts';
import type { HostnameLookups, Requester } from './hostname-lookups.ts';
import { type Privacy, privacyOf } from './privacy.ts';
import type { Registration } from './registration/rdap-network.ts';
import type { Registrations } from './registration/registrations.ts';
import { type Routing, routingOf } from './routing/routing.ts';
import type { VrpTable } from './routing/vrps.ts';

/** The members that are added to the record. */
export type AddressMembers = { routing?: Routing; privacy?: Privacy; hostname?: Hostname; registration?: Registration };

export type FoundAddress = {
  readonly dataset: Dataset;
  readonly address: Address;
  readonly match: Match;
};

/** What local sections use beside the dataset. */
type LocalSources = { readonly vrps?: VrpTable | undefined };

type SectionSources = {
  readonly hostnames: HostnameLookups;
  readonly registrations?: Registrations | undefined;
  /** Validated ROA payloads, if there are any at this time. */
  readonly rpki?: { readonly table: VrpTable | undefined } | undefined;
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

  /** Names separated by commas, as in `?include=`. An unknown one is refused. */
  parse(text: string | undefined): ReadonlySet<AddressSection> {
    return text === undefined ? NONE : parseInclude(text, this.#allowed);
  }

  async describe(
    found: FoundAddress,
    included: ReadonlySet<AddressSection>,
    requester: Requester,
  ): Promise<AddressMembers> {
    const [hostname, registration] = await Promise.all([
      included.has('hostname') ? this.#hostnames.find(found.address, requester) : undefined,
      included.has('registration') ? this.#registrations?.find(found.address) : undefined,
    ]);
    return {
      ...localMembers(found, included, { vrps: this.#rpki?.table }),
      ...(hostname && { hostname }),
      ...(registration && { registration }),
    };
  }

  /** Local sections as JSON without braces, for many addresses. Undefined if nothing is included. */
  localJson(
    dataset: Dataset,
    included: ReadonlySet<LocalAddressSection>,
  ): ((address: Address, match: Match) => string) | undefined {
    if (included.size === 0) return undefined;
    const sources = { vrps: this.#rpki?.table };
    return (address, match) =>
      JSON.stringify(localMembers({ dataset, address, match }, included, sources)).slice(1, -1);
  }
}

const NONE: ReadonlySet<never> = new Set();

/** The names in the body of a batch. */
export function requireLocal(names: readonly string[] | undefined): ReadonlySet<LocalAddressSection> {
  return names === undefined ? NONE : requireIncluded(names, LOCAL_ADDRESS_SECTIONS);
}

function localMembers(
  { dataset, address, match }: FoundAddress,
  included: ReadonlySet<AddressSection>,
  { vrps }: LocalSources,
): AddressMembers {
  const privacy = included.has('privacy') ? privacyOf(dataset, match) : undefined;
  return {
    ...(included.has('routing') && { routing: routingOf(dataset, address, match, vrps) }),
    ...(privacy && { privacy }),
  };
}

/** The JSON of a record with more members at its end. */
export function withMembers(json: string, members: object): string {
  const text = JSON.stringify(members);
  return text === '{}' ? json : `${json.slice(0, -1)},${text.slice(1)}`;
}
