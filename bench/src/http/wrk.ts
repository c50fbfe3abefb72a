/**
 * The load generator wrk, one thread pinned to a core. Its scripts are the .lua files in this
 * folder.
 */
import { fileURLToPath } from 'node:url';
import { LOAD_CORE, type PinnedProcesses } from '@whence/testing/pinned-processes';

export type Load = {
  readonly script:
    | 'get-requests.lua'
    | 'batch-requests.lua'
    | 'mixed-requests.lua'
    | 'mixed-workload.lua';
  readonly scriptArguments: readonly string[];
  readonly connections: number;
  /** The share of responses that must be errors; none unless given. */
  readonly errorShare?: number;
};

/** A run ends in the middle of a hundred requests, and its last ones are not counted. */
const ERROR_TOLERANCE = 0.005;

export type LoadMeasure = { readonly requests: number; readonly perSecond: number };

/**
 * Keeps every connection busy for `seconds`. Throws if responses failed that should not: errors are
 * fast and would distort the rate.
 */
export async function runWrk(
  processes: PinnedProcesses,
  url: string,
  { script, scriptArguments, connections, errorShare = 0 }: Load,
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
  const errors = Number(/Non-2xx or 3xx responses: (\d+)/.exec(output)?.[1] ?? 0);
  const isAsExpected =
    errorShare === 0
      ? errors === 0
      : Math.abs(errors / Number(requests) - errorShare) < ERROR_TOLERANCE;
  const hasFailed = !isAsExpected || output.includes('Socket errors');
  if (hasFailed || requests === undefined || perSecond === undefined || Number(requests) === 0)
    throw new Error(`requests to ${url} failed:\n${output}`);
  return { requests: Number(requests), perSecond: Number(perSecond) };
}
