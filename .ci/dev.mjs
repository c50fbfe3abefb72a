// npm run dev [PORT]: builds, then rebuilds and restarts on every change, until Ctrl-C. The compiler rewrites dist, Node
// restarts the server when a file that it has loaded changes, and Vite serves the dashboard with hot reload on
// http://127.0.0.1:PORT (5173), with the server behind it. WHENCE_PORT and the other settings are those of the server.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const program = (name) => join(root, 'node_modules/.bin', name);
const bin = join(root, 'server/dist/bin.js');
const dashboardPort = process.argv[2] ?? '5173';
const serverPort = process.env.WHENCE_PORT ?? '8080';
const dashboardUrl = `http://127.0.0.1:${dashboardPort}`;

process.stdout.write('building\n');
const { status } = spawnSync(program('tsc'), ['-b'], { cwd: root, stdio: 'inherit' });
// With type errors the last build still runs, if there is one; the compiler goes on when they are corrected.
if (status !== 0 && !existsSync(bin)) process.exit(1);

const children = [
  start(program('tsc'), ['-b', '--watch', '--preserveWatchOutput']),
  start(program('vite'), ['--host', '127.0.0.1', '--port', dashboardPort, '--strictPort'], {
    cwd: join(root, 'dashboard'),
    env: { ...process.env, WHENCE_URL: `http://127.0.0.1:${serverPort}` },
  }),
  start(process.execPath, ['--watch', '--watch-preserve-output', bin, 'serve'], {
    // For the link that sets up the dashboard, and because requests come from its origin.
    env: { WHENCE_PUBLIC_URL: dashboardUrl, ...process.env, NODE_NO_WARNINGS: '1' },
  }),
];
process.stdout.write(`the dashboard: ${dashboardUrl} (Ctrl-C ends all)\n`);

const signalled = ['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => once(process, signal).then(() => 0));
// None of them ends by itself; a server that fails waits for the next change.
const ended = children.map((child) => once(child, 'exit').then(() => 1));
const code = await Promise.race([...signalled, ...ended]);
for (const { pid } of children) endGroup(pid);
await Promise.all(ended);
process.exit(code);

/** The group, because the compiler's launcher does not pass a signal on to the compiler. */
function endGroup(pid) {
  try {
    process.kill(-pid, 'SIGTERM');
  } catch {
    // It has ended.
  }
}

function start(command, args, options = {}) {
  const settings = { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], detached: true, ...options };
  const child = spawn(command, args, settings);
  child.on('error', (error) => process.stderr.write(`${command}: ${error.message}\n`));
  return child;
}
