/** What commands on keys share: storage that is opened and closed, and a key named by its id or by its secret. */
import { resolve } from 'node:path';
import { AuditLog } from '../../audit/audit-log.ts';
import { fromStored, InvalidKey, type Key } from '../../keys/key.ts';
import { Keys } from '../../keys/keys.ts';
import { isWellFormed, looksLikeSecret } from '../../keys/secret.ts';
import { isPostgresUrl, openStorage } from '../../storage/open-storage.ts';
import type { Storage } from '../../storage/storage.ts';
import { NoDatabase } from '../../storage/storage-unavailable.ts';
import { CommandError, type ExitCode, UsageError } from '../../terminal/exit.ts';
import { PROGRAM } from '../../terminal/program-name.ts';
import { withDataDirErrors } from '../../terminal/setting-errors.ts';

/** How long a command waits for a lock that another process holds. */
const WAIT_MS = 30_000;

/** `location` is as `openStorage` takes it. */
export async function withKeys(
  location: string,
  { mustExist }: { mustExist: boolean },
  work: (keys: Keys, storage: Storage) => Promise<ExitCode>,
): Promise<ExitCode> {
  return withDataDirErrors(
    location,
    async () => {
      const storage = await openStorage(location, { mustExist, waitMs: WAIT_MS }).catch((error) => {
        throw error instanceof NoDatabase && !isPostgresUrl(location) ? noKeysHere(location) : error;
      });
      try {
        return await work(new Keys(storage.keys, new AuditLog(storage.audit)), storage);
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

export const noSuchKey = (id: string) => new CommandError(`there is no key ${id}; ${PROGRAM} key list shows them`);

export async function findKey(keys: Keys, storage: Storage, name: string): Promise<Key> {
  const id = await findId(keys, name);
  const stored = await storage.keys.find(id);
  if (stored === undefined) throw noSuchKey(id);
  const key = fromStored(stored);
  if (key === undefined) throw new CommandError(`the tier ${stored.tier} is of a newer version of whence`);
  return key;
}

/**
 * A key is named by its id, or by the secret itself or its masked form: who finds a leaked key has that and not the id. A
 * secret is never printed.
 */
export async function findId(keys: Keys, name: string): Promise<string> {
  const unknown = (why: string) => new CommandError(`${why}; ${PROGRAM} key list shows the keys and their ids`);
  if (isWellFormed(name)) {
    const key = await keys.findBySecret(name);
    if (key === undefined) throw unknown('there is no key with this secret');
    return key.id;
  }
  if (!looksLikeSecret(name)) return name;
  const masked = name.replace('...', '…');
  const matching = await keys.findByMasked(masked);
  const [key, ...others] = matching;
  if (key === undefined) throw unknown('this is neither the id nor the whole secret of a key');
  if (others.length > 0) throw unknown(`${matching.length} keys are shown like this`);
  return key.id;
}

/** Wrong values of options are wrong usage. */
export function parsed<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw error instanceof InvalidKey ? new UsageError(error.message) : error;
  }
}
