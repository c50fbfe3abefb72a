#!/usr/bin/env node
import { run } from './main.ts';
import { refusalText } from './terminal/file-errors.ts';

// A reader such as `| head` closes the pipe when it has enough: not an error, and no reason to go on. Progress bars and
// unfinished files are removed when the process exits.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // A server goes on: what it prints is for the start.
  if (process.argv[2] === 'serve') return;
  if (error.code === 'EPIPE') process.exit(0);
  process.stderr.write(`error: cannot write to standard output: ${refusalText(error)}\n`);
  process.exit(1);
});
// A command goes on when its progress is no longer read.
process.stderr.on('error', () => {});
process.exitCode = await run(process.argv.slice(2), process.env, process.stdout, process.stderr);
