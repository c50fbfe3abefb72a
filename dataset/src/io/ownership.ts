/** Files and folders that another user created, which is the usual reason why a service may not use its own data. */
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** What to do about a file of another user, for the nearest existing folder; undefined if it can be used. */
export function ownedByAnother(path: string, folder: string): string | undefined {
  const [uid, gid] = [process.getuid?.(), process.getgid?.()];
  if (uid === undefined) return undefined;
  let found = resolve(path);
  while (!existsSync(found) && found !== dirname(found)) found = dirname(found);
  const { uid: owner } = statSync(found);
  if (owner === uid || isUsable(found)) return undefined;
  const whole = found.startsWith(resolve(folder)) ? resolve(folder) : found;
  return `${found} belongs to ${userName(owner)}, and this process runs as ${userName(uid)}. As root: chown -R ${uid}:${gid} '${whole.replaceAll("'", `'\\''`)}'`;
}

const userName = (uid: number) => (uid === 0 ? 'root' : `user ${uid}`);

function isUsable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
