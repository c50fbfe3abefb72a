/** Runs measurements that need a fresh process. */
import { execFileSync } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import type { CommandOutcome } from './measured-command.ts';

export type CommandMeasure = {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly peakBytes: number;
  readonly output: string;
};

/** Runs a `whence` command, measured from process start to exit. The caller's environment is not passed on. */
export function measureCommand(args: readonly string[], settings: NodeJS.ProcessEnv): CommandMeasure {
  const started = performance.now();
  const script = import.meta.resolve('./measured-command.js');
  // Our script prints a CommandOutcome.
  const { output, peakKilobytes, cpuSeconds } = runScript(script, args, settings) as CommandOutcome;
  return { seconds: (performance.now() - started) / 1000, cpuSeconds, peakBytes: peakKilobytes * 1024, output };
}

/** Runs a script, given by its file: URL, and parses the line of JSON that it prints. */
export function runScript(url: string, args: readonly string[], settings: NodeJS.ProcessEnv = {}): unknown {
  const env = { PATH: process.env['PATH'], ...settings };
  return JSON.parse(
    execFileSync(process.execPath, [fileURLToPath(url), ...args], {
      encoding: 'utf8',
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  );
}
