/** What can be measured only in a process that has done nothing before: a command, a load, the memory after it. */
import { execFileSync } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import type { CommandOutcome } from './measured-command.ts';
import type { LoadMeasure } from './measured-load.ts';

export type CommandMeasure = { readonly seconds: number; readonly peakBytes: number; readonly output: string };

/** A command of `whence`, from the start of its process to the end. The caller's own settings do not reach it. */
export function measureCommand(args: readonly string[], settings: NodeJS.ProcessEnv): CommandMeasure {
  const started = performance.now();
  const { output, peakKilobytes } = run('./measured-command.js', args, settings) as CommandOutcome;
  return { seconds: (performance.now() - started) / 1000, peakBytes: peakKilobytes * 1024, output };
}

/** `openDataset`, which verifies the whole file, and the memory after looking up every line of `textFile`. */
export function measureLoad(datasetFile: string, textFile: string): LoadMeasure {
  return run('./measured-load.js', [datasetFile, textFile]) as LoadMeasure;
}

/** The scripts are ours and print one line of JSON, hence the casts above. */
function run(script: string, args: readonly string[], settings: NodeJS.ProcessEnv = {}): unknown {
  const path = fileURLToPath(import.meta.resolve(script));
  const env = { PATH: process.env['PATH'], ...settings };
  return JSON.parse(
    execFileSync(process.execPath, [path, ...args], { encoding: 'utf8', env, stdio: ['ignore', 'pipe', 'inherit'] }),
  );
}
