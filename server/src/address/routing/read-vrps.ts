/**
 * Reads a file of VRPs in a thread, with limits: the setting may name a pipe, a device, or a file
 * on a disk that hangs.
 */
import { type FileLimits, readRegular, UnusableFile } from '@whence/dataset/io/files';
import { runInThread } from '@whence/dataset/io/thread';
import { parseVrps } from './parse-vrps.ts';
import { encodeVrps } from './vrps.ts';

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
export async function readVrps(
  path: string,
  signal: AbortSignal,
  nowMs: number,
): Promise<ReadVrps | undefined> {
  const read = await readInThread(path, signal);
  if (read === undefined || 'reason' in read || read.builtAtMs === undefined) return read;
  const reason = futureRefusal(read.builtAtMs, nowMs);
  return reason === undefined ? read : { reason };
}

async function readInThread(path: string, signal: AbortSignal): Promise<ReadVrps | undefined> {
  const module = new URL('./read-vrps.js', import.meta.url);
  try {
    return await runInThread({ module, name: 'readRows', args: [path], stepMs: THREAD_MS }, signal);
  } catch (error) {
    // Such as a file that is too large for the memory of the thread.
    const { name, message } = error as Error;
    if (signal.aborted) return undefined;
    return { reason: name === UnusableFile.name ? `what it names ${message}` : message };
  }
}

/** To read and parse the file: on a slow machine half a million ROAs take some seconds. */
const THREAD_MS = 120_000;

/** Called in the thread: half a million rows take a second to parse. */
export async function readRows(path: string): Promise<ReadVrps> {
  const { vrps, builtAtMs } = parseVrps((await readRegular(path, LIMITS)).toString('utf8'));
  return { rows: encodeVrps(vrps), builtAtMs };
}

type ReadVrps =
  | { readonly rows: Uint32Array<ArrayBuffer>; readonly builtAtMs: number | undefined }
  | { readonly reason: string };
