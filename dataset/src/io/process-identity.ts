// Which process wrote a file, and whether it still runs. Numbers are reused, and each container has its own, so Linux's
// /proc is asked for more; other systems have only the number.
import { readFileSync, readlinkSync } from 'node:fs';

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

/** Unknown in another container of this machine. A reused namespace number shows by different start times. */
export function livenessOf(process: ProcessIdentity, own: ProcessIdentity): Liveness {
  const { pid, start, namespace, boot } = process;
  if (boot !== undefined && own.boot !== undefined && boot !== own.boot) return 'ended';
  if (namespace !== undefined && own.namespace !== undefined && namespace !== own.namespace) return 'unknown';
  if (!isRunning(pid)) return 'ended';
  const found = statOf(String(pid));
  if (found === undefined) return 'running';
  // A zombie: it has ended, but its parent has not waited for it.
  if (found.state === 'Z' || found.state === 'X') return 'ended';
  return start === undefined || found.start === start ? 'running' : 'ended';
}

/** A process of another container, which cannot be seen from here, counts as running until ten minutes after `seenMs`. */
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

/** proc_pid_stat(5): the name in parentheses may hold any character; state is field 3, start field 22. */
function statOf(pid: string): { readonly state: string; readonly start: string } | undefined {
  const text = orUndefined(() => readFileSync(`/proc/${pid}/stat`, 'latin1'));
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, start] = [fields?.[0], fields?.[19]];
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
