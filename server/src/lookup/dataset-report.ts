/** The dataset that is served, for people: its version, sources and figures, and the versions that are kept. */
import type { VersionEntry } from '@whence/dataset/publish';
import type { Counts, Figures, FlagSources, Refusal, Source } from '@whence/dataset/record';
import type { ServedDataset } from './live-dataset.ts';

export type PublishedVersion = { version: number; built_at: string; bytes: number; current: boolean };

export type DatasetReport = {
  version: number;
  built_at: string;
  age_seconds: number;
  sources: Source[];
  counts: Counts;
  versions: PublishedVersion[];
  /** What the version covers and how far its sources agree. */
  figures: Figures;
  /** What each flag is decided from: lists of feeds, tables of a past date, or nothing. */
  flag_sources: FlagSources;
  /** Feeds whose newest copy was not used, and why. */
  refused: Refusal[];
};

export function datasetReport(
  { dataset, version, builtAtMs }: ServedDataset,
  versions: readonly VersionEntry[],
  nowMs: number,
): DatasetReport {
  const { built_at, sources, counts, figures, flag_sources, refused } = dataset.meta;
  return {
    version,
    built_at,
    age_seconds: Math.max(0, Math.floor((nowMs - builtAtMs) / 1000)),
    sources: [...sources],
    counts,
    versions: versions.map((entry) => ({
      version: entry.version,
      built_at: entry.built_at,
      bytes: entry.bytes,
      // What is served, also when the manifest names a version that cannot be opened.
      current: entry.version === version,
    })),
    figures,
    flag_sources,
    refused: [...refused],
  };
}
