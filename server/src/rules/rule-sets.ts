// The file of `WHENCE_RULES` as plain data: rule sets, which `decide` applies and `review`
// examines, and address lists.
import type { ConnectionType, Flag } from '@whence/dataset/record';
import type { PrefixFile } from './prefix-file.ts';

export type Conditions = {
  /** Host names in lower case; `*.example.com` for every name below it. */
  readonly hosts?: readonly string[];
  readonly paths?: readonly string[];
  readonly methods?: readonly string[];
  readonly prefixes?: readonly string[];
  readonly prefixes_file?: readonly PrefixFile[];
  readonly countries?: readonly string[];
  readonly asns?: readonly number[];
  readonly connection_types?: readonly ConnectionType[];
  readonly flags?: readonly Flag[];
  readonly cloud_providers?: readonly string[];
  readonly ai_companies?: readonly string[];
  readonly min_score?: number;
  readonly announced?: boolean;
  readonly private?: boolean;
};
export type Condition = keyof Conditions;

/** Those of the request; all others are of its address. */
export const REQUEST_CONDITIONS: readonly Condition[] = ['hosts', 'paths', 'methods'];
/** Whether they are compared with private addresses. */
export const namesPrivate = ({
  private: isPrivate,
  prefixes,
  prefixes_file,
}: Conditions): boolean =>
  [isPrivate, prefixes, prefixes_file].some((condition) => condition !== undefined);
/** Those that need a record, which an unannounced address does not have. */
export const RECORD_CONDITIONS: readonly Condition[] = [
  'countries',
  'asns',
  'connection_types',
  'flags',
  'cloud_providers',
  'ai_companies',
  'min_score',
];

export const ACTIONS = ['allow', 'deny', 'tag'] as const;
export type Action = (typeof ACTIONS)[number];
export const MODES = ['enforce', 'observe'] as const;
export const DEFAULTS = ['allow', 'deny'] as const;

export type Position = { readonly line: number; readonly column: number };

export type Rule = {
  readonly name: string;
  readonly conditions: Conditions;
  readonly action: Action;
  readonly status: number;
  readonly text: string;
  readonly position: Position;
};

export type RuleSet = {
  readonly name: string;
  readonly mode: (typeof MODES)[number];
  readonly rules: readonly Rule[];
  readonly default: (typeof DEFAULTS)[number];
};

/** Addresses that meet all of the conditions, for firewalls. */
export type AddressList = {
  readonly name: string;
  readonly conditions: Conditions;
  /** Share of its prefixes that it may lose by an update; undefined for the one of all lists. */
  readonly maxLoss: number | undefined;
  readonly position: Position;
};

export type RuleFile = {
  readonly sets: ReadonlyMap<string, RuleSet>;
  readonly lists: ReadonlyMap<string, AddressList>;
};

/** The set of requests without `set`. */
export const DEFAULT_SET = 'default';
/** The answer to a refused request unless its rule says otherwise. */
export const FORBIDDEN_STATUS = 403;
