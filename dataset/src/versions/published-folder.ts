// The folder that a static host serves to replicas. File names hold the beginning of the digest, so
// a name always refers to the same content and may be cached forever; only the manifest changes.
//
//   manifest.json                    { "current": 42, "versions": [ … ] }, as in the data directory
//   000041-9f86d081884c7d65.whence
//   000042-60303ae22b998861.whence
//
// Files are written first, then the manifest, and removals come last: a reader of the manifest
// always finds the files it names.
import { readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatasetError } from '../dataset-error.ts';
import { clearUnfinished, makeFolder, writeAtomically } from '../io/files.ts';
import { withLock } from '../io/lock.ts';
import {
  datasetsFolder,
  immutableName,
  type Manifest,
  noDatasetError,
  readManifest,
  sha256Of,
  type VersionEntry,
  verifyVersion,
  versionPath,
} from './publish.ts';
import { MAX_MANIFEST_BYTES } from './published-manifest.ts';
import { newestVersions } from './retention.ts';

type PublishedTo = {
  current: number;
  versions: number[];
  written: string[];
  removed: string[];
  /** Older versions that are damaged in the data directory and were left out, with the reason. */
  left_out: { version: number; reason: string }[];
};

/**
 * Writes the current version and the newest others, `keep` in all, so that a static host can serve
 * them.
 */
export function publishTo(
  dataDir: string,
  targetDir: string,
  { keep }: { readonly keep: number },
): PublishedTo {
  const manifest = readManifest(dataDir);
  if (manifest === undefined) throw noDatasetError(dataDir);
  makeFolder(targetDir);
  if (realpathSync(targetDir) === realpathSync(datasetsFolder(dataDir)))
    throw new DatasetError(
      `${targetDir} is where the versions are kept: publish to another folder`,
    );
  return withLock(targetDir, 'publishing a dataset', () => {
    clearUnfinished(targetDir);
    const before = filesNamedIn(targetDir);
    const result: PublishedTo = {
      current: manifest.current,
      versions: [],
      written: [],
      removed: [],
      left_out: [],
    };
    const versions: VersionEntry[] = [];
    for (const entry of newestVersions(manifest, keep)) {
      try {
        const file = immutableName(entry);
        if (writeFile(targetDir, file, readVersion(dataDir, entry))) result.written.push(file);
        versions.push({ ...entry, file });
      } catch (error) {
        if (entry.version === manifest.current || !(error instanceof DatasetError)) throw error;
        result.left_out.push({ version: entry.version, reason: error.message });
      }
    }
    result.versions = versions.map(({ version }) => version);
    writePublishedManifest(targetDir, { current: manifest.current, versions });
    // Files that the previous manifest names stay until the next run: a replica may have just read
    // that manifest.
    const named = new Set([...before, ...versions.map(({ file }) => file)]);
    for (const name of readdirSync(targetDir)) {
      if (!OUR_FILE.test(name) || named.has(name)) continue;
      rmSync(join(targetDir, name), { force: true });
      result.removed.push(name);
    }
    return result;
  });
}

function readVersion(dataDir: string, entry: VersionEntry): Buffer {
  verifyVersion(dataDir, entry);
  const bytes = readFileSync(versionPath(dataDir, entry));
  if (sha256Of(bytes) !== entry.sha256)
    throw new DatasetError(
      `version ${entry.version} changed while it was being published; try again`,
    );
  return bytes;
}

const OUR_FILE = /^\d{6,}-[0-9a-f]{16}\.whence$/;

/**
 * Returns false if the file already exists with the same content. A truncated file is written
 * again.
 */
function writeFile(targetDir: string, name: string, bytes: Buffer): boolean {
  if (digestOf(join(targetDir, name)) === sha256Of(bytes)) return false;
  writeAtomically(join(targetDir, name), bytes);
  return true;
}

/**
 * Not written when it is unchanged, so that its time, and with it a host's ETag, stays the same.
 */
function writePublishedManifest(targetDir: string, manifest: Manifest): void {
  const text = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
  if (text.length > MAX_MANIFEST_BYTES)
    throw new DatasetError(
      `the manifest would be ${text.length} bytes, more than replicas take: keep fewer versions`,
    );
  if (digestOf(join(targetDir, 'manifest.json')) !== sha256Of(text))
    writeAtomically(join(targetDir, 'manifest.json'), text);
}

/** A manifest that cannot be read names no files: it is about to be replaced. */
function filesNamedIn(targetDir: string): string[] {
  try {
    const { versions } = JSON.parse(
      readFileSync(join(targetDir, 'manifest.json'), 'utf8'),
    ) as Manifest;
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
