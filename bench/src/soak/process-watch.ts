/** Memory and file descriptors of the server, summed over its processes. Linux only: read from /proc. */
import { readdirSync } from 'node:fs';
import { residentBytes } from '../http/pinned-processes.ts';
import type { ServerUnderTest } from './server-under-test.ts';

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
    const sum = (read: (pid: number) => number) => pids.reduce((total, pid) => total + read(pid), 0);
    const descriptors = sum((pid) => readdirSync(`/proc/${pid}/fd`).length);
    const resident = sum(residentBytes);
    return Number.isNaN(resident) ? undefined : { atMs, processes: pids.length, residentBytes: resident, descriptors };
  } catch {
    return undefined;
  }
}
