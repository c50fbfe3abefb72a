// The result of parsing a feed: many formats, seven shapes of statements.
import type { FamilyRanges } from '../ranges.ts';
import type { Rir } from '../record.ts';

export type Parsed = Routes | Countries | Delegations | Names | Networks | PrefixList | Locations;

type RowCounts = {
  readonly records: number;
  /**
   * Rows that could not be parsed, without comments and blank lines. Too many of them mean another
   * format.
   */
  readonly skipped: number;
  readonly asOf?: string;
};

/** Values are AS numbers. */
export type Routes = RowCounts & {
  readonly shape: 'routes';
  readonly ranges: FamilyRanges;
  readonly names: ReadonlyMap<number, string>;
  /**
   * Origins of prefixes that several networks announce (MOAS); with peers also the one in `ranges`.
   */
  readonly otherOrigins: readonly OtherOrigin[];
  /** The format has ranges, in which announcements are joined and divided. */
  readonly isDerived?: boolean;
};

export type OtherOrigin = {
  readonly version: 4 | 6;
  readonly start: bigint;
  readonly length: number;
  readonly asn: number;
  /** How many peers of the collectors see this origin, where the format says so. */
  readonly peers?: number;
};

/** Where addresses are used. Values are countries as numbers, see country-code.ts. */
export type Countries = RowCounts & { readonly shape: 'countries'; readonly ranges: FamilyRanges };

/** Where addresses and AS numbers are registered. Values are positions in `holders`. */
export type Delegations = RowCounts & {
  readonly shape: 'delegations';
  readonly ranges: FamilyRanges;
  readonly holders: readonly Holder[];
  readonly asns: readonly DelegatedAsns[];
};

/** `country` is absent for blocks that the registry has not delegated. */
export type Holder = { readonly rir: Rir; readonly country?: string };

export type DelegatedAsns = Holder & {
  readonly first: number;
  readonly last: number;
  /** yyyy-mm-dd */
  readonly registered?: string;
};

export type Names = RowCounts & {
  readonly shape: 'names';
  readonly names: ReadonlyMap<number, NetworkName>;
};

export type NetworkName = {
  readonly name?: string;
  readonly handle?: string;
  readonly country?: string;
};

/** Networks on a list, by AS number. */
export type Networks = RowCounts & {
  readonly shape: 'networks';
  readonly networks: ReadonlySet<number>;
};

/**
 * Addresses on a list. Values are positions in `labels`: a region, a country, a count or an empty
 * text, by format.
 */
export type PrefixList = RowCounts & {
  readonly shape: 'prefixes';
  readonly ranges: FamilyRanges;
  readonly labels: readonly string[];
};

/** A database of cities, which is used as it is. Records are networks. */
export type Locations = RowCounts & { readonly shape: 'locations' };
