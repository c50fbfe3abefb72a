// npm run dev [PORT]: the server, built and restarted whenever a source changes, and Vite, which
// serves the dashboard with hot reload on http://127.0.0.1:PORT (5173), with the server behind it,
// until Ctrl-C. WHENCE_PORT and the other settings are those of the server. Types are checked by
// npm run check, and by an editor.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { join } from 'node:path';
import { requirePackages } from './packages.mjs';

requirePackages();

const root = join(import.meta.dirname, '..');
const SOURCES = [
  'client/src',
  'dataset/src',
  'dataset/data',
  'email/src',
  'email/data',
  'server/src',
  'server/reference',
];
/** An editor writes a file in several steps, and git many files. */
const SETTLE_MS = 100;
const dashboardPort = process.argv[2] ?? '5173';
const serverPort = process.env.WHENCE_PORT ?? '8080';
const dashboardUrl = `http://127.0.0.1:${dashboardPort}`;

let server;
let isBuilding = false;
let timer;
const vite = start(
  join(root, 'node_modules/.bin/vite'),
  ['--host', '127.0.0.1', '--port', dashboardPort, '--strictPort'],
  {
    cwd: join(root, 'dashboard'),
    env: { ...process.env, WHENCE_URL: `http://127.0.0.1:${serverPort}` },
  },
);
for (const folder of SOURCES) watch(join(root, folder), { recursive: true }, later);
later();
process.stdout.write(`the dashboard: ${dashboardUrl} (Ctrl-C ends all)\n`);

const signalled = ['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) =>
  once(process, signal).then(() => 0),
);
const code = await Promise.race([...signalled, once(vite, 'exit').then(() => 1)]);
await Promise.all([vite, server].map(end));
process.exit(code);

function later() {
  clearTimeout(timer);
  timer = setTimeout(restart, SETTLE_MS);
}

async function restart() {
  if (isBuilding) {
    later();
    return;
  }
  isBuilding = true;
  const [failed] = await once(start(process.execPath, [join(root, '.ci/bundle.mjs')]), 'exit');
  // With an error in a source, the last build still runs.
  if (failed === 0) {
    await end(server);
    server = start(process.execPath, [join(root, 'server/bin/whence.js'), 'serve'], {
      // For the link that sets up the dashboard, and because requests come from its origin.
      env: { WHENCE_PUBLIC_URL: dashboardUrl, ...process.env },
    });
  }
  isBuilding = false;
}

async function end(child) {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill();
  await ended;
}

/** In a group of its own, so that Ctrl-C ends it once. */
function start(command, args, options = {}) {
  const settings = {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    detached: true,
    ...options,
  };
  const child = spawn(command, args, settings);
  child.on('error', (error) => process.stderr.write(`${command}: ${error.message}\n`));
  return child;
}
