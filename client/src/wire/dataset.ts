/** The dataset: its version, sources, coverage and quality. */
import type { Flag } from './ip.ts';

/** The version being served, and all versions that are kept. */
export type DatasetReport = {
  version: number;
  built_at: string;
  /** Age of the build; `data_as_of` has the age of the data. */
  age_seconds: number;
  /** The date of the oldest source that decides prefixes or countries. */
  data_as_of?: string;
  data_sources: { prefix?: { source: string; as_of: string }; country?: { source: string; as_of: string } };
  sources: Source[];
  counts: DatasetCounts;
  versions: PublishedVersion[];
  figures: Figures;
  flag_sources: Record<FlagSubject, FlagSource>;
  quality: QualityRow[];
  refused: Refusal[];
};

/** A source of a dataset. `credit` is the attribution that its licence requires. */
export type Source = { id: string; as_of: string; licence: string; credit: string; records: number };

export type DatasetCounts = {
  ipv4_intervals: number;
  ipv6_intervals: number;
  records: number;
  tails: number;
  asns: number;
  ipv4_prefixes: number;
  ipv6_prefixes: number;
};

export type PublishedVersion = { version: number; built_at: string; bytes: number; current: boolean };

/** A feed whose newest copy was rejected; `used` is the date of the older copy that was used instead, if any. */
export type Refusal = { id: string; reason: string; used?: string };

/** Coverage of a version, agreement of its sources, space per flag, country and registry. */
export type Figures = {
  ipv4: FamilyFigures;
  ipv6: FamilyFigures;
  country_agreement: { sources: [string, string]; ipv4_addresses: number; share: number }[];
  flags: Record<string, SpaceFigures & { records: number }>;
  countries: Record<string, SpaceFigures>;
  registries: Record<string, SpaceFigures>;
};

/** Shares are from 0 to 1. `announced` counts IPv4 addresses or IPv6 /48s. */
export type FamilyFigures = {
  announced: number;
  answered_share: number;
  country_share: number;
  country_confirmed_share: number;
  exact_rir_share: number;
  connection_type_share: number;
  connection_type_from: { list: number; table: number; rule: number; signals: number; none: number };
};

export type SpaceFigures = { ipv4_addresses: number; ipv6_48s: number };

/** A flag, or the blocklists of the threat score. */
export type FlagSubject = Flag | 'blocklists';

/** What a flag is decided from. With `none` it is false everywhere, because nothing is known. */
export type FlagSource = { from: 'feeds' | 'tables' | 'none'; sources: string[]; as_of?: string };

/**
 * How right a field is, measured on labels that did not decide it. `value` and `interval` (95 %) are from 0 to 1; `n`
 * counts labels by `weight`. With `held_out` the labels are a source of the version, and the measured answers are those
 * without that source.
 */
export type QualityRow = {
  field: string;
  measure: 'accuracy' | 'precision' | 'recall' | 'macro_recall' | 'false_positive_share' | 'changed';
  family: 'ipv4' | 'ipv6' | 'all';
  weight: 'address' | 'slash48' | 'prefix' | 'network';
  value: number;
  n: number;
  interval: [number, number];
  labels: string;
  labels_as_of: string;
  held_out: boolean;
};
