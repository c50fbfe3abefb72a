/**
 * Child process: runs one `whence` command with the settings of its environment, and prints its output and the peak
 * memory of the process.
 */
import { run } from '../../server/dist/main.js';

export type CommandOutcome = {
  readonly output: string;
  readonly peakKilobytes: number;
  /** Processor time of all threads: on a busy machine the time from start to exit is longer. */
  readonly cpuSeconds: number;
};

const output: string[] = [];
const errors: string[] = [];
const exitCode = await run(
  process.argv.slice(2),
  process.env,
  { write: (text: string) => output.push(text) },
  { write: (text: string) => errors.push(text) },
);
if (exitCode !== 0) throw new Error(`${process.argv.slice(2).join(' ')} exited with ${exitCode}: ${errors.join('')}`);
const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
const cpuSeconds = (userCPUTime + systemCPUTime) / 1e6;
const outcome: CommandOutcome = { output: output.join(''), peakKilobytes: maxRSS, cpuSeconds };
process.stdout.write(JSON.stringify(outcome));
