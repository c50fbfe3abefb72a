// What the versions that are kept answered about an address. Synchronous and a read of a file for
// each version: servers do this in a thread.

import type { Address } from '../address.ts';
import { DatasetError } from '../dataset-error.ts';
import { dayOfMs } from '../day.ts';
import { UnreadableFormat } from '../file/format.ts';
import { type Dataset, openPublished } from '../file/read.ts';
import { fileFingerprint } from '../io/files.ts';
import { manifestPath, readManifest, type VersionEntry, versionPath } from '../versions/publish.ts';
import { compareAge } from '../versions/retention.ts';
import { explanationOf } from './evidence.ts';

/** A number, or a day in UTC (`2026-11-15`): the version that was the newest when it ended. */
export type WantedVersion = { readonly version: number } | { readonly day: string };

/** Together they identify a version: a publisher that starts over uses its numbers again. */
type VersionId = Pick<VersionEntry, 'version' | 'built_at' | 'content_sha256'>;

/** The version in use, and its record for the address as JSON, if it has one. */
export type InUse = VersionId & { readonly record?: string };

export function inUseFor(dataset: Dataset, address: Address): InUse {
  const { version, built_at, content_sha256 } = dataset.meta;
  const record = jsonIn(dataset, address);
  return { version, built_at, content_sha256, ...(record !== undefined && { record }) };
}

export type PastRecord =
  /** The version in use is the one that is wanted. */
  | { readonly kind: 'in use' }
  /** `json` is absent if the version has no record. */
  | { readonly kind: 'found'; readonly version: number; readonly json?: string }
  | { readonly kind: 'not kept' };

/**
 * Versions from `from_version` to `to_version` have the same record, up to dates of sources; it is
 * that of the newest.
 */
export type RecordSpan = {
  readonly from_version: number;
  readonly to_version: number;
  /** When these versions were built. */
  readonly from: string;
  readonly to: string;
  /** JSON. Absent if the versions have no record. */
  readonly record?: string;
};

/** Without `entry`: the version in use after it was removed from the folder. */
type KeptVersion = VersionId & { readonly entry?: VersionEntry };

/**
 * Each has 17 to 40 MB. Opening one again takes 15 to 35 ms, so the history of an address does not
 * keep them all.
 */
const MAX_OPEN = 2;

export class PastVersions {
  readonly #dataDir: string;
  /** The least recently used first. */
  readonly #open = new Map<string, Dataset>();
  #fingerprint: string | undefined;
  #entries: readonly VersionEntry[] = [];

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
  }

  /** Throws a DatasetError if the file of the version is damaged. */
  record(
    wanted: WantedVersion,
    address: Address,
    inUse: InUse,
    { explained = false, now = new Date() } = {},
  ): PastRecord {
    const version = findWanted(this.#versionsWith(inUse), wanted, now);
    if (version === undefined) return { kind: 'not kept' };
    if (keyOf(version) === keyOf(inUse)) return { kind: 'in use' };
    const dataset = this.#openVersion(version);
    if (dataset === undefined) return { kind: 'not kept' };
    const json = explained ? explainedJsonIn(dataset, address) : jsonIn(dataset, address);
    return { kind: 'found', version: version.version, ...(json !== undefined && { json }) };
  }

  /** From new to old. It ends before a version whose file is gone. */
  history(address: Address, inUse: InUse): RecordSpan[] {
    const newestFirst = [...this.#versionsWith(inUse)].sort((a, b) => compareAge(b, a));
    const spans: RecordSpan[] = [];
    for (const kept of newestFirst) {
      let { record } = inUse;
      if (keyOf(kept) !== keyOf(inUse)) {
        const dataset = this.#openVersion(kept);
        if (dataset === undefined) break;
        record = jsonIn(dataset, address);
      }
      const { version, built_at } = kept;
      const later = spans.at(-1);
      if (later !== undefined && withoutDates(later.record) === withoutDates(record))
        spans.splice(-1, 1, { ...later, from_version: version, from: built_at });
      else
        spans.push({
          from_version: version,
          to_version: version,
          from: built_at,
          to: built_at,
          ...(record !== undefined && { record }),
        });
    }
    return spans;
  }

  /** Undefined if the file is gone, or of a format that this program does not read. */
  #openVersion({ entry }: KeptVersion): Dataset | undefined {
    if (entry === undefined) return undefined;
    const key = keyOf(entry);
    const opened = this.#open.get(key);
    if (opened !== undefined) {
      this.#open.delete(key);
      this.#open.set(key, opened);
      return opened;
    }
    // Before the next one is opened, so that there are never more than MAX_OPEN.
    const [oldest] = this.#open.keys();
    if (this.#open.size >= MAX_OPEN && oldest !== undefined) this.#open.delete(oldest);
    const dataset = openEntry(versionPath(this.#dataDir, entry), entry);
    if (dataset !== undefined) this.#open.set(key, dataset);
    return dataset;
  }

  /** All versions that are kept, and the one in use. */
  #versionsWith(inUse: InUse): readonly KeptVersion[] {
    const fingerprint = fileFingerprint(manifestPath(this.#dataDir));
    if (fingerprint !== this.#fingerprint) {
      this.#entries = readManifest(this.#dataDir)?.versions ?? [];
      this.#fingerprint = fingerprint;
    }
    const kept = this.#entries.map((entry): KeptVersion => ({ ...entry, entry }));
    return kept.some((entry) => keyOf(entry) === keyOf(inUse)) ? kept : [...kept, inUse];
  }
}

const keyOf = ({ version, built_at, content_sha256 }: VersionId): string =>
  `${version} ${built_at} ${content_sha256}`;

function openEntry(path: string, entry: VersionEntry): Dataset | undefined {
  let dataset: Dataset;
  try {
    dataset = openPublished(path);
  } catch (error) {
    if (error instanceof UnreadableFormat || (error as NodeJS.ErrnoException).code === 'ENOENT')
      return undefined;
    throw error;
  }
  if (keyOf(dataset.meta) !== keyOf(entry))
    throw new DatasetError(`${path}: contains another version`);
  return dataset;
}

/** If several versions have the number, the newest. */
function findWanted(
  versions: readonly KeptVersion[],
  wanted: WantedVersion,
  now: Date,
): KeptVersion | undefined {
  if ('version' in wanted)
    return newest(versions.filter(({ version }) => version === wanted.version));
  if (wanted.day > dayOfMs(now.getTime())) return undefined;
  return newest(versions.filter(({ built_at }) => built_at.slice(0, 10) <= wanted.day));
}

const newest = (versions: readonly KeptVersion[]): KeptVersion | undefined =>
  [...versions].sort(compareAge).at(-1);

function jsonIn(dataset: Dataset, address: Address): string | undefined {
  const match = dataset.find(address);
  return match === 0 ? undefined : dataset.json(address, match);
}

function explainedJsonIn(dataset: Dataset, address: Address): string | undefined {
  const match = dataset.find(address);
  if (match === 0) return undefined;
  return JSON.stringify({
    ...dataset.record(address, match),
    ...explanationOf(dataset, address, match),
  });
}

/**
 * Explanations of a threat score end with the list and its date, which changes with every update.
 */
const withoutDates = (json: string | undefined) => json?.replace(/, \d{4}-\d\d-\d\d\)/g, ')');
