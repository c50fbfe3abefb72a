/**
 * Child of the benchmark: runs one command of the command line in this process, with the settings of its environment, and prints what the command
 * said and the most memory that the process ever held.
 */
import { run } from 'whence/dist/main.js';

export type CommandOutcome = { readonly output: string; readonly peakKilobytes: number };

const output: string[] = [];
const complaints: string[] = [];
const exitCode = await run(
  process.argv.slice(2),
  process.env,
  { write: (text: string) => output.push(text) },
  { write: (text: string) => complaints.push(text) },
);
if (exitCode !== 0)
  throw new Error(`${process.argv.slice(2).join(' ')} ended with ${exitCode}: ${complaints.join('')}`);
const outcome: CommandOutcome = { output: output.join(''), peakKilobytes: process.resourceUsage().maxRSS };
process.stdout.write(JSON.stringify(outcome));
