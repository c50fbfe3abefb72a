/**
 * Child process: runs one `whence` command with the settings of its environment, and prints its output and the peak
 * memory of the process.
 */
import { run } from '../../server/dist/main.js';

export type CommandOutcome = { readonly output: string; readonly peakKilobytes: number };

const output: string[] = [];
const errors: string[] = [];
const exitCode = await run(
  process.argv.slice(2),
  process.env,
  { write: (text: string) => output.push(text) },
  { write: (text: string) => errors.push(text) },
);
if (exitCode !== 0) throw new Error(`${process.argv.slice(2).join(' ')} exited with ${exitCode}: ${errors.join('')}`);
const outcome: CommandOutcome = { output: output.join(''), peakKilobytes: process.resourceUsage().maxRSS };
process.stdout.write(JSON.stringify(outcome));
