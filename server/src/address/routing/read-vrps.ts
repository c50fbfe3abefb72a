/** Reads a file of VRPs in a thread, with limits: the setting may name a pipe, a device, or a file on a disk that hangs. */
import type { FileLimits } from '@whence/dataset/internal/io/regular-file';
import { runThread } from '@whence/dataset/internal/io/run-thread';
import type { ReadVrps } from './rpki-thread.ts';

/** All ROAs are 70 MB of JSON. */
export const MAX_VRP_BYTES = 256_000_000;
const LIMITS: FileLimits = { maxBytes: MAX_VRP_BYTES, timeoutMs: 60_000 };

/** Payloads that are dated later would not be too old for a day longer than they are used. */
const MAX_CLOCK_DIFFERENCE_MS = 5 * 60_000;

/** Why payloads of this time are refused; undefined if they are not. */
export function futureRefusal(builtAtMs: number, nowMs: number): string | undefined {
  if (builtAtMs <= nowMs + MAX_CLOCK_DIFFERENCE_MS) return undefined;
  return `they are dated in the future, ${new Date(builtAtMs).toISOString()}: check the clocks of this machine and of the relying party`;
}

/** Undefined if it was stopped by `signal`. */
export async function readVrps(path: string, signal: AbortSignal, nowMs: number): Promise<ReadVrps | undefined> {
  const read = await readInThread(path, signal);
  if (read === undefined || 'reason' in read || read.builtAtMs === undefined) return read;
  const reason = futureRefusal(read.builtAtMs, nowMs);
  return reason === undefined ? read : { reason };
}

async function readInThread(path: string, signal: AbortSignal): Promise<ReadVrps | undefined> {
  try {
    return await runThread(new URL('./rpki-thread.js', import.meta.url), { path, limits: LIMITS }, signal);
  } catch (error) {
    // Such as a file that is too large for the memory of the thread.
    return signal.aborted ? undefined : { reason: (error as Error).message };
  }
}
