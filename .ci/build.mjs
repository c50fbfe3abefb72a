// npm run build, and the first thing that npm start does: compiles, bundles the program and builds the dashboard. Says what
// it does and how long that takes, because a newcomer waits for the first one.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = join(import.meta.dirname, '..');
const isFirst = !existsSync(join(root, 'server/dist/bin.js'));
say(isFirst ? 'building Whence for the first time, which takes about 30 s' : 'building what has changed');
run('compiling', 'tsc', ['-b'], root);
run('checking the tables', process.execPath, [join(root, '.ci/check-tables.mjs')], root);
run('bundling', process.execPath, [join(root, '.ci/bundle.mjs')], root);
run('building the dashboard', 'vite', ['build'], join(root, 'dashboard'));

function run(what, program, args, cwd) {
  const started = performance.now();
  const path = resolve(root, 'node_modules/.bin', program);
  if (!existsSync(path)) fail('the dependencies are not installed; run: npm ci');
  const { status } = spawnSync(path, args, { cwd, stdio: 'inherit', shell: process.platform === 'win32' });
  if (status !== 0) fail(`${what} failed`);
  say(`  ${what}: ${((performance.now() - started) / 1000).toFixed(0)} s`);
}

function fail(message) {
  process.stderr.write(`error: ${message}\n`);
  process.exit(1);
}

/** On standard error: scripts that call npm run build read the standard output of what they run next. */
function say(text) {
  process.stderr.write(`${text}\n`);
}
