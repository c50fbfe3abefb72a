// The folder of datasets: one file per version and a manifest that names the current one. A version
// appears whole or not at all: it is written under another name, synced, renamed, and only then
// named in the manifest, which is replaced the same way. A process killed at any point leaves the
// previous version in place. A file is removed only after the manifest no longer names it.
//
//   datasets/manifest.json                    { "current": 3, "versions": [ … ] }
//   datasets/000002.whence                    built here, or version 1 as it came with the program
//   datasets/000003-9f86d081884c7d65.whence   pulled from a static host; its name holds the beginning of its SHA-256
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatasetError } from '../dataset-error.ts';
import { FORMAT_VERSION } from '../file/format.ts';
import { Dataset, openDataset, openPublished, readChecked } from '../file/read.ts';
import { type Content, encodeDataset } from '../file/write.ts';
import { clearUnfinished, renameSynced, writeAtomically } from '../io/files.ts';
import { withLock } from '../io/lock.ts';
import type { Meta } from '../record.ts';
import { keptVersions, type Retention } from './retention.ts';

export type VersionEntry = Omit<Meta, 'flag_sources' | 'threat_lists' | 'providers'> & {
  file: string;
  format: number;
  bytes: number;
  sha256: string;
};

/** The part of an entry that a replica needs; everything else is in the file. */
export type Published = Pick<VersionEntry, 'version' | 'file' | 'bytes' | 'sha256' | 'format'>;

export type Manifest = { current: number; versions: VersionEntry[] };

/** Checks that a dataset can be written here, before the work of compiling one. */
export function checkWritable(dataDir: string): void {
  publishing(datasetsFolder(dataDir), () => {});
}

/** Publishes the content as the next version, unless the current version has the same content. */
export function publish(
  dataDir: string,
  content: Content,
  now: Date,
): { version: number; isNew: boolean } {
  const folder = datasetsFolder(dataDir);
  return publishing(folder, () => {
    const manifest = readManifest(dataDir) ?? { current: 0, versions: [] };
    const current = currentOf(manifest);
    if (
      current !== undefined &&
      current.content_sha256 === content.meta.content_sha256 &&
      isWhole(dataDir, current)
    ) {
      return { version: current.version, isNew: false };
    }
    const version = Math.max(0, ...manifest.versions.map((entry) => entry.version)) + 1;
    const file = `${sixDigits(version)}.whence`;
    const bytes = encodeDataset(content, version, now);
    writeAtomically(join(folder, file), bytes);
    const meta = { ...content.meta, built_at: now.toISOString() };
    const entry = entryOf(meta, {
      version,
      file,
      format: FORMAT_VERSION,
      bytes: bytes.length,
      sha256: sha256Of(bytes),
    });
    writeManifest(folder, { current: version, versions: [...manifest.versions, entry] });
    return { version, isNew: true };
  });
}

/**
 * A finished file as the first version; false if there is one: of two programs that start, one
 * publishes.
 */
export function publishFirst(dataDir: string, file: Buffer): boolean {
  const { meta } = new Dataset(file);
  const folder = datasetsFolder(dataDir);
  return publishing(folder, () => {
    if ((readManifest(dataDir)?.versions.length ?? 0) > 0) return false;
    const { version } = meta;
    const name = `${sixDigits(version)}.whence`;
    writeAtomically(join(folder, name), file);
    const place = {
      version,
      file: name,
      format: FORMAT_VERSION,
      bytes: file.length,
      sha256: sha256Of(file),
    };
    writeManifest(folder, { current: version, versions: [entryOf(meta, place)] });
    return true;
  });
}

/**
 * Makes a published version the current one, after checking that it is whole, unless the caller
 * has.
 */
export function useVersion(dataDir: string, version: number, { isVerified = false } = {}): void {
  const folder = datasetsFolder(dataDir);
  publishing(folder, () => {
    const manifest = readManifest(dataDir);
    const entry = manifest?.versions.find((candidate) => candidate.version === version);
    if (manifest === undefined || entry === undefined)
      throw new DatasetError(`there is no version ${version}`);
    if (!isVerified) verifyVersion(dataDir, entry);
    writeManifest(folder, { ...manifest, current: version });
  });
}

/**
 * Under the publisher's number: if it has started over, its version 1 replaces ours, as on all
 * replicas.
 * The caller has opened the file and checked its digest.
 */
export function adopt(dataDir: string, published: Published, path: string, meta: Meta): void {
  const { version } = published;
  if (meta.version !== version)
    throw new DatasetError(
      `the file published as version ${version} contains version ${meta.version}`,
    );
  const folder = datasetsFolder(dataDir);
  publishing(folder, () => {
    const { versions } = readManifest(dataDir) ?? { versions: [] };
    const file = immutableName(published);
    const entry = entryOf(meta, { ...published, file });
    renameSynced(path, join(folder, file));
    const others = versions.filter((candidate) => candidate.version !== version);
    writeManifest(folder, {
      current: version,
      versions: [...others, entry].sort((a, b) => a.version - b.version),
    });
    removeUnnamed(dataDir);
  });
}

