/**
 * What commands on keys share: storage that is opened and closed, and a key named by its id or by
 * its secret.
 */
import { AuditLog } from '../../audit/audit-log.ts';
import { fromStored, type Key } from '../../keys/key.ts';
import { InvalidKey } from '../../keys/key-attributes.ts';
import { Keys } from '../../keys/keys.ts';
import { looksLikeSecret } from '../../keys/secret.ts';
import { isWellFormed } from '../../keys/secret-form.ts';
import type { Storage } from '../../storage/storage.ts';
import { CommandError, type ExitCode, NegativeAnswer, UsageError } from '../../terminal/exit.ts';
import { PROGRAM } from '../../terminal/program-name.ts';
import { withStorage } from '../command-storage.ts';

export async function withKeys(
  location: string,
  work: (keys: Keys, storage: Storage) => Promise<ExitCode>,
  isNew?: boolean,
): Promise<ExitCode> {
  return withStorage(location, isNew, (storage) =>
    work(new Keys(storage.keys, new AuditLog(storage.audit)), storage),
  );
}

export const noSuchKey = (id: string) =>
  new NegativeAnswer(`there is no key ${id}; ${PROGRAM} key list shows them`);

export async function findKey(keys: Keys, storage: Storage, name: string): Promise<Key> {
  const id = await findId(keys, name);
  const stored = await storage.keys.find(id);
  if (stored === undefined) throw noSuchKey(id);
  const key = fromStored(stored);
  if (key === undefined)
    throw new CommandError(`the tier ${stored.tier} is of a newer version of whence`);
  return key;
}

/**
 * A key is named by its id, secret or masked form: the finder of a leaked key has no id. Secrets
 * are never printed.
 */
export async function findId(keys: Keys, name: string): Promise<string> {
  const unknown = (why: string) =>
    new NegativeAnswer(`${why}; ${PROGRAM} key list shows the keys and their ids`);
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
