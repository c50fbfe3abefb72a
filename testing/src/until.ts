/**
 * Waiting in tests: for a condition, with a deadline, and for time itself where nothing else can be
 * observed.
 */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * One limit for all waits, so that none ends too early: on a busy machine a process may take
 * seconds to start, and a build of the dataset more than a minute.
 */
const LIMIT_MS = 180_000;

type UntilOptions = {
  /** The pause between two evaluations of the condition. */
  readonly everyMs?: number;
  /** Added to the message of a missed deadline. */
  readonly state?: () => unknown;
};

/**
 * Resolves as soon as the condition is true. `what` names it in the message of a missed deadline.
 */
export async function until(
  what: string,
  isTrue: () => boolean | Promise<boolean>,
  { everyMs = 10, state }: UntilOptions = {},
): Promise<void> {
  for (const endMs = performance.now() + LIMIT_MS; !(await isTrue()); await delay(everyMs)) {
    if (performance.now() < endMs) continue;
    const detail = state === undefined ? '' : `; ${JSON.stringify(state())}`;
    throw new Error(`${what}: not within ${LIMIT_MS / 1000} s${detail}`);
  }
}

/**
 * Lets a period pass that the product defines by time alone, such as the window in which a revoked
 * key may still be accepted or the validity of a lease. The end of such a period cannot be observed
 * without taking part in it; every other wait is for a condition.
 */
export async function periodPasses(ms: number): Promise<void> {
  await delay(ms);
}

/**
 * Kills a process after a delay and resolves when it has exited. For behaviour that must hold for a
 * kill at any moment: the moments are spread over time on purpose.
 */
export async function killAfter(child: ChildProcess, delayMs: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  const timer = setTimeout(() => child.kill('SIGKILL'), delayMs);
  await exited;
  clearTimeout(timer);
}
