/** Storage for a command that a person waits for. */
import { openStorage, type StorageLocation } from '../storage/open-storage.ts';
import type { Storage } from '../storage/storage.ts';
import { tellWaiting } from '../storage/waiting.ts';
import type { ExitCode } from '../terminal/exit.ts';
import { withDataDirErrors } from '../terminal/setting-errors.ts';

/** How long a command waits for a lock that another process holds. */
const WAIT_MS = 30_000;
/** Servers report every ten seconds. */
const UNUSED_MS = 60_000;

/**
 * Opens the storage at `location`, as `openStorage` takes it, while `work` runs. Only `isNew` starts an empty database;
 * otherwise a command in a wrong folder would make one that no server uses.
 */
export async function withStorage(
  location: StorageLocation,
  isNew: boolean | undefined,
  work: (storage: Storage) => Promise<ExitCode>,
): Promise<ExitCode> {
  return withDataDirErrors(
    typeof location === 'string' ? location : location.keys,
    async () => {
      const storage = await openStorage(location, { mustExist: isNew !== true, waitMs: WAIT_MS });
      try {
        await tellUnused(storage);
        return await work(storage);
      } finally {
        await storage.close();
      }
    },
    'keys',
  );
}

/**
 * Servers that end remove their reports. A copy of PostgreSQL that they have left, such as a primary that was replaced, has
 * only old ones, and what is changed there has no effect on them.
 */
async function tellUnused({ nowMs, processes }: Storage): Promise<void> {
  const now = nowMs();
  if (now === undefined) return;
  const seen = (await processes.seenSince(new Date(0))).map(({ seenAt }) => seenAt.getTime());
  const last = Math.max(...seen);
  if (seen.length > 0 && last < now - UNUSED_MS)
    tellWaiting(`no running server uses this database; the last one was seen ${new Date(last).toISOString()}`);
}
