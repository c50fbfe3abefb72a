/**
 * The folder that a static host serves to replicas. File names hold the beginning of the digest, so a name
 * always refers to the same content and may be cached forever; only the manifest changes.
 *
 *   manifest.json                    { "current": 42, "versions": [ … ] }, as in the data directory
 *   000041-9f86d081884c7d65.whence
 *   000042-60303ae22b998861.whence
 *
 * Files are written first, then the manifest, and removals come last: a reader of the manifest always finds the files
 * it names.
 */
import { readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatasetError } from '../dataset-error.ts';
import { withLock } from '../io/lock.ts';
import { clearUnfinished, makeFolder, writeWhole } from '../io/whole-file.ts';
import {
  datasetsFolder,
  immutableName,
  type Manifest,
  newestVersions,
  type Published,
  readManifest,
  sha256Of,
  type VersionEntry,
  verifyVersion,
  versionPath,
} from './publish.ts';

/** Replicas refuse anything larger. The manifest of 60 versions is about 300 kB, a dataset is 20 MB today. */
export const MAX_MANIFEST_BYTES = 1024 * 1024;
export const MAX_FILE_BYTES = 512 * 1024 * 1024;

type PublishedTo = {
  current: number;
  versions: number[];
  /** Files that were not there before. */
  written: string[];
  removed: string[];
  /** Older versions that are damaged in the data directory and were left out, with the reason. */
  left_out: { version: number; reason: string }[];
};

/** Writes the current version and the newest others, `keep` in all, so that a static host can serve them. */
export function publishTo(dataDir: string, targetDir: string, { keep }: { keep: number }): PublishedTo {
  const manifest = readManifest(dataDir);
  if (manifest === undefined) throw new DatasetError(`there is no dataset in ${dataDir} to publish`);
  makeFolder(targetDir);
  if (realpathSync(targetDir) === realpathSync(datasetsFolder(dataDir)))
    throw new DatasetError(`${targetDir} is where the versions are kept: publish to another folder`);
  return withLock(targetDir, 'publishing a dataset', () => {
    clearUnfinished(targetDir);
    const before = filesNamedIn(targetDir);
    const result: PublishedTo = { current: manifest.current, versions: [], written: [], removed: [], left_out: [] };
    const versions: VersionEntry[] = [];
    for (const entry of newestVersions(manifest, keep)) {
      try {
        verifyVersion(dataDir, entry);
      } catch (error) {
        if (entry.version === manifest.current) throw error;
        result.left_out.push({ version: entry.version, reason: (error as Error).message });
        continue;
      }
      const published = { ...entry, file: immutableName(entry) };
      if (writeVersion(dataDir, entry, targetDir, published)) result.written.push(published.file);
      versions.push(published);
    }
    result.versions = versions.map(({ version }) => version);
    writePublishedManifest(targetDir, { current: manifest.current, versions });
    // Files that the previous manifest names stay until the next run: a replica may have just read that manifest.
    const named = new Set([...before, ...versions.map(({ file }) => file)]);
    for (const name of readdirSync(targetDir)) {
      if (!OUR_FILE.test(name) || named.has(name)) continue;
      rmSync(join(targetDir, name), { force: true });
      result.removed.push(name);
    }
    return result;
  });
}

/** The version that a published manifest names as current. Throws a DatasetError that says what is wrong with it. */
export function parsePublished(text: string): Published {
  let manifest: unknown;
  try {
    manifest = JSON.parse(text);
  } catch {
    throw new DatasetError(text.trimStart().startsWith('<') ? 'is a web page, not a manifest' : 'is not a manifest');
  }
  if (!isObject(manifest) || !Array.isArray(manifest['versions']) || !isWhole(manifest['current'], 1, MAX_VERSION))
    throw new DatasetError('is not a manifest');
  const current = manifest['current'];
  const entry: unknown = manifest['versions'].find(
    (candidate) => isObject(candidate) && candidate['version'] === current,
  );
  if (!isObject(entry)) throw new DatasetError(`names version ${current} as current, but does not list it`);
  const { file, bytes, sha256 } = entry;
  if (typeof file !== 'string' || !SAFE_NAME.test(file))
    throw new DatasetError(`names a file that is not a plain file name: ${JSON.stringify(file)?.slice(0, 100)}`);
  if (typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/.test(sha256))
    throw new DatasetError(`has no SHA-256 for version ${current}`);
  if (!isWhole(bytes, 1, Number.MAX_SAFE_INTEGER)) throw new DatasetError(`has no size for version ${current}`);
  if (bytes > MAX_FILE_BYTES)
    throw new DatasetError(`names a file of ${bytes} bytes; replicas take ${MAX_FILE_BYTES} at most`);
  return { version: current, file, bytes, sha256 };
}

const MAX_VERSION = 999_999_999;
const OUR_FILE = /^\d{6,}-[0-9a-f]{16}\.whence$/;
/**
 * No character that is special in a URL or a path: no slash, backslash, colon, percent or question mark, no leading
 * dot.
 */
const SAFE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function isWhole(value: unknown, from: number, to: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= from && value <= to;
}

/** Returns false if the file already exists with the same content. A truncated file is written again. */
function writeVersion(dataDir: string, entry: VersionEntry, targetDir: string, published: VersionEntry): boolean {
  if (digestOf(join(targetDir, published.file)) === entry.sha256) return false;
  const bytes = readFileSync(versionPath(dataDir, entry));
  if (sha256Of(bytes) !== entry.sha256)
    throw new DatasetError(`version ${entry.version} changed while it was being published; try again`);
  writeWhole(join(targetDir, published.file), bytes);
  return true;
}

/** Not written when it is unchanged, so that its time, and with it a host's ETag, stays the same. */
function writePublishedManifest(targetDir: string, manifest: Manifest): void {
  const text = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
  if (text.length > MAX_MANIFEST_BYTES)
    throw new DatasetError(`the manifest would be ${text.length} bytes, more than replicas take: keep fewer versions`);
  if (digestOf(join(targetDir, 'manifest.json')) !== sha256Of(text)) writeWhole(join(targetDir, 'manifest.json'), text);
}

/** A manifest that cannot be read names no files: it is about to be replaced. */
function filesNamedIn(targetDir: string): string[] {
  try {
    const { versions } = JSON.parse(readFileSync(join(targetDir, 'manifest.json'), 'utf8')) as Manifest;
    return versions.map(({ file }) => file);
  } catch {
    return [];
  }
}

function digestOf(path: string): string | undefined {
  try {
    return sha256Of(readFileSync(path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
