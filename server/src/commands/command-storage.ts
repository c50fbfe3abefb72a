/** Storage for a command that a person waits for. */
import { openStorage, type StorageLocation } from '../storage/open-storage.ts';
import type { Storage } from '../storage/storage.ts';
import type { ExitCode } from '../terminal/exit.ts';
import { withDataDirErrors } from '../terminal/setting-errors.ts';

/** How long a command waits for a lock that another process holds. */
const WAIT_MS = 30_000;

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
        return await work(storage);
      } finally {
        await storage.close();
      }
    },
    'keys',
  );
}
