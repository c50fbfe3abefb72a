// A folder with one writer at a time. The lock is a file that names its holder, so that one left
// behind by a killed process is recognised and taken over.
//
//   lock                the holder
//   .lock-<id>.new      a holder's record before it is linked as the lock or as a claim
//   .lock-<id>.next     a claim: the process that is about to take over from the dead holder or claimant <id>
//
// Records are linked: a link appears whole, and only where there is no file of that name. Of many
// processes that find the same dead holder, one gets the claim. It reads the lock once more and
// renames its claim over it. As long as the lock names holder <id>, no claim on it is removed; so
// if the lock is still the same after the claim was made, no other process has held it in between.
// If it is not, the claim is void. A process that is killed after making a claim is treated like a
// dead holder: the next one claims to take over from it. Ids are never used twice.
import { randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  copyFileSync,
  fstatSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatasetError } from '../dataset-error.ts';
import { makeFolder } from './files.ts';

/** The identity is absent where a record is not, or not yet, readable. */
type Holder = {
  readonly id: string;
  readonly touchedMs: number;
  readonly identity: ProcessIdentity | undefined;
};

/** How often a holder touches its lock, while its event loop runs. */
const TOUCH_MS = 30_000;
/**
 * Where links are not supported, records are written in place and may be read before they are
 * complete.
 */
const WRITTEN_MS = 10_000;
/** Every attempt but the last was lost to another process. */
const MAX_ATTEMPTS = 100;

/**
 * Under the lock until the result, or its promise, is settled. `doing` completes "process 42 is …".
 */
export function withLock<T>(folder: string, doing: string, work: () => T): T {
  makeFolder(folder);
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

/**
 * The locks of this process. Without /proc, any other lock with our process number is one of an
 * earlier process.
 */
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
      // Written for each attempt, because a holder that reads an incomplete record removes it as a
      // leftover.
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

/**
 * False if the lock changed in the meantime. Throws if a running process holds it or is taking it
 * over.
 */
function takeOver(folder: string, record: string, own: ProcessIdentity, doing: string): boolean {
  const lock = lockPath(folder);
  const dead = readHolder(lock);
  if (dead === undefined) return false;
  let claim = '';
  for (let holder: Holder | undefined = dead; holder !== undefined; holder = readHolder(claim)) {
    const running = describeRunning(holder, own);
    if (running !== undefined)
      throw new DatasetError(`${running[0]} is ${doing}; try again when it is done${running[1]}`);
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

/** The name of the holder and a remark for the message, or undefined if the holder has ended. */
function describeRunning(
  { id, identity, touchedMs }: Holder,
  own: ProcessIdentity,
): [string, string] | undefined {
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
    return {
      id: record?.id ?? `${ino}-${mtimeMs}`,
      touchedMs: mtimeMs,
      identity: record?.identity,
    };
  } finally {
    closeSync(file);
  }
}

function parseRecord(text: string): { id: string; identity: ProcessIdentity } | undefined {
  try {
    const { id, ...identity } = JSON.parse(text) as ProcessIdentity & { id: string };
    // The id becomes part of a file name.
    if (typeof id !== 'string' || !/^[0-9a-f-]{36}$/.test(id) || typeof identity.pid !== 'number')
      return undefined;
    return { id, identity };
  } catch {
    return undefined;
  }
}

/**
 * False where the name exists, which link(2) checks in the same step, or where the record was
 * removed.
 */
function linkNew(record: string, path: string): boolean {
  try {
    try {
      linkSync(record, path);
    } catch (error) {
      // FAT and some network file systems have no links. Creating a file is exclusive there too,
      // but not atomic.
      if (!NO_LINKS.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
      copyFileSync(record, path, constants.COPYFILE_EXCL);
    }
    return true;
  } catch (error) {
    if (['EEXIST', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

const NO_LINKS: ReadonlySet<string> = new Set([
  'EPERM',
  'ENOTSUP',
  'EOPNOTSUPP',
  'ENOSYS',
  'EINVAL',
]);

/**
 * Removes what killed processes left behind. The caller holds the lock, so only claims on its own
 * id are valid.
 */
function clearLeftovers(folder: string, id: string, own: ProcessIdentity): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (CLAIM.test(name) && path !== claimPath(folder, id)) rmSync(path, { force: true });
    if (!RECORD.test(name) || path === recordPath(folder, id)) continue;
    const holder = readHolder(path);
    const isLeft = holder?.identity === undefined || describeRunning(holder, own) === undefined;
    if (isLeft) rmSync(path, { force: true });
  }
}

function touchLock(folder: string): void {
  const now = new Date();
  try {
    utimesSync(lockPath(folder), now, now);
  } catch {
    // The folder was removed or has become read-only: the work under the lock then fails with its
    // own error.
  }
}

/**
 * Which process wrote a file. Numbers are reused, and each container has its own, so Linux's /proc
 * is asked for more; other systems have only the number.
 */
export type ProcessIdentity = {
  readonly pid: number;
  /** Clock ticks from the boot of the machine to the start of the process. */
  readonly start?: string;
  /** The PID namespace that the number belongs to: as a rule, the container. */
  readonly namespace?: string;
  /** Changes when the machine boots. Containers of one machine share it. */
  readonly boot?: string;
};

type Liveness = 'running' | 'ended' | 'unknown';

export function ownIdentity(): ProcessIdentity {
  const start = statOf('self')?.start;
  const namespace = orUndefined(() => readlinkSync('/proc/self/ns/pid'));
  const boot = orUndefined(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
  return {
    pid: process.pid,
    ...(start !== undefined && { start }),
    ...(namespace !== undefined && { namespace }),
    ...(boot !== undefined && { boot }),
  };
}

/**
 * Unknown in another container of this machine. A reused namespace number shows by different start
 * times.
 */
export function livenessOf(process: ProcessIdentity, own: ProcessIdentity): Liveness {
  const { pid, start, namespace, boot } = process;
  if (boot !== undefined && own.boot !== undefined && boot !== own.boot) return 'ended';
  if (namespace !== undefined && own.namespace !== undefined && namespace !== own.namespace)
    return 'unknown';
  if (!isRunning(pid)) return 'ended';
  const stat = statOf(String(pid));
  if (stat === undefined) return 'running';
  // A zombie: it has ended, but its parent has not waited for it.
  if (stat.state === 'Z' || stat.state === 'X') return 'ended';
  return start === undefined || stat.start === start ? 'running' : 'ended';
}

/**
 * A process of another container, which cannot be seen from here, counts as running until ten
 * minutes after `seenMs`.
 */
export function isAlive(process: ProcessIdentity, seenMs: number, nowMs: number): boolean {
  const liveness = livenessOf(process, ownIdentity());
  return liveness === 'running' || (liveness === 'unknown' && nowMs - seenMs < ABANDONED_MS);
}

export const ABANDONED_MS = 600_000;

export function isRunning(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * proc_pid_stat(5): the name in parentheses may hold any character; state is field 3, start field
 * 22.
 */
function statOf(pid: string): { readonly state: string; readonly start: string } | undefined {
  const text = orUndefined(() => readFileSync(`/proc/${pid}/stat`, 'latin1'));
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ');
  const state = fields?.[0];
  const start = fields?.[19];
  return state === undefined || start === undefined ? undefined : { state, start };
}

/** Undefined if the file does not exist or cannot be read. */
function orUndefined(read: () => string): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
