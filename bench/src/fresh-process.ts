/** Runs measurements that need a fresh process. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { WHENCE } from '@whence/testing/whence-program';
import type { ProcessUsage } from './process-usage.ts';

export type MeasuredProcess = ProcessUsage & { readonly stdout: string; readonly stderr: string };

type ProcessOptions = {
  readonly settings?: NodeJS.ProcessEnv;
  /** `ignore` where it would be hundreds of megabytes. */
  readonly stdout?: 'pipe' | 'ignore';
  readonly nodeOptions?: readonly string[];
  /** Exit codes of a run that succeeded; 0 by default. */
  readonly exitCodes?: readonly number[];
  /** On this core, where `taskset` is installed. */
  readonly core?: number;
};

const MAX_OUTPUT_BYTES = 64 << 20;

/** Runs `whence` with these arguments. The caller's environment is not passed on. */
export function measureCommand(
  args: readonly string[],
  settings: NodeJS.ProcessEnv = {},
): MeasuredProcess {
  return measureProcess([WHENCE, ...args], { settings });
}

/** Runs a Node script, measured from its start to its exit. */
export function measureProcess(
  args: readonly string[],
  { settings = {}, stdout = 'pipe', nodeOptions = [], exitCodes = [0], core }: ProcessOptions = {},
): MeasuredProcess {
  const preload = ['--import', import.meta.resolve('./process-usage.js')];
  const command = [process.execPath, ...nodeOptions, ...preload, ...args];
  const [file = '', ...rest] =
    core === undefined ? command : ['taskset', '-c', String(core), ...command];
  const ended = spawnSync(file, rest, {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], ...settings },
    maxBuffer: MAX_OUTPUT_BYTES,
    stdio: ['ignore', stdout, 'pipe', 'pipe'],
  });
  if (ended.error !== undefined) throw ended.error;
  if (ended.status === null || !exitCodes.includes(ended.status))
    throw new Error(`${args.join(' ')} exited with ${ended.status}: ${ended.stderr}`);
  // Our preload writes a ProcessUsage.
  const usage = JSON.parse(String(ended.output[3])) as ProcessUsage;
  return { ...usage, stdout: ended.stdout ?? '', stderr: ended.stderr };
}

/**
 * Runs a script of the benchmark, given by its file: URL, and parses the line of JSON that it
 * prints.
 */
export function runScript(
  url: string,
  args: readonly string[],
  nodeOptions: readonly string[] = [],
): unknown {
  return JSON.parse(measureProcess([fileURLToPath(url), ...args], { nodeOptions }).stdout);
}