function entryOf(
  meta: Omit<VersionEntry, keyof Published>,
  { version, file, format, bytes, sha256 }: Published,
): VersionEntry {
  const { built_at, content_sha256, sources, refused, figures, data_sources, counts } = meta;
  return {
    version,
    file,
    format,
    built_at,
    bytes,
    sha256,
    content_sha256,
    sources,
    refused,
    figures,
    counts,
    data_sources,
  };
}

/** Removes versions that are not to be kept, and returns their numbers. */
export function prune(dataDir: string, retention: Retention, now: Date): number[] {
  const folder = datasetsFolder(dataDir);
  return publishing(folder, () => {
    const manifest = readManifest(dataDir);
    if (manifest === undefined) return [];
    const kept = keptVersions(manifest, retention, now);
    const removed = manifest.versions
      .filter((entry) => !kept.includes(entry))
      .map(({ version }) => version);
    if (removed.length > 0) writeManifest(folder, { ...manifest, versions: kept });
    removeUnnamed(dataDir);
    return removed;
  });
}

/**
 * A name that no other content can have: a reader of an older manifest finds the file that it
 * named, or none.
 */
export function immutableName({
  version,
  sha256,
}: Pick<VersionEntry, 'version' | 'sha256'>): string {
  return `${sixDigits(version)}-${sha256.slice(0, 16)}.whence`;
}

/** Undefined if there is none. */
export function readManifest(dataDir: string): Manifest | undefined {
  const path = manifestPath(dataDir);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? ''))
      return undefined;
    throw error;
  }
  try {
    const manifest = JSON.parse(text) as Manifest;
    if (Number.isInteger(manifest.current) && Array.isArray(manifest.versions)) return manifest;
  } catch {
    // Reported below, with everything else that is not a manifest.
  }
  throw new DatasetError(`${path} is not a manifest; move it away and build the dataset again`);
}

export function currentOf(manifest: Manifest | undefined): VersionEntry | undefined {
  return manifest?.versions.find(({ version }) => version === manifest.current);
}

/** Why `readManifest` found nothing. `program` is what to type to run this program. */
export function noDatasetError(dataDir: string, program = 'wh'): DatasetError {
  return new DatasetError(
    `there is no dataset in ${resolve(dataDir)}; build one with: ${program} dataset build`,
  );
}

/** With the answers of this day; without it, of the day on which it was built. */
export function openCurrent(dataDir: string, day?: string): Dataset | undefined {
  const entry = currentOf(readManifest(dataDir));
  return entry && openPublished(versionPath(dataDir, entry), day);
}

/** Changes with every new version: readers watch this file. */
export function manifestPath(dataDir: string): string {
  return join(datasetsFolder(dataDir), 'manifest.json');
}

export function versionPath(dataDir: string, { file }: VersionEntry): string {
  return join(datasetsFolder(dataDir), file);
}

/**
 * Checks a version against the manifest's digest and the file's own checksums; throws a
 * DatasetError if one fails.
 */
export function verifyVersion(dataDir: string, entry: VersionEntry): Dataset {
  const path = versionPath(dataDir, entry);
  return requireVersion(
    new Dataset(readChecked(path, entry.sha256), { isChecked: true }),
    entry,
    path,
  );
}

/** The same without stopping the event loop. */
export async function verifyInThread(dataDir: string, entry: VersionEntry): Promise<Dataset> {
  // Commands that only read a dataset load this file too, and need no threads.
  const { openInThread } = await import('./open-version.ts');
  const path = versionPath(dataDir, entry);
  return requireVersion(await openInThread({ path, sha256: entry.sha256 }), entry, path);
}

function requireVersion(dataset: Dataset, { version }: VersionEntry, path: string): Dataset {
  if (dataset.meta.version !== version)
    throw new DatasetError(`${path}: contains version ${dataset.meta.version}`);
  return dataset;
}

export const datasetsFolder = (dataDir: string): string => join(dataDir, 'datasets');

const sixDigits = (version: number) => String(version).padStart(6, '0');
export const sha256Of = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

function isWhole(dataDir: string, entry: VersionEntry): boolean {
  try {
    openDataset(versionPath(dataDir, entry));
    return true;
  } catch {
    return false;
  }
}

const VERSION_FILE = /^\d{6,}(?:-[0-9a-f]{16})?\.whence$/;

/** Also what a killed process left. The caller holds the lock, so no file is about to be added. */
function removeUnnamed(dataDir: string): void {
  const versions = readManifest(dataDir)?.versions ?? [];
  const named = new Set(versions.map(({ file }) => file));
  const folder = datasetsFolder(dataDir);
  for (const name of readdirSync(folder))
    if (VERSION_FILE.test(name) && !named.has(name)) rmSync(join(folder, name));
}

/** Runs under the lock, after removing what a killed publisher left behind. */
function publishing<T>(folder: string, work: () => T): T {
  return withLock(folder, 'publishing a dataset', () => {
    clearUnfinished(folder);
    return work();
  });
}

function writeManifest(folder: string, manifest: Manifest): void {
  writeAtomically(
    join(folder, 'manifest.json'),
    Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`),
  );
}
