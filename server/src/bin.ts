#!/usr/bin/env node
import { run } from './main.ts';

// A reader that has seen enough, `| head` for one, closes the pipe. That is no error of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});
process.exitCode = await run(process.argv.slice(2), process.env, process.stdout, process.stderr);
