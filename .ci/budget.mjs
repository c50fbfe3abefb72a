// Part of npm run check: what people meet, and the size of the code that ships, held against
// .ci/budget.json. `base` is what was there when the budget was set, and `allowance` what the work
// since may add to it. Both are changed by a decision, not by the change that needs them.
//
//   kilobytes  *.ts and *.tsx of the packages that ship, without tests and their support, and
//              without indentation, line breaks and lines that are only a comment: neither
//              formatting nor explaining counts
//   commands   with the subcommands of each; options of all of them, without --help
//   settings   environment variables of the server
//   routes     of the API, those that take a key
//   pages      of the dashboard
//   tables     of the database
//   words      README, docs without decisions, and the README of each package
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync, Visitor } from 'rolldown/utils';
import { apiRoutes } from '../server/dist/api/routes.js';
import { settings } from '../server/dist/settings/settings.js';
import { TABLES } from '../server/dist/storage/schema.js';
import { describedProgram } from '../server/dist/test/shell/described-program.js';

const root = join(import.meta.dirname, '..');
const read = (path) => readFileSync(join(root, path), 'utf8');
const files = spawnSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' })
  .stdout.split('\n')
  .filter((path) => path !== '' && existsSync(join(root, path)));
const isShippedCode = (path) =>
  /^(client|dataset|email|server|dashboard)\/.*\.tsx?$/.test(path) &&
  !/\.test\.tsx?$|\/test\//.test(path);
const isPage = (path) =>
  /^(README|docs\/[^/]+|docs\/guides\/.*|(client|server|dataset|dataset\/data|email|dashboard|testing|bench|deploy)\/README)\.md$/.test(
    path,
  );

const commands = commandsOf(await describedProgram());
const counted = {
  kilobytes: Math.floor(sum(files.filter(isShippedCode), codeBytes) / 1000),
  commands: commands.length,
  options: sum(commands, ({ options }) => options.filter(isShownOption).length),
  settings: Object.keys(settings).length,
  routes: apiRoutes(placeholder()).length,
  pages: pageCount('dashboard/src/router.tsx'),
  tables: Object.keys(TABLES).length,
  words: sum(files.filter(isPage), (path) => read(path).split(/\s+/).filter(Boolean).length),
};

const { base, allowance } = JSON.parse(read('.ci/budget.json'));
for (const [name, count] of Object.entries(counted)) {
  const most = base[name] + allowance[name];
  process.stdout.write(`${name}: ${count} of ${most}\n`);
  if (count <= most) continue;
  process.stderr.write(`error: ${count - most} ${name} more than .ci/budget.json allows\n`);
  process.exitCode = 1;
}

function sum(items, numberOf) {
  return items.reduce((total, item) => total + numberOf(item), 0);
}

function codeBytes(path) {
  const lines = read(path)
    .split('\n')
    .map((line) => line.replace(/^[ \t]+|[ \t]+$/g, ''))
    .filter((line) => !/^(?:\/\/|\/\*|\*)/.test(line));
  return Buffer.byteLength(lines.join(''));
}

/** Those that can be run: groups have only subcommands. */
function commandsOf(command) {
  const isGroup = command.commands.length > 0 && command.registeredArguments.length === 0;
  return [...(isGroup ? [] : [command]), ...command.commands.flatMap(commandsOf)];
}

function isShownOption({ long, hidden }) {
  return long !== '--help' && !hidden;
}

/** Routes are only built and never called: whatever they are built from has every property. */
function placeholder() {
  return new Proxy(() => {}, { get: placeholder, apply: placeholder });
}

function pageCount(path) {
  let count = 0;
  new Visitor({
    CallExpression: ({ callee }) => {
      if (callee.name === 'page') count += 1;
    },
  }).visit(parseSync(path, read(path)).program);
  return count;
}
