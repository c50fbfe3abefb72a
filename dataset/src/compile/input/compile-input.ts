import { isTooOld } from '../../data-age.ts';
import { type Drive, isAgingDrive } from '../../feeds/feed.ts';
import type { DelegatedAsns, Holder, NetworkName, OtherOrigin } from '../../feeds/parsed.ts';
import type { FamilyRanges } from '../../ranges.ts';
import type { ConnectionType, Source } from '../../record.ts';

/** In every list the most trusted source comes first. */
export type CompileInput = {
  readonly routes: readonly RouteSource[];
  readonly names: readonly NameSource[];
  /** Where addresses are used. Values are countries. */
  readonly countries: readonly CountrySource[];
  /** The registries' own files: which registry keeps a block, and for which country. */
  readonly delegations: readonly DelegationSource[];
  /**
   * In which country addresses are registered, for blocks that `delegations` do not list. Values
   * are countries.
   */
  readonly delegated: RangeSource;
  readonly networkLists: readonly NetworkList[];
  readonly overlays: readonly Overlay[];
  /** The day of the build, yyyy-mm-dd. Without it no list is too old. */
  readonly day?: string | undefined;
  readonly tables: Readonly<
    Record<'iana' | 'networks' | 'scanners' | 'name-rules' | 'type-signals', Source>
  >;
};

/** Called with the current step and the share of the whole that is done. */
export type Progress = (step: string, share: number) => void;

export type RangeSource = { readonly source: Source; readonly ranges: FamilyRanges };

/** `isMistaken`: known errors. The country of registration then decides instead. */
type CountrySource = RangeSource & {
  readonly isMistaken?: (asn: number, country: string) => boolean;
};

/** Values are AS numbers. `isDerived`: its ranges are not the announced prefixes. */
type RouteSource = RangeSource & {
  readonly otherOrigins: readonly OtherOrigin[];
  readonly isDerived?: boolean | undefined;
};

/** Values are positions in `holders`. */
export type DelegationSource = RangeSource & {
  readonly holders: readonly Holder[];
  readonly asns: readonly DelegatedAsns[];
};

export type NameSource = {
  readonly source: Source;
  readonly names: ReadonlyMap<number, NetworkName>;
};

/** A list of networks. `type` is the connection type of all of them. */
export type NetworkList = {
  readonly source: Source;
  readonly drives: readonly Drive[];
  readonly networks: ReadonlySet<number>;
  readonly type?: ConnectionType | undefined;
  readonly operator?: string | undefined;
} & TooOld;

/**
 * `tooOld`: what the list no longer drives, because it is too old. Only evidence and reasons name
 * it.
 */
type TooOld = { readonly tooOld?: readonly Drive[] };

/** The input as its lists count on its day. */
export function withoutExpired(input: CompileInput): CompileInput {
  const { day, overlays, networkLists } = input;
  return {
    ...input,
    overlays: overlays.map((list) => withoutTooOld(list, day)),
    networkLists: networkLists.map((list) => withoutTooOld(list, day)),
  };
}

/** Drives of a list that has expired on this day move to `tooOld`. It names no crawlers either. */
export function withoutTooOld<T extends NetworkList | Overlay>(
  list: T,
  day: string | undefined,
): T & TooOld {
  if (day === undefined || list.tooOld !== undefined || !isTooOld(list.source, day)) return list;
  const tooOld = list.drives.filter(isAgingDrive);
  const drives = list.drives.filter((drive) => !isAgingDrive(drive));
  return { ...list, drives, tooOld, crawler: undefined };
}

/**
 * A statement about addresses inside a network. Values are positions in `statements`. Never changes
 * the prefix.
 */
export type Overlay = RangeSource &
  TooOld & {
    readonly drives: readonly Drive[];
    readonly statements: readonly Statement[];
    readonly provider?: string | undefined;
    readonly company?: string | undefined;
    readonly operator?: string | undefined;
    readonly namesTorOperators?: boolean | undefined;
    readonly isTable?: boolean;
    readonly crawler?: string | undefined;
    /**
     * A relay that hides addresses for privacy. Its addresses are not a VPN, whatever other lists
     * say.
     */
    readonly isRelay?: boolean | undefined;
    /** A VPN list of third parties; see generic-vpn-lists.ts for what is used of it. */
    readonly isGeneric?: boolean | undefined;
    /** The networks for which it may state a country; without them, all. */
    readonly asns?: ReadonlySet<number> | undefined;
    readonly contains?: readonly string[] | undefined;
    /** Its operator observed the addresses itself. */
    readonly isDirect?: boolean | undefined;
  };

export type Statement = {
  /** A text to show: the number of a listing, the operator of a relay. */
  readonly label?: string;
  readonly country?: string;
  readonly region?: string;
  /** What the addresses are used for, in a network of another kind. */
  readonly type?: ConnectionType;
  readonly lists?: number;
  /** The list does not name the address, but this many servers next to it. */
  readonly neighbours?: number;
  /** The list names a whole network or block with the address in it. */
  readonly isWide?: boolean;
};

export type Stated<T> = { readonly value: T; readonly source: Source };

/**
 * All sources of an input, each once. Decisions and other origins refer to them by position in this
 * list.
 */
export function sourcesOf(input: CompileInput): readonly Source[] {
  const { routes, names, countries, delegations, delegated, networkLists, overlays, tables } =
    input;
  const stating = [
    ...routes,
    ...names,
    ...countries,
    ...delegations,
    delegated,
    ...networkLists,
    ...overlays,
  ];
  const sources = stating.map(({ source }) => source);
  return [...new Set([...sources, ...Object.values(tables)])];
}
