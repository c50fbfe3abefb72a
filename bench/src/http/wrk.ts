/** The load generator wrk, one thread pinned to a core. Its scripts are the .lua files in this folder. */
import { fileURLToPath } from 'node:url';
import { LOAD_CORE, type PinnedProcesses } from '@whence/testing/pinned-processes';

export type Load = {
  readonly script: 'ip-requests.lua' | 'batch-requests.lua' | 'mixed-requests.lua';
  readonly scriptArguments: readonly string[];
  readonly connections: number;
};

export type LoadMeasure = { readonly requests: number; readonly perSecond: number };

/**
 * Keeps every connection busy for `seconds`. Throws if any response failed: errors are fast and would distort the rate.
 */
export async function runWrk(
  processes: PinnedProcesses,
  url: string,
  { script, scriptArguments, connections }: Load,
  seconds: number,
  seed: number,
): Promise<LoadMeasure> {
  // tsc does not copy .lua files to dist.
  const path = fileURLToPath(new URL(`../../src/http/${script}`, import.meta.url));
  const options = [
    '--threads',
    '1',
    '--connections',
    String(connections),
    '--duration',
    `${seconds}s`,
    '--timeout',
    '10s',
  ];
  const args = [...options, '--script', path, url, '--', ...scriptArguments, String(seed)];
  const output = await processes.run(LOAD_CORE, 'wrk', args, seconds * 1000);
  const requests = /(\d+) requests in/.exec(output)?.[1];
  const perSecond = /Requests\/sec:\s*([\d.]+)/.exec(output)?.[1];
  const hasFailed = output.includes('Non-2xx') || output.includes('Socket errors');
  if (hasFailed || requests === undefined || perSecond === undefined || Number(requests) === 0)
    throw new Error(`requests to ${url} failed:\n${output}`);
  return { requests: Number(requests), perSecond: Number(perSecond) };
}
