// npm run check: compares the imports of all packages with imports.json. Reads every import statement, `import type` and
// `import()` included. Fails for
//   - an import that the list of its folder does not allow,
//   - a folder without a list,
//   - a list that names a folder below it in the file: that import would be upwards,
//   - a cycle between files.
// Tests, and folders named test, may import everything that their package may.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const root = process.argv[2] ?? join(import.meta.dirname, '..');
const packages = JSON.parse(readFileSync(join(root, 'imports.json'), 'utf8'));
const names = new Map(Object.keys(packages).map((folder) => [read(folder, 'package.json').name, folder]));
const problems = [];

/** Per file, the files of this repository that it imports. */
const graph = new Map();
for (const [folder, { folders }] of Object.entries(packages)) {
  checkOrder(folder, Object.entries(folders));
  for (const file of filesBelow(join(folder, 'src'))) checkFile(file, folder);
}
for (const cycle of cycles()) problems.push(`${cycle.join(' → ')}: a cycle`);

for (const problem of problems.sort()) console.error(problem);
if (problems.length > 0) console.error('imports.json says what each folder may import; docs/architecture.md, why.');
process.exitCode = problems.length > 0 ? 1 : 0;

function checkFile(file, folder) {
  const { packages: known, folders } = packages[folder];
  const own = placeOf(file, folder);
  const isTest = /\.test\.tsx?$/.test(file) || own.split('/').includes('test');
  const allowed = folders[own];
  if (allowed === undefined && !isTest) problems.push(`${join(folder, 'src', own)} has no list in imports.json`);
  const targets = [];
  for (const specifier of importsOf(readFileSync(join(root, file), 'utf8'))) {
    const target = resolve(specifier, file);
    if (target === undefined) continue;
    targets.push(target);
    const other = target.split('/src/')[0];
    const where = placeOf(target, folder);
    const isAllowed =
      other === folder
        ? isTest || where === own || allowed?.includes(where)
        : specifier.startsWith('@') && (isTest ? known : allowed)?.includes(nameOf(specifier));
    if (!isAllowed && (allowed !== undefined || isTest))
      problems.push(`${file} imports ${specifier}, which ${isTest ? 'its package' : join(folder, 'src', own)} may not`);
  }
  graph.set(file, targets);
}

/** The folder of a file, or the file itself if it has a list of its own. */
function placeOf(file, folder) {
  const path = relative(join(folder, 'src'), file);
  return packages[folder].folders[path] === undefined ? dirname(path) : path;
}

function checkOrder(folder, lists) {
  const seen = new Set();
  for (const [own, list] of lists) {
    seen.add(own);
    for (const other of list) {
      if (other.startsWith('@')) {
        if (!packages[folder].packages.includes(other))
          problems.push(
            `imports.json: ${folder}, ${own} lists ${other}, which is not one of the packages of ${folder}`,
          );
      } else if (!seen.has(other) && !isFamily(own, other)) {
        problems.push(`imports.json: ${folder}, ${own} lists ${other}, which is below it`);
      }
    }
  }
}

/** A folder and the folders inside it are one subject: their files may need each other in both directions. */
function isFamily(own, other) {
  return own !== '.' && other !== '.' && (own.startsWith(`${other}/`) || other.startsWith(`${own}/`));
}

/** As the formatter writes them: statements begin a line. Comments do not. */
function importsOf(text) {
  const statement =
    /^(?:import|export)\b[^'";]*?\bfrom '([^']+)'|^import '([^']+)'|^(?!\s*(?:\*|\/\/)).*?\bimport\(\s*'([^']+)'/gm;
  return [...text.matchAll(statement)].map(([, from, bare, dynamic]) => from ?? bare ?? dynamic);
}

/** The imported file; undefined for Node, dependencies and files that are not TypeScript. */
function resolve(specifier, file) {
  if (specifier.startsWith('.')) {
    const target = join(dirname(file), specifier);
    return /\.tsx?$/.test(target) ? target : undefined;
  }
  const folder = names.get(nameOf(specifier));
  if (folder === undefined) return undefined;
  const entry = `.${specifier.slice(nameOf(specifier).length)}`;
  const { entries = {} } = packages[folder];
  const { exports } = read(folder, 'package.json');
  for (const [pattern, target] of Object.entries({ ...exports, ...entries })) {
    const [start, end] = pattern.split('*');
    if (end === undefined ? entry !== pattern : !entry.startsWith(start)) continue;
    const path = (target.default ?? target).replace('*', entry.slice(start.length));
    return join(folder, path.replace(/^\.\/dist\//, 'src/').replace(/\.js$/, '.ts'));
  }
  problems.push(`${file} imports ${specifier}, which ${nameOf(specifier)} does not export`);
  return undefined;
}

function nameOf(specifier) {
  return specifier.split('/').slice(0, 2).join('/');
}

/** One per group of files that import each other in a circle. */
function cycles() {
  const found = [];
  const state = new Map();
  const path = [];
  const visit = (file) => {
    state.set(file, 'open');
    path.push(file);
    for (const target of graph.get(file) ?? []) {
      if (state.get(target) === 'open') found.push([...path.slice(path.indexOf(target)), target]);
      else if (!state.has(target)) visit(target);
    }
    path.pop();
    state.set(file, 'done');
  };
  for (const file of graph.keys()) if (!state.has(file)) visit(file);
  return found;
}

function filesBelow(folder) {
  const entries = readdirSync(join(root, folder), { recursive: true }).map((name) => join(folder, name));
  return entries.filter((path) => /(?<!\.d)\.tsx?$/.test(path) && existsSync(join(root, path))).sort();
}

function read(folder, file) {
  return JSON.parse(readFileSync(join(root, folder, file), 'utf8'));
}
