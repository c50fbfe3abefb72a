// Part of npm run check: the size of the shipped logic and of the documentation for users, held against .ci/budget.json.
// The numbers there are raised by a decision, not by the change that needs them.
//
//   lines, kilobytes   *.ts and *.tsx of the packages that ship, without tests and their support
//   words              README, docs without decisions, and the README of each package
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const files = spawnSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' })
  .stdout.split('\n')
  .filter((path) => path !== '' && existsSync(join(root, path)));
const isLogic = (path) =>
  /^(client|dataset|email|server|dashboard)\/.*\.tsx?$/.test(path) && !/\.test\.tsx?$|\/test\//.test(path);
const isPage = (path) =>
  /^(README|docs\/[^/]+|docs\/guides\/.*|(client|server|dataset|dataset\/data|email|dashboard|testing|bench|deploy)\/README)\.md$/.test(
    path,
  );

const logic = read(isLogic);
const counted = {
  lines: logic.split('\n').length - 1,
  kilobytes: Math.floor(Buffer.byteLength(logic) / 1000),
  words: read(isPage).split(/\s+/).filter(Boolean).length,
};
const budget = JSON.parse(readFileSync(join(import.meta.dirname, 'budget.json'), 'utf8'));
for (const [name, count] of Object.entries(counted)) {
  process.stdout.write(`${name}: ${count} of ${budget[name]}\n`);
  if (count <= budget[name]) continue;
  process.stderr.write(`error: ${count - budget[name]} ${name} more than .ci/budget.json allows\n`);
  process.exitCode = 1;
}

function read(isWanted) {
  return files
    .filter(isWanted)
    .map((path) => readFileSync(join(root, path), 'utf8'))
    .join('');
}
