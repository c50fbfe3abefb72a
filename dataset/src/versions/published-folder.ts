/**
 * The folder that a static host serves to replicas. File names hold the beginning of the digest, so a name
 * always refers to the same content and may be cached forever; only the manifest changes.
 *
 *   manifest.json                    { "current": 42, "versions": [ … ] }, as in the data directory
 *   000041-9f86d081884c7d65.whence
 *   000042-60303ae22b998861.whence
 *   9b74c9897bac770f.supplement      of a version that has one; replicas of older releases do not ask for it
 *
 * While replicas of two releases run, a version may be there in several formats (`other_formats` in the manifest).
 * Files are written first, then the manifest, and removals come last: a reader of the manifest always finds the files
 * it names.
 */
import { readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatasetError } from '../dataset-error.ts';
import { FORMATS, inFormat, isReadable } from '../file/earlier-formats.ts';
import { readChecked } from '../file/read.ts';
import { withLock } from '../io/lock.ts';
import { clearUnfinished, makeFolder, writeWhole } from '../io/whole-file.ts';
import { readSupplement } from '../supplement/supplement.ts';
import {
  datasetsFolder,
  formatOfEntry,
  immutableName,
  type Manifest,
  readManifest,
  type SupplementEntry,
  sha256Of,
  supplementPath,
  type VersionEntry,
  verifyVersion,
  versionPath,
} from './publish.ts';
import { MAX_MANIFEST_BYTES } from './published-manifest.ts';
import { newestVersions } from './retention.ts';

type PublishedTo = {
  current: number;
  versions: number[];
  /** Files that were not there before. */
  written: string[];
  removed: string[];
  /** Older versions that are damaged in the data directory and were left out, with the reason. */
  left_out: { version: number; reason: string }[];
};

type PublishOptions = {
  readonly keep: number;
  /** Only this format, for replicas of the previous release; by default all that this program can write. */
  readonly format?: number;
};

/** Writes the current version and the newest others, `keep` in all, so that a static host can serve them. */
export function publishTo(dataDir: string, targetDir: string, { keep, format }: PublishOptions): PublishedTo {
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
    for (const entry of versionsToPublish(manifest, keep)) {
      try {
        const files = filesOfVersion(dataDir, entry, format === undefined ? FORMATS : [format]);
        for (const { file, bytes } of files) if (writeFile(targetDir, file, bytes)) result.written.push(file);
        if (entry.supplement !== undefined && copySupplement(dataDir, targetDir, entry.supplement))
          result.written.push(entry.supplement.file);
        versions.push(entryOf(entry, files));
      } catch (error) {
        if (entry.version === manifest.current || !(error instanceof DatasetError)) throw error;
        result.left_out.push({ version: entry.version, reason: error.message });
      }
    }
    result.versions = versions.map(({ version }) => version);
    writePublishedManifest(targetDir, { current: manifest.current, versions });
    // Files that the previous manifest names stay until the next run: a replica may have just read that manifest.
    const named = new Set([...before, ...versions.flatMap(namesIn)]);
    for (const name of readdirSync(targetDir)) {
      if (!OUR_FILE.test(name) || named.has(name)) continue;
      rmSync(join(targetDir, name), { force: true });
      result.removed.push(name);
    }
    return result;
  });
}

/** Also the newest version of each format that this program cannot write, for replicas of another release. */
function versionsToPublish(manifest: Manifest, keep: number): VersionEntry[] {
  const foreign = manifest.versions.filter((entry) => !isReadable(formatOfEntry(entry)));
  const newest = new Map<number, VersionEntry>();
  for (const entry of foreign) {
    const other = newest.get(formatOfEntry(entry));
    if (other === undefined || Date.parse(entry.built_at) >= Date.parse(other.built_at))
      newest.set(formatOfEntry(entry), entry);
  }
  const chosen = new Set([...newestVersions(manifest, keep), ...newest.values()]);
  return manifest.versions.filter((entry) => chosen.has(entry));
}

type FormatFile = { readonly format: number; readonly file: string; readonly bytes: Buffer; readonly sha256: string };

/** The version in these formats, from the newest. One in a format that this program cannot read is passed on as it is. */
function filesOfVersion(dataDir: string, entry: VersionEntry, formats: readonly number[]): FormatFile[] {
  const path = versionPath(dataDir, entry);
  const file = (bytes: Buffer, format: number): FormatFile => {
    const sha256 = sha256Of(bytes);
    return { format, file: immutableName({ version: entry.version, sha256 }), bytes, sha256 };
  };
  const own = formatOfEntry(entry);
  if (isReadable(own)) verifyVersion(dataDir, entry);
  const bytes = readFileSync(path);
  if (sha256Of(bytes) !== entry.sha256)
    throw new DatasetError(`version ${entry.version} changed while it was being published; try again`);
  if (!isReadable(own)) return [file(bytes, own)];
  return formats.map((format) => file(format === own ? bytes : inFormat(readChecked(path), format), format));
}

function entryOf(entry: VersionEntry, [main, ...others]: readonly FormatFile[]): VersionEntry {
  const described = ({ bytes, ...rest }: FormatFile) => ({ ...rest, bytes: bytes.length });
  return {
    ...entry,
    ...(main === undefined ? {} : described(main)),
    ...(others.length === 0 ? {} : { other_formats: others.map(described) }),
  };
}

/** False if it is there already. */
function copySupplement(dataDir: string, targetDir: string, supplement: SupplementEntry): boolean {
  return writeFile(targetDir, supplement.file, readSupplement(supplementPath(dataDir, supplement), supplement.sha256));
}

const OUR_FILE = /^(?:\d{6,}-[0-9a-f]{16}\.whence|[0-9a-f]{16}\.supplement)$/;

/** Returns false if the file already exists with the same content. A truncated file is written again. */
function writeFile(targetDir: string, name: string, bytes: Buffer): boolean {
  if (digestOf(join(targetDir, name)) === sha256Of(bytes)) return false;
  writeWhole(join(targetDir, name), bytes);
  return true;
}

const namesIn = ({ file, other_formats = [], supplement }: VersionEntry) => [
  file,
  ...other_formats.map((other) => other.file),
  ...(supplement === undefined ? [] : [supplement.file]),
];

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
    return versions.flatMap(namesIn);
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
