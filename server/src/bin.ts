#!/usr/bin/env node
import { refusalText } from './file-errors.ts';
import { run } from './main.ts';

// A reader that has seen enough, `| head` for one, closes the pipe. That is no error of ours, and there is nobody left to work for. What must not stay
// behind, a bar or half a file, goes when the process does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  process.stderr.write(`error: cannot write to standard output: ${refusalText(error)}\n`);
  process.exit(1);
});
// When nobody reads the progress any more, the work goes on.
process.stderr.on('error', () => {});
process.exitCode = await run(process.argv.slice(2), process.env, process.stdout, process.stderr);
