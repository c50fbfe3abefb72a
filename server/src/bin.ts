#!/usr/bin/env node
import { run } from './main.ts';
import { refusalText } from './terminal/file-errors.ts';

const COULD_NOT_BE_DONE = 3;

// A reader such as `| head` closes the pipe when it has enough: not an error, and no reason to go
// on. Progress bars and unfinished files are removed when the process exits.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // A server goes on: what it prints is for the start.
  if (process.argv[2] === 'serve') return;
  if (error.code === 'EPIPE') process.exit(0);
  process.stderr.write(`error: cannot write to standard output: ${refusalText(error)}\n`);
  process.exit(COULD_NOT_BE_DONE);
});
// A command goes on when its progress is no longer read.
process.stderr.on('error', () => {});
try {
  process.exitCode = await run(process.argv.slice(2), process.env, process.stdout, process.stderr);
} catch (error) {
  // A bug: the stack trace is for the report. Node would end with 1, which means that the answer is
  // no.
  console.error(error);
  process.exitCode = COULD_NOT_BE_DONE;
}
