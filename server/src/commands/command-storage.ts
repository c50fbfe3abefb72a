/** Storage for a command that a person waits for. */
import { openStorage } from '../storage/open-storage.ts';
import type { Storage } from '../storage/storage.ts';
import { tellWaiting } from '../storage/waiting.ts';
import type { ExitCode } from '../terminal/exit.ts';
import { withDataDirErrors } from '../terminal/setting-errors.ts';

/** How long a command waits for a lock that another process holds. */
const WAIT_MS = 30_000;
/** Servers report every ten seconds. */
const UNUSED_MS = 60_000;

/**
 * Opens the storage at `location` while `work` runs. Only `isNew` creates one, so that a wrong
 * folder gets none.
 */
export async function withStorage(
  location: string,
  isNew: boolean | undefined,
  work: (storage: Storage) => Promise<ExitCode>,
): Promise<ExitCode> {
  return withDataDirErrors(
    location,
    async () => {
      const storage = await openStorage(location, {
        mustExist: isNew !== true,
        waitMs: WAIT_MS,
        isSequential: true,
      });
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

// Servers remove their reports when they end. A copy they have left, such as a replaced primary,
// has only old ones.
async function tellUnused({ nowMs, processes }: Storage): Promise<void> {
  const now = nowMs();
  if (now === undefined) return;
  const seen = (await processes.seenSince(new Date(0))).map(({ seenAt }) => seenAt.getTime());
  const last = Math.max(...seen);
  if (seen.length > 0 && last < now - UNUSED_MS)
    tellWaiting(
      `no running server uses this database; the last one was seen ${new Date(last).toISOString()}`,
    );
}
