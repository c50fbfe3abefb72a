/**
 * The folder of datasets: one file per version and a manifest that names the current one. A version appears whole or
 * not at all: it is written under another name, synced, renamed, and only then named in the manifest, which changes
 * the same way. Whatever is killed on the way leaves the previous version in place.
 *
 *   datasets/manifest.json      { "current": 2, "versions": [ … ] }
 *   datasets/000001.whence
 *   datasets/000002.whence
 */
import { createHash } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatasetError } from './format.ts';
import { type Dataset, openDataset } from './read.ts';
import type { Counts, Figures, Refusal, Source } from './record.ts';
import { type Content, encodeDataset } from './write.ts';

export type VersionEntry = {
  version: number;
  file: string;
  built_at: string;
  bytes: number;
  sha256: string;
  content_sha256: string;
  sources: readonly Source[];
  refused: readonly Refusal[];
  figures: Figures;
  counts: Counts;
};
export type Manifest = { current: number; versions: VersionEntry[] };

/** Finds out whether a dataset could be written here, before the work of compiling one. */
export function checkWritable(dataDir: string): void {
  withLock(dataDir, () => {});
}

/** Publishes the content as the next version, or finds that the current version holds the same. */
export function publish(dataDir: string, content: Content, now: Date): { version: number; isNew: boolean } {
  return withLock(dataDir, (folder) => {
    const manifest = readManifest(dataDir) ?? { current: 0, versions: [] };
    const current = manifest.versions.find(({ version }) => version === manifest.current);
    if (current !== undefined && current.content_sha256 === content.meta.content_sha256 && isWhole(folder, current)) {
      return { version: current.version, isNew: false };
    }
    const version = Math.max(0, ...manifest.versions.map((entry) => entry.version)) + 1;
    const file = `${String(version).padStart(6, '0')}.whence`;
    const bytes = encodeDataset(content, version, now);
    writeWhole(folder, file, bytes);
    const { content_sha256, sources, refused, figures, counts } = content.meta;
    const entry = {
      version,
      file,
      built_at: now.toISOString(),
      bytes: bytes.length,
      sha256: sha256(bytes),
      content_sha256,
      sources,
      refused,
      figures,
      counts,
    };
    writeManifest(folder, { current: version, versions: [...manifest.versions, entry] });
    return { version, isNew: true };
  });
}

/** Makes a published version the current one, after checking that it is whole. */
export function useVersion(dataDir: string, version: number): void {
  withLock(dataDir, (folder) => {
    const manifest = readManifest(dataDir);
    const entry = manifest?.versions.find((candidate) => candidate.version === version);
    if (manifest === undefined || entry === undefined) throw new DatasetError(`there is no version ${version}`);
    verifyVersion(dataDir, entry);
    writeManifest(folder, { ...manifest, current: version });
  });
}

export function readManifest(dataDir: string): Manifest | undefined {
  const path = manifestPath(dataDir);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const manifest = JSON.parse(text) as Manifest;
    if (Number.isInteger(manifest.current) && Array.isArray(manifest.versions)) return manifest;
  } catch {
    // Falls through to the one message for everything that is not a manifest.
  }
  throw new DatasetError(`${path} is not a manifest; move it away and build the dataset again`);
}

export function openCurrent(dataDir: string): Dataset | undefined {
  const manifest = readManifest(dataDir);
  const entry = manifest?.versions.find(({ version }) => version === manifest.current);
  return entry && openDataset(versionPath(dataDir, entry));
}

/** Whoever wants to know of a new version watches this file. */
export function manifestPath(dataDir: string): string {
  return join(datasetsFolder(dataDir), 'manifest.json');
}

export function versionPath(dataDir: string, { file }: VersionEntry): string {
  return join(datasetsFolder(dataDir), file);
}

/** Checks a version against the manifest's digest and the file's own checksums; throws a DatasetError if one fails. */
export function verifyVersion(dataDir: string, entry: VersionEntry): Dataset {
  const path = versionPath(dataDir, entry);
  const dataset = openDataset(path);
  if (sha256(readFileSync(path)) !== entry.sha256) throw new DatasetError(`${path}: not the file that was published`);
  if (dataset.meta.version !== entry.version) throw new DatasetError(`${path}: holds version ${dataset.meta.version}`);
  return dataset;
}

const datasetsFolder = (dataDir: string) => join(dataDir, 'datasets');
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

function isWhole(folder: string, entry: VersionEntry): boolean {
  try {
    openDataset(join(folder, entry.file));
    return true;
  } catch {
    return false;
  }
}

function writeManifest(folder: string, manifest: Manifest): void {
  writeWhole(folder, 'manifest.json', Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`));
}

function writeWhole(folder: string, name: string, bytes: Buffer): void {
  const unfinished = join(folder, `${name}${UNFINISHED}`);
  try {
    const file = openSync(unfinished, 'w');
    try {
      for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(unfinished, join(folder, name));
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
  syncFolder(folder);
}

const UNFINISHED = '.unfinished';

/** A rename is durable only when the folder is. */
function syncFolder(folder: string): void {
  const file = openSync(folder, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** One writer at a time. The lock names its process, so that one left behind by a killed process is recognised and taken over. */
function withLock<T>(dataDir: string, work: (folder: string) => T): T {
  const folder = datasetsFolder(dataDir);
  mkdirSync(folder, { recursive: true });
  const lock = join(folder, 'lock');
  acquire(lock);
  try {
    for (const name of readdirSync(folder)) if (name.endsWith(UNFINISHED)) rmSync(join(folder, name), { force: true });
    return work(folder);
  } finally {
    rmSync(lock, { force: true });
  }
}

function acquire(lock: string): void {
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' });
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const owner = Number(readFileSync(lock, 'utf8'));
    if (isRunning(owner))
      throw new DatasetError(`process ${owner} is publishing a dataset just now; try again when it is done`);
    rmSync(lock, { force: true });
  }
  throw new DatasetError('another process is publishing a dataset just now; try again when it is done');
}

function isRunning(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
