// What `include` adds to the record of an address; unknown sections are absent. Local ones need
// files of this machine alone, so batches and commands have them too.
import type { Address } from '@whence/dataset/address';
import type { Dataset } from '@whence/dataset/dataset';
import type { Match } from '@whence/dataset/match';
import type { Location } from '@whence/dataset/record';
import { requireIncluded } from '../http/requests.ts';
import type { Requester } from '../limits/cost-classes.ts';
import {
  type AddressSection,
  LOCAL_ADDRESS_SECTIONS,
  type LocalAddressSection,
  type NetworkSection,
} from '../vocabulary.ts';
import type { Hostname } from './hostname.ts';
import { type Privacy, privacyOf } from './privacy.ts';
import {
  countStates,
  type MatchedAddress,
  type NetworkRouting,
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
};

type FindLocation = { find(address: Address, country: string): Location | undefined };
type FindHostname = { find(address: Address, requester: Requester): Promise<Hostname> };

type LocalSources = {
  readonly vrps: VrpTable | undefined;
  readonly locations: FindLocation | undefined;
};

type SectionSources = {
  readonly hostnames: FindHostname;
  /** Validated ROA payloads, if there are any at this time. */
  readonly rpki?:
    | { readonly table: VrpTable | undefined; readonly asOf?: Date | undefined }
    | undefined;
  /** The location database in use, if there is one. */
  readonly locations?: { readonly current: FindLocation | undefined } | undefined;
};

export class AddressSections {
  readonly #hostnames: FindHostname;
  readonly #rpki: SectionSources['rpki'];
  readonly #locations: SectionSources['locations'];

  constructor({ hostnames, rpki, locations }: SectionSources) {
    this.#hostnames = hostnames;
    this.#rpki = rpki;
    this.#locations = locations;
  }

  describeLocal(
    matched: MatchedAddress,
    included: ReadonlySet<LocalAddressSection>,
  ): AddressMembers {
    return localMembers(matched, included, this.#localSources());
  }

  async describe(
    matched: MatchedAddress,
    included: ReadonlySet<AddressSection>,
    requester: Requester,
  ): Promise<AddressMembers> {
    const hostname = included.has('hostname')
      ? await this.#hostnames.find(matched.address, requester)
      : undefined;
    return {
      ...localMembers(matched, included, this.#localSources()),
      ...(hostname && { hostname }),
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

  describeParts(json: string, dataset: Dataset): string {
    const vrps = this.#rpki?.table;
    return vrps === undefined ? json : withPartStates(json, dataset, vrps);
  }

  /** Local sections as JSON without braces; empty for an address without a record. */
  localJson(
    dataset: Dataset,
    included: ReadonlySet<LocalAddressSection>,
  ): ((address: Address, match: Match) => string) | undefined {
    if (included.size === 0) return undefined;
    const sources = this.#localSources();
    return (address, match) => {
      if (match === 0) return '';
      const members = localMembers({ dataset, address, match }, included, sources);
      return JSON.stringify(members).slice(1, -1);
    };
  }

  #localSources(): LocalSources {
    return { vrps: this.#rpki?.table, locations: this.#locations?.current };
  }
}

export const parseLocalInclude = (names: readonly string[] | undefined) =>
  requireIncluded(names, LOCAL_ADDRESS_SECTIONS);

/** Whether all of them need nothing but files of this machine. */
export function isLocal(
  included: ReadonlySet<AddressSection>,
): included is ReadonlySet<LocalAddressSection> {
  return !included.has('hostname');
}

function localMembers(
  matched: MatchedAddress,
  included: ReadonlySet<AddressSection>,
  { vrps, locations }: LocalSources,
): AddressMembers {
  const { dataset, address, match } = matched;
  const location = included.has('location')
    ? locations?.find(address, dataset.country(match))
    : undefined;
  const { labels, ...members } = recordMembers(matched, included);
  return {
    ...(included.has('routing') && { routing: routingOf(matched, vrps) }),
    ...members,
    ...(location && { location }),
    ...(labels && { labels }),
  };
}

/** What all addresses with a record have. */
export function recordMembers(
  { dataset, match }: Pick<MatchedAddress, 'dataset' | 'match'>,
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
