/** `whence key revoke`: by id, secret or the masked form of a secret. */
import type { Keys } from '../../keys/keys.ts';
import { isWellFormed, looksLikeSecret } from '../../keys/secret.ts';
import { CommandError, type ExitCode } from '../../terminal/exit.ts';
import type { Output } from '../../terminal/output.ts';
import { operatorName } from '../operator-name.ts';
import { withKeys } from './with-keys.ts';

/**
 * When this returns, no process of the deployment accepts the key. It is named by its id, or by the secret itself or its
 * masked form: who finds a leaked key has that and not the id. A secret is never printed.
 */
export async function keyRevoke(
  location: string,
  name: string,
  options: { json?: boolean },
  stdout: Output,
): Promise<ExitCode> {
  return withKeys(location, { mustExist: true }, async (keys) => {
    const id = await findId(keys, name);
    const outcome = await keys.revoke(id, new Date(), operatorName());
    if (outcome === 'unknown') throw new CommandError(`there is no key ${id}; whence key list shows them`);
    stdout.write(options.json === true ? `${JSON.stringify({ id, outcome })}\n` : `${id} is ${outcome}\n`);
    return 0;
  });
}

async function findId(keys: Keys, name: string): Promise<string> {
  const unknown = (why: string) => new CommandError(`${why}; whence key list shows the keys and their ids`);
  if (isWellFormed(name)) {
    const key = await keys.findBySecret(name);
    if (key === undefined) throw unknown('there is no key with this secret');
    return key.id;
  }
  if (!looksLikeSecret(name)) return name;
  const masked = name.replace('...', '…');
  const matching = (await keys.list()).filter((key) => key.masked === masked);
  const [key, ...others] = matching;
  if (key === undefined) throw unknown('this is neither the id nor the whole secret of a key');
  if (others.length > 0) throw unknown(`${matching.length} keys are shown like this`);
  return key.id;
}
