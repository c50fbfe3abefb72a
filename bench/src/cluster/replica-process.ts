/** A `whence serve` on the database of the benchmark, in a process of its own. */
import { fileURLToPath } from 'node:url';
import type { PinnedProcesses, Placement, StartedProcess } from '../http/pinned-processes.ts';

const BIN = fileURLToPath(import.meta.resolve('../../../server/dist/bin.js'));

export type ReplicaProcess = Pick<StartedProcess, 'pid' | 'stop'> & { readonly url: string };

export async function startReplica(
  processes: PinnedProcesses,
  placement: Placement,
  settings: Record<string, string>,
): Promise<ReplicaProcess> {
  const environment = { WHENCE_PORT: '0', WHENCE_LOG_LEVEL: 'fatal', WHENCE_FIRST_KEY: 'off', ...settings };
  const { firstLine, pid, stop } = await processes.start(placement, [BIN, 'serve'], environment);
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(firstLine)?.[0];
  if (url === undefined) throw new Error(`unexpected first line of the server: ${firstLine}`);
  return { pid, stop, url };
}
