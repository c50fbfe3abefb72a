// npm run build: the program and the pages, each in a process of its own. Says what it does and how
// long that takes, which is nothing if no source has changed. npm start does not need it: it builds
// the pages while the server starts.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { requirePackages } from './packages.mjs';

requirePackages();
await Promise.all([
  run('bundling the program', 'bundle.mjs'),
  run('building the dashboard', 'pages.mjs'),
]);

async function run(what, script) {
  const startedMs = performance.now();
  // On standard error: scripts that call npm run build read the standard output of what they run
  // next.
  const child = spawn(process.execPath, [join(import.meta.dirname, script)], {
    stdio: ['ignore', 2, 2],
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) fail(`${what} failed`);
  process.stderr.write(`${what}: ${((performance.now() - startedMs) / 1000).toFixed(0)} s\n`);
}

function fail(message) {
  process.stderr.write(`error: ${message}\n`);
  process.exit(1);
}
