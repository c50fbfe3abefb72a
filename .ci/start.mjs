// npm start: the server, and beside it, if they have changed, a process that builds the pages.
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { requirePackages } from './packages.mjs';
import { arePagesBuilt, PAGES } from './pages.mjs';

if (!arePagesBuilt()) {
  requirePackages();
  // A server loads what it finds.
  rmSync(PAGES, { recursive: true, force: true });
  spawn(process.execPath, [join(import.meta.dirname, 'pages.mjs')], { stdio: ['ignore', 2, 2] });
}
process.argv.splice(2, 0, 'serve');
await import('../server/bin/whence.js');
