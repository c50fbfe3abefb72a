// Adds the changes of every version that was followed by another. Files first, then the list, removals last, so that a
// killed process leaves every listed version complete.
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatasetError } from '../dataset-error.ts';
import type { Dataset } from '../file/read.ts';
import { withLock } from '../io/lock.ts';
import { runInThread } from '../io/run-thread.ts';
import { clearUnfinished } from '../io/whole-file.ts';
import { prune, readManifest, type VersionEntry, verifyVersion } from '../versions/publish.ts';
import { compareAge, keptVersions, type Retention } from '../versions/retention.ts';
import { writeChanges } from './changes-file.ts';
import {
  CHANGES_FILE,
  type ChangesEntry,
  changesName,
  changesPath,
  historyFolder,
  keyOf,
  readHistoryIndex,
  versionId,
  writeHistoryIndex,
} from './history-index.ts';

/** Records what changed, then removes versions that are not to be kept. Takes 2 to 5 s for each new version. */
export function keepVersions(dataDir: string, retention: Retention, now: Date): void {
  lockHistory(dataDir, () => recordHistory(dataDir, retention, now));
  prune(dataDir, retention, now);
}

/** The same without stopping the event loop: comparing versions takes seconds. `signal` ends it early; what is missing is recorded the next time. */
export async function keepVersionsInThread(
  dataDir: string,
  retention: Retention,
  now: Date,
  signal: AbortSignal,
): Promise<void> {
  const module = new URL('./record-history.js', import.meta.url);
  const call = { module, name: 'recordHistory', args: [dataDir, retention, now], stepMs: RECORD_MS };
  try {
    await lockHistory(dataDir, () => runInThread(call, signal));
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  if (!signal.aborted) prune(dataDir, retention, now);
}

/** A catch-up over seven versions of 40 MB on a busy machine takes a minute. */
const RECORD_MS = 600_000;

function lockHistory<T>(dataDir: string, work: () => T): T {
  return withLock(historyFolder(dataDir), 'recording the history of the dataset', work);
}

/** The caller holds the lock. */
export function recordHistory(dataDir: string, retention: Retention, now: Date): void {
  const folder = historyFolder(dataDir);
  clearUnfinished(folder);
  const before = readHistoryIndex(dataDir);
  const { entries, isChanged } = recordMissing(dataDir, before);
  const kept = keptVersions(entries, retention, now);
  if (isChanged || kept.length < entries.length) writeHistoryIndex(dataDir, kept);
  const named = new Set(kept.map(({ file }) => file));
  for (const name of readdirSync(folder)) if (CHANGES_FILE.test(name) && !named.has(name)) rmSync(join(folder, name));
}

/** Versions whose file is damaged or missing are passed over: the changes lead from the one before to the one after. */
function recordMissing(
  dataDir: string,
  before: readonly ChangesEntry[],
): { entries: ChangesEntry[]; isChanged: boolean } {
  const whole = [...(readManifest(dataDir)?.versions ?? [])].sort(compareAge);
  // Without a manifest there is nothing to continue with, and nothing to conclude from that.
  if (whole.length === 0) return { entries: [...before], isChanged: false };
  let { entries, rest } = startOf(before, whole);
  let isChanged = entries.length < before.length;
  let from: { entry: VersionEntry; dataset: Dataset } | undefined;
  for (let [entry, next] = rest; entry !== undefined && next !== undefined; [entry, next] = rest) {
    const dataset: Dataset | undefined = from?.entry === entry ? from.dataset : openIfReadable(dataDir, entry);
    const nextDataset = dataset && openIfReadable(dataDir, next);
    if (dataset === undefined || nextDataset === undefined) {
      const damaged = dataset === undefined ? entry : next;
      whole.splice(whole.indexOf(damaged), 1);
      ({ entries, rest } = startOf(entries, whole));
      isChanged = true;
      continue;
    }
    const file = changesName(entry, next);
    const { bytes } = writeChanges(changesPath(dataDir, { file }), dataset, nextDataset);
    entries = [...entries, { ...versionId(entry), next: versionId(next), file, bytes }];
    isChanged = true;
    // After each, because a catch-up over many versions may be interrupted.
    writeHistoryIndex(dataDir, entries);
    from = { entry: next, dataset: nextDataset };
    rest = rest.slice(1);
  }
  return { entries, isChanged };
}

/** The entries that can be continued, and the full versions that follow; or from the newest that is a full file. */
function startOf(
  entries: readonly ChangesEntry[],
  whole: readonly VersionEntry[],
): { entries: ChangesEntry[]; rest: VersionEntry[] } {
  const positions = new Map(whole.map((entry, i) => [keyOf(entry), i]));
  const last = entries.at(-1);
  const end = last === undefined ? undefined : positions.get(keyOf(last.next));
  if (end !== undefined) return { entries: [...entries], rest: whole.slice(end) };
  const again = entries.findLastIndex((entry) => positions.has(keyOf(entry)));
  const start = again < 0 ? 0 : (positions.get(keyOf(entries[again] as ChangesEntry)) ?? 0);
  return { entries: again < 0 ? [] : entries.slice(0, again), rest: whole.slice(start) };
}

/** Undefined if the file is damaged, missing or of a format that this version cannot read. */
function openIfReadable(dataDir: string, entry: VersionEntry): Dataset | undefined {
  try {
    return verifyVersion(dataDir, entry);
  } catch (error) {
    if (error instanceof DatasetError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
