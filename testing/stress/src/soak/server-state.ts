/**
 * What is seen of the server from outside: memory and file descriptors, and what is left of each
 * Free key.
 */
import { readdirSync } from 'node:fs';
import { residentBytes } from '@whence/testing/pinned-processes';
import type { ServerUnderTest } from '../server-under-test.ts';
import type { FreeKeyUse } from './load/protocol.ts';

/** Summed over the processes of the server. Linux only: read from /proc. */
export type ProcessSample = {
  readonly atMs: number;
  readonly processes: number;
  readonly residentBytes: number;
  readonly descriptors: number;
};

/** Undefined if a process ended meanwhile; one that has not been waited for yet has no memory. */
export function sampleProcesses(server: ServerUnderTest, atMs: number): ProcessSample | undefined {
  try {
    const pids = server.processes();
    const sum = (read: (pid: number) => number) =>
      pids.reduce((total, pid) => total + read(pid), 0);
    const descriptors = sum((pid) => readdirSync(`/proc/${pid}/fd`).length);
    const resident = sum(residentBytes);
    return Number.isNaN(resident)
      ? undefined
      : { atMs, processes: pids.length, residentBytes: resident, descriptors };
  } catch {
    return undefined;
  }
}

export const FREE_LIMIT = 1_000;

/**
 * `remaining` is what the server says is left of the day at the end; undefined if the run passed
 * midnight UTC.
 */
export type FreeKeyEnd = FreeKeyUse & { readonly remaining: number | undefined };

const RESTART_TIMEOUT_MS = 60_000;
const RESTART_POLL_MS = 200;

/**
 * Leases are returned after two seconds without requests, and that is looked after once a second.
 */
export const LEASES_RETURNED_MS = 4_000;

/**
 * A worker that was killed last may still be starting, and on a busy machine that can be both of
 * them.
 */
export async function untilAnswers(
  url: string,
  key: string,
  pause: (ms: number) => Promise<void>,
): Promise<void> {
  const deadlineMs = performance.now() + RESTART_TIMEOUT_MS;
  for (;;) {
    try {
      await (await fetch(url, { headers: { 'X-API-Key': key } })).arrayBuffer();
      return;
    } catch (error) {
      if (performance.now() > deadlineMs) throw error;
    }
    await pause(RESTART_POLL_MS);
  }
}

/** Asks once with each key; the answer counts too. */
export async function readRemaining(
  url: string,
  keys: readonly string[],
  uses: readonly FreeKeyUse[],
  isSameDay: () => boolean,
): Promise<FreeKeyEnd[]> {
  const ends: FreeKeyEnd[] = [];
  for (const [i, key] of keys.entries()) {
    const { counted, cut } = uses[i] ?? { counted: 0, cut: 0 };
    const response = await fetch(url, { headers: { 'X-API-Key': key } });
    await response.arrayBuffer();
    const remaining = response.headers.get('X-RateLimit-Remaining');
    if (remaining === null || Number(response.headers.get('X-RateLimit-Limit')) !== FREE_LIMIT)
      throw new Error(`status ${response.status} without the headers of a Free key`);
    const isCounted = response.status !== 429;
    // Past midnight the day begins with all of the limit.
    ends.push({
      counted: counted + (isCounted ? 1 : 0),
      cut,
      remaining: isSameDay() ? Number(remaining) : undefined,
    });
  }
  return ends;
}
