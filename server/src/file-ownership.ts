/**
 * Files and folders that another user created, which is the usual reason why a service may not use
 * its own data.
 */
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * What to do about a file of another user, for the nearest existing folder; undefined if it can be
 * used.
 */
export function ownedByAnother(path: string, folder: string): string | undefined {
  const uid = process.getuid?.();
  const gid = process.getgid?.();
  if (uid === undefined) return undefined;
  let existing = resolve(path);
  while (!existsSync(existing) && existing !== dirname(existing)) existing = dirname(existing);
  const { uid: owner } = statSync(existing);
  if (owner === uid || isUsable(existing)) return undefined;
  const whole = existing.startsWith(resolve(folder)) ? resolve(folder) : existing;
  return `${existing} belongs to ${userName(owner)}, and this process runs as ${userName(uid)}. As root: chown -R ${uid}:${gid} '${whole.replaceAll("'", `'\\''`)}'`;
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
