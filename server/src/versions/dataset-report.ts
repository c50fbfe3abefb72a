/**
 * The dataset in use as people read it: its state, version, sources and figures, and the published
 * versions.
 */

import {
  dataAsOf,
  type FlagKnowledge,
  flagKnowledge,
  threatKnowledge,
} from '@whence/dataset/data-age';
import {
  type Counts,
  type DataSources,
  type Figures,
  FLAG_SUBJECTS,
  type FlagSources,
  type FlagSubject,
  type Meta,
  type Refusal,
  type Source,
  type ThreatKnowledge,
} from '@whence/dataset/record';
import { dayOfMs } from '../day.ts';

type PublishedVersion = { version: number; built_at: string; bytes: number; current: boolean };

export type DatasetReport = {
  version: number;
  built_at: string;
  /**
   * The date of the oldest source that decides prefixes or countries; absent where no source has a
   * date.
   */
  data_as_of?: string;
  data_sources: DataSources;
  sources: Source[];
  counts: Counts;
  versions: PublishedVersion[];
  /** How much of the address space the version covers, and how far its sources agree. */
  figures: Figures;
  /** What each flag is derived from: lists of feeds, tables of a past date, or nothing. */
  flag_sources: FlagSources;
  /**
   * Flags that are false everywhere, because no source knows them or none of their lists counts.
   */
  unknown_flags: FlagSubject[];
  /** Flags with a list that is too old to count, or that come from tables of a past date. */
  dated_flags: FlagSubject[];
  /** Whether a current list could have raised a score: if not, 0 is not low but unknown. */
  threat_is_known: ThreatKnowledge;
  /** Feeds whose newest copy was rejected, and why. */
  refused: Refusal[];
};

type DatasetInUse = { readonly version: number; readonly dataset: { readonly meta: Meta } };

export function datasetReport(
  { version, dataset: { meta } }: DatasetInUse,
  versions: readonly Omit<PublishedVersion, 'current'>[],
  nowMs: number,
): DatasetReport {
  const { built_at, sources, data_sources, counts, figures, flag_sources, refused } = meta;
  const data_as_of = dataAsOf(meta);
  const knowledge = flagKnowledge(meta, dayOfMs(nowMs));
  return {
    version,
    built_at,
    ...(data_as_of === undefined ? {} : { data_as_of }),
    data_sources,
    sources: [...sources],
    counts,
    versions: versions.map((entry) => ({
      version: entry.version,
      built_at: entry.built_at,
      bytes: entry.bytes,
      // The version in use, even if the manifest names one that cannot be opened.
      current: entry.version === version,
    })),
    figures,
    flag_sources: withTooOld(flag_sources, knowledge),
    unknown_flags: [...knowledge.unknown],
    dated_flags: [...knowledge.dated],
    threat_is_known: threatKnowledge(meta, dayOfMs(nowMs)),
    refused: [...refused],
  };
}

function withTooOld(flags: FlagSources, { tooOld }: FlagKnowledge): FlagSources {
  const rows = FLAG_SUBJECTS.map((subject) => {
    // A feed and the table that stands in for it have the same id.
    const too_old = [...new Set(tooOld[subject]?.map(({ id }) => id))];
    return [subject, too_old.length === 0 ? flags[subject] : { ...flags[subject], too_old }];
  });
  return Object.fromEntries(rows) as FlagSources;
}

/**
 * The embedded default is built once, a live dataset daily. A month without a build needs attention
 * in both cases.
 */
const STALE_SECONDS = 30 * 86_400;

/** `fallback`: the current version cannot be loaded, and another one is served. */
type DatasetState = 'ok' | 'stale' | 'fallback' | 'missing';

export function datasetState(
  live: {
    readonly current: { ageSeconds(nowMs: number): number } | undefined;
    readonly isFallback: boolean;
  },
  nowMs: number,
): DatasetState {
  if (live.current === undefined) return 'missing';
  if (live.isFallback) return 'fallback';
  return live.current.ageSeconds(nowMs) > STALE_SECONDS ? 'stale' : 'ok';
}
