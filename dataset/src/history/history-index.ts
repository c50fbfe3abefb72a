// The list of versions whose changes are kept, from old to new. Each is followed by the version that its changes lead to;
// the last leads to a version that is a whole file.
//
//   datasets/history/history.json                        { "versions": [ … ] }
//   datasets/history/000002-9f86d081884c7d65.changes     what changed after version 2 (changes-file.ts)
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatasetError } from '../dataset-error.ts';
import { writeWhole } from '../io/whole-file.ts';
import { datasetsFolder, readManifest, sha256Of, type VersionEntry } from '../versions/publish.ts';

/** Together they identify a version: a publisher that starts over uses its numbers again. */
export type VersionId = Pick<VersionEntry, 'version' | 'built_at' | 'content_sha256'>;

export type ChangesEntry = VersionId & { readonly next: VersionId; readonly file: string; readonly bytes: number };

export const historyFolder = (dataDir: string): string => join(datasetsFolder(dataDir), 'history');
export const historyPath = (dataDir: string): string => join(historyFolder(dataDir), 'history.json');
export const changesPath = (dataDir: string, { file }: Pick<ChangesEntry, 'file'>): string =>
  join(historyFolder(dataDir), file);

export const versionId = ({ version, built_at, content_sha256 }: VersionId): VersionId => ({
  version,
  built_at,
  content_sha256,
});
/** The same as text, to compare. */
export const keyOf = (id: VersionId): string => `${id.version} ${id.built_at} ${id.content_sha256}`;

/** A name that no changes between other versions have. */
export function changesName(from: VersionId, next: VersionId): string {
  const digest = sha256Of(Buffer.from(`${keyOf(from)} ${keyOf(next)}`));
  return `${String(from.version).padStart(6, '0')}-${digest.slice(0, 16)}.changes`;
}
export const CHANGES_FILE = /^\d{6,}-[0-9a-f]{16}\.changes$/;

/** Empty if there is none. Throws a DatasetError if it is damaged. */
export function readHistoryIndex(dataDir: string): ChangesEntry[] {
  const path = historyPath(dataDir);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  try {
    const { versions } = JSON.parse(text) as { versions: ChangesEntry[] };
    if (Array.isArray(versions) && versions.every(isEntry)) return versions;
  } catch {
    // Reported below, with everything else that is not a list of versions.
  }
  throw new DatasetError(`${path} is damaged; remove the folder to start the history anew`);
}

/** Versions of which only the changes are kept, from old to new: they answer about addresses, and nothing else. */
export function historyOnly(dataDir: string): ChangesEntry[] {
  const whole = new Set((readManifest(dataDir)?.versions ?? []).map(keyOf));
  return readHistoryIndex(dataDir).filter((entry) => !whole.has(keyOf(entry)));
}

function isEntry({ version, built_at, next, file }: ChangesEntry): boolean {
  return (
    Number.isInteger(version) && typeof built_at === 'string' && typeof next === 'object' && CHANGES_FILE.test(file)
  );
}

/** The caller holds the lock of the folder. */
export function writeHistoryIndex(dataDir: string, versions: readonly ChangesEntry[]): void {
  writeWhole(historyPath(dataDir), Buffer.from(`${JSON.stringify({ versions })}\n`));
}
