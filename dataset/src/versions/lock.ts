/**
 * A folder with one writer at a time. The lock is a file that names its holder, so that one left behind by a killed
 * process is recognised and taken over.
 *
 *   lock                the holder
 *   .lock-<id>.new      a holder's record before it is linked as the lock or as a claim
 *   .lock-<id>.next     a claim: the process that is about to take over from the dead holder or claimant <id>
 *
 * Records are linked: a link appears whole, and only where there is no file of that name. Of many processes that find
 * the same dead holder, one gets the claim. It reads the lock once more and renames its claim over it. As long as the
 * lock names holder <id>, no claim on it is removed; so if the lock is still the same after the claim was made, no
 * other process has held it in between. If it is not, the claim is void. A process that is killed after making a claim
 * is treated like a dead holder: the next one claims to take over from it. Ids are never used twice.
 */
import { randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  copyFileSync,
  fstatSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatasetError } from '../file/format.ts';
import { livenessOf, ownIdentity, type ProcessIdentity } from './process-identity.ts';

/** The identity is absent where a record is not, or not yet, readable. */
type Holder = { readonly id: string; readonly touchedMs: number; readonly identity: ProcessIdentity | undefined };

/** How often a holder touches its lock, as long as its event loop turns. */
const TOUCH_MS = 30_000;
/** A holder in another container counts as dead after this. Compiling keeps the event loop busy for up to a minute. */
const ABANDONED_MS = 600_000;
/** Where records cannot be linked they are written in place, and may be read before they are whole. */
const WRITTEN_MS = 10_000;
/** Every attempt but the last was lost to another process. */
const MAX_ATTEMPTS = 100;

/** Works under the lock of the folder, until a promise it gives is settled. `doing` completes "process 42 is …". */
export function withLock<T>(folder: string, doing: string, work: () => T): T {
  mkdirSync(folder, { recursive: true });
  const id = acquire(folder, doing);
  const touch = setInterval(() => touchLock(folder), TOUCH_MS).unref();
  const release = () => {
    clearInterval(touch);
    held.delete(id);
    if (readHolder(lockPath(folder))?.id === id) rmSync(lockPath(folder), { force: true });
  };
  let result: T;
  try {
    result = work();
  } catch (error) {
    release();
    throw error;
  }
  if (result instanceof Promise) return result.finally(release) as T;
  release();
  return result;
}

/** The locks of this process. Without /proc, any other lock with our process number is one of an earlier process. */
const held = new Set<string>();

const lockPath = (folder: string) => join(folder, 'lock');
const recordPath = (folder: string, id: string) => join(folder, `.lock-${id}.new`);
const claimPath = (folder: string, id: string) => join(folder, `.lock-${id}.next`);
const RECORD = /^\.lock-.+\.new$/;
const CLAIM = /^\.lock-.+\.next$/;

function acquire(folder: string, doing: string): string {
  const id = randomUUID();
  const own = ownIdentity();
  const record = recordPath(folder, id);
  try {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      // Each time, because a holder that reads it half written removes it as a leftover.
      writeFileSync(record, `${JSON.stringify({ id, ...own })}\n`);
      if (!linkNew(record, lockPath(folder)) && !takeOver(folder, record, own, doing)) continue;
      held.add(id);
      clearLeftovers(folder, id, own);
      return id;
    }
  } finally {
    rmSync(record, { force: true });
  }
  throw new DatasetError(`another process is ${doing}; try again when it is done`);
}

/** False when the lock changed on the way. Throws when a process that is alive has it or is taking it over. */
function takeOver(folder: string, record: string, own: ProcessIdentity, doing: string): boolean {
  const lock = lockPath(folder);
  const dead = readHolder(lock);
  if (dead === undefined) return false;
  let claim = '';
  for (let holder: Holder | undefined = dead; holder !== undefined; holder = readHolder(claim)) {
    const words = aliveInWords(holder, own);
    if (words !== undefined) throw new DatasetError(`${words[0]} is ${doing}; try again when it is done${words[1]}`);
    claim = claimPath(folder, holder.id);
  }
  if (!linkNew(record, claim)) return false;
  if (readHolder(lock)?.id !== dead.id) {
    rmSync(claim, { force: true });
    return false;
  }
  renameSync(claim, lock);
  return true;
}

/** Who the holder is and what to know about it, or undefined when it is dead. */
function aliveInWords({ id, identity, touchedMs }: Holder, own: ProcessIdentity): [string, string] | undefined {
  const ageMs = Math.abs(Date.now() - touchedMs);
  if (identity === undefined) return ageMs < WRITTEN_MS ? ['another process', ''] : undefined;
  const { pid, start } = identity;
  if (pid === own.pid && start === undefined && !held.has(id)) return undefined;
  const liveness = livenessOf(identity, own);
  if (liveness === 'running') return [`process ${pid}`, ''];
  if (liveness === 'ended' || ageMs > ABANDONED_MS) return undefined;
  return [
    `process ${pid} of another container`,
    `. If that container was killed, its lock expires within ${ABANDONED_MS / 60_000} minutes`,
  ];
}

/** Undefined when there is no such record. */
function readHolder(path: string): Holder | undefined {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const { ino, mtimeMs } = fstatSync(file);
    const record = parseRecord(readFileSync(file, 'utf8'));
    return { id: record?.id ?? `${ino}-${mtimeMs}`, touchedMs: mtimeMs, identity: record?.identity };
  } finally {
    closeSync(file);
  }
}

/** Locks of versions before this one are the process number alone. */
function parseRecord(text: string): { id?: string; identity: ProcessIdentity } | undefined {
  try {
    const record: unknown = JSON.parse(text);
    if (typeof record === 'number') return { identity: { pid: record } };
    const { id, ...identity } = record as ProcessIdentity & { id: string };
    // It becomes part of a file name.
    if (typeof id !== 'string' || !/^[0-9a-f-]{36}$/.test(id) || typeof identity.pid !== 'number') return undefined;
    return { id, identity };
  } catch {
    return undefined;
  }
}

/**
 * Gives the record a second name. False where a file of that name exists, which link(2) checks in the same step, or
 * where the record was removed.
 */
function linkNew(record: string, path: string): boolean {
  try {
    try {
      linkSync(record, path);
    } catch (error) {
      // FAT and some network file systems have no links. Creating is exclusive there too, only not whole at once.
      if (!NO_LINKS.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
      copyFileSync(record, path, constants.COPYFILE_EXCL);
    }
    return true;
  } catch (error) {
    if (['EEXIST', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

const NO_LINKS: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EINVAL']);

/** Removes what killed processes left. Under the lock, all claims but those on ourselves are void. */
function clearLeftovers(folder: string, id: string, own: ProcessIdentity): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (CLAIM.test(name) && path !== claimPath(folder, id)) rmSync(path, { force: true });
    if (!RECORD.test(name) || path === recordPath(folder, id)) continue;
    const holder = readHolder(path);
    const isLeft = holder?.identity === undefined || aliveInWords(holder, own) === undefined;
    if (isLeft) rmSync(path, { force: true });
  }
}

function touchLock(folder: string): void {
  const now = new Date();
  try {
    utimesSync(lockPath(folder), now, now);
  } catch {
    // The folder was removed or has become read-only: the work under the lock fails then, with its own error.
  }
}
