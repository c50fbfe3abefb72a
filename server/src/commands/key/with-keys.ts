/** The keys of the storage that the settings name: the same functions as the server's, whose processes see a change at once. */
import { resolve } from 'node:path';
import { Keys } from '../../keys/keys.ts';
import { isPostgresUrl, openStorage } from '../../storage/open-storage.ts';
import { NoDatabase } from '../../storage/storage-unavailable.ts';
import { withDataDirErrors } from '../../terminal/data-dir-errors.ts';
import { CommandError, type ExitCode } from '../../terminal/exit.ts';

/** `location` is as `openStorage` takes it. */
export async function withKeys(
  location: string,
  options: { mustExist: boolean },
  work: (keys: Keys) => Promise<ExitCode>,
): Promise<ExitCode> {
  return withDataDirErrors(
    location,
    async () => {
      const storage = await openStorage(location, options).catch((error) => {
        throw error instanceof NoDatabase && !isPostgresUrl(location) ? noKeysHere(location) : error;
      });
      try {
        return await work(new Keys(storage.keys));
      } finally {
        await storage.close();
      }
    },
    'keys',
  );
}

function noKeysHere(dataDir: string): CommandError {
  return new CommandError(
    `there are no keys in ${resolve(dataDir)}: set WHENCE_DATA_DIR to the data directory of the server, ` +
      'or run the command in the folder where the server was started',
  );
}
