/**
 * What a feed says, once it is read. There are many formats and five shapes of statement; a parser turns the one into the other and
 * knows nothing of what the statement is used for.
 */
import type { ConnectionType, Rir } from '../record.ts';
import type { Ranges } from './ranges.ts';

export type FamilyRanges = Readonly<Record<4 | 6, Ranges>>;

export type Parsed = Routes | Countries | Delegations | Names | Networks | PrefixList;

type Reading = {
  /** Statements that were understood. */
  readonly records: number;
  /** Rows that were not, comments and blank lines apart. Too many of them mean that the feed has lost its format. */
  readonly skipped: number;
  /** The date the feed gives itself, yyyy-mm-dd. */
  readonly asOf?: string;
};

/** Who announces what. Values are AS numbers. */
export type Routes = Reading & {
  readonly shape: 'routes';
  readonly ranges: FamilyRanges;
  /** Names that came along. */
  readonly names: ReadonlyMap<number, string>;
  /** Further origins of prefixes that several networks announce. */
  readonly rivals: readonly Rival[];
};

export type Rival = {
  readonly version: 4 | 6;
  readonly start: bigint;
  readonly length: number;
  readonly asn: number;
};

/** Where addresses are used. Values are countries as numbers, see `country-code`. */
export type Countries = Reading & { readonly shape: 'countries'; readonly ranges: FamilyRanges };

/** Where numbers are registered. Values are positions in `holders`. */
export type Delegations = Reading & {
  readonly shape: 'delegations';
  readonly ranges: FamilyRanges;
  readonly holders: readonly Holder[];
  readonly asns: readonly DelegatedAsns[];
};

/** `country` is absent where the registry has kept the block for itself. */
export type Holder = { readonly rir: Rir; readonly country?: string };

export type DelegatedAsns = Holder & {
  readonly first: number;
  readonly last: number;
  /** yyyy-mm-dd */
  readonly registered?: string;
};

/** What networks are called. */
export type Names = Reading & { readonly shape: 'names'; readonly names: ReadonlyMap<number, NetworkName> };

export type NetworkName = { readonly name?: string; readonly handle?: string; readonly country?: string };

/** Networks that are on a list, with the role that the list gives them, if it does. */
export type Networks = Reading & { readonly shape: 'networks'; readonly networks: ReadonlyMap<number, ListedNetwork> };

export type ListedNetwork = { readonly label: string; readonly role?: ConnectionType };

/** Addresses that are on a list. Values are positions in `labels`: a region, a country, a count, or nothing, as the format has it. */
export type PrefixList = Reading & {
  readonly shape: 'prefixes';
  readonly ranges: FamilyRanges;
  readonly labels: readonly string[];
};
