/** What the compiler works with: sources, and what each of them states about addresses and networks. */
import type { ConnectionType, Source } from '../record.ts';
import type { Drive } from './feed.ts';
import type { DelegatedAsns, FamilyRanges, Holder, ListedNetwork, NetworkName, Rival } from './parsed.ts';

export type RangeSource = { readonly source: Source; readonly ranges: FamilyRanges };

/** Values are AS numbers. */
export type RouteSource = RangeSource & { readonly rivals: readonly Rival[] };

/** Values are positions in `holders`. */
export type DelegationSource = RangeSource & {
  readonly holders: readonly Holder[];
  readonly asns: readonly DelegatedAsns[];
};

export type NameSource = { readonly source: Source; readonly names: ReadonlyMap<number, NetworkName> };

/** Networks on a list. `role` is what the list makes of all of them; a list can also give each its own. */
export type NetworkList = {
  readonly source: Source;
  readonly drives: readonly Drive[];
  readonly networks: ReadonlyMap<number, ListedNetwork>;
  readonly role?: ConnectionType;
  readonly operator?: string;
};

/** Something true of some addresses inside a network. Values are positions in `statements`. It never changes the prefix. */
export type Overlay = RangeSource & {
  readonly drives: readonly Drive[];
  readonly statements: readonly Statement[];
  /** Whose addresses these are: a cloud, an AI company, a VPN operator. */
  readonly provider?: string;
  readonly company?: string;
  readonly operator?: string;
};

export type Statement = {
  /** For a person: the number of a listing, the operator of a relay. */
  readonly label?: string;
  readonly country?: string;
  /** On how many blocklists an aggregate found the address. */
  readonly lists?: number;
};
