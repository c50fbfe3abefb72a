// npm run check: compares the imports of all packages with imports.json. Every file is read with a
// parser, so that no way to write an import is missed: `import type`, `export … from`,
// `import x = require()`, `import()` and `typeof import()`. Fails for
//   - an import that the list of its folder does not allow,
//   - a folder without a list,
//   - a list that names a file: a file with rules of its own is in the wrong folder,
//   - a list that names a folder below it in the file: that import would be upwards,
//   - a path that cannot be checked: computed, or not the name of a source file,
//   - a cycle between files,
//   - a handler with more files behind it than MOST_BEHIND allows.
// A file directly in src that imports a folder is an entry point: it may import all that its
// package may, and files in folders may not import it. Tests, and folders named test, may import
// everything that their package may.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
// The bundler's parser: TypeScript 7 has none that a script can call.
import { parseSync, Visitor } from 'rolldown/utils';

const root = process.argv[2] ?? join(import.meta.dirname, '..');
const packages = JSON.parse(readFileSync(join(root, 'imports.json'), 'utf8'));
const names = new Map(
  Object.keys(packages).map((folder) => [read(folder, 'package.json').name, folder]),
);
const problems = [];

/**
 * How many files may be behind the imports of a handler, those for types included. A handler
 * declares what it uses: importing the list of all that the server is built from brings 300.
 */
const MOST_BEHIND = {
  'server/src/api/decide.ts': 95,
  'server/src/api/health.ts': 60,
  'server/src/api/ip.ts': 120,
};

/**
 * Per file, the files of this repository that it imports, each with the specifier that names it.
 */
const graph = new Map();
for (const folder of Object.keys(packages)) {
  checkLists(folder);
  for (const file of filesBelow(join(folder, 'src'))) graph.set(file, targetsOf(file));
}
for (const file of graph.keys()) checkFile(file);
for (const [file, most] of Object.entries(MOST_BEHIND)) {
  const count = behind(file).size;
  if (count > most)
    problems.push(`${file}: ${count} files are behind its imports, more than ${most}`);
}
for (const cycle of cycles()) problems.push(`${cycle.join(' → ')}: a cycle`);

for (const problem of problems.sort()) console.error(problem);
if (problems.length > 0)
  console.error('imports.json says what each folder may import; docs/architecture.md, why.');
process.exitCode = problems.length > 0 ? 1 : 0;

function checkFile(file) {
  const folder = packageOf(file);
  const { packages: known, folders } = packages[folder];
  const own = placeOf(file);
  const isTest = /\.test\.tsx?$/.test(file) || own.split('/').includes('test');
  const isFree = isTest || isEntryPoint(file);
  const allowed = folders[own];
  if (allowed === undefined && !isFree)
    problems.push(`${join(folder, 'src', own)} has no list in imports.json`);
  if (allowed === undefined && !isFree) return;
  for (const { specifier, target } of graph.get(file)) {
    const isAllowed =
      packageOf(target) === folder
        ? !specifier.startsWith('@') &&
          (isFree ||
            placeOf(target) === own ||
            (allowed.includes(placeOf(target)) && !isEntryPoint(target)))
        : specifier.startsWith('@') &&
          known.includes(nameOf(specifier)) &&
          (isTest || !isTestSupport(specifier) || read(folder, 'package.json').private === true) &&
          (isFree || allowed.includes(nameOf(specifier)));
    if (!isAllowed)
      problems.push(
        `${file} imports ${specifier}, which ${isFree ? 'its package' : join(folder, 'src', own)} may not`,
      );
  }
}

/** Samples of another package, which its published form does not contain. */
function isTestSupport(specifier) {
  return names.get(nameOf(specifier)) !== 'testing' && /^@[^/]+\/[^/]+\/test\//.test(specifier);
}

function behind(file, seen = new Set()) {
  for (const { target } of graph.get(file) ?? []) {
    if (seen.has(target)) continue;
    seen.add(target);
    behind(target, seen);
  }
  return seen;
}

function isEntryPoint(file) {
  const folder = packageOf(file);
  return (
    placeOf(file) === '.' &&
    graph.get(file)?.some(({ target }) => packageOf(target) === folder && placeOf(target) !== '.')
  );
}

function packageOf(file) {
  return file.split('/src/')[0];
}

/** The folder of a file below src. */
function placeOf(file) {
  return dirname(relative(join(packageOf(file), 'src'), file));
}

function checkLists(folder) {
  const { packages: known, folders } = packages[folder];
  const seen = new Set();
  for (const [own, list] of Object.entries(folders)) {
    seen.add(own);
    for (const name of [own, ...list])
      if (/\.tsx?$/.test(name))
        problems.push(`imports.json: ${folder}, ${own} names the file ${name}, not a folder`);
    for (const other of list) {
      if (other.startsWith('@')) {
        if (!known.includes(other))
          problems.push(
            `imports.json: ${folder}, ${own} lists ${other}, which is not one of the packages of ${folder}`,
          );
      } else if (!seen.has(other) && !isFamily(own, other)) {
        problems.push(`imports.json: ${folder}, ${own} lists ${other}, which is below it`);
      }
    }
  }
}

/**
 * A folder and the folders inside it are one subject: their files may need each other in both
 * directions.
 */
function isFamily(own, other) {
  return (
    own !== '.' && other !== '.' && (own.startsWith(`${other}/`) || other.startsWith(`${own}/`))
  );
}

function targetsOf(file) {
  const { program, errors } = parseSync(file, readFileSync(join(root, file), 'utf8'));
  if (errors.length > 0) problems.push(`${file} cannot be parsed: ${errors[0].message}`);
  const found = [];
  const add = (source) => {
    const specifier = textOf(source);
    if (specifier === undefined) return;
    const target = resolve(
      specifier,
      file,
      source.type !== 'Literal' && source.expressions?.length !== 0,
    );
    if (target !== undefined) found.push({ specifier, target });
  };
  new Visitor({
    ImportDeclaration: ({ source }) => add(source),
    ExportNamedDeclaration: ({ source }) => add(source),
    ExportAllDeclaration: ({ source }) => add(source),
    ImportExpression: ({ source }) => add(source),
    TSImportType: ({ source }) => add(source),
    TSExternalModuleReference: ({ expression }) => add(expression),
    CallExpression: ({ callee, arguments: [source] }) => callee.name === 'require' && add(source),
  }).visit(program);
  return found;
}

/**
 * What a specifier begins with, as far as it is constant; undefined for one that is computed from
 * its first character on.
 */
function textOf(source) {
  if (source?.type === 'Literal') return source.value;
  if (source?.type === 'TemplateLiteral') return source.quasis[0].value.cooked || undefined;
  return source?.type === 'BinaryExpression' ? textOf(source.left) : undefined;
}

/** The imported file; undefined for Node, dependencies, and files that are not TypeScript. */
function resolve(specifier, file, isComputed) {
  const isRelative = specifier.startsWith('.') || specifier.startsWith('/');
  const folder = names.get(nameOf(specifier));
  if (!isRelative && folder === undefined) return undefined;
  const target = isRelative ? join(dirname(file), specifier) : exported(specifier, folder, file);
  if (
    target === undefined ||
    (isRelative && /\.(?:css|json|svg|d\.mts|md\?blocks|csv\?raw)$/.test(target))
  )
    return undefined;
  if (
    !isComputed &&
    /\.tsx?$/.test(target) &&
    target.includes('/src/') &&
    existsSync(join(root, target))
  )
    return target;
  problems.push(`${file} imports ${specifier}, which is not the name of a source file`);
  return undefined;
}

function exported(specifier, folder, file) {
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
    for (const { target } of graph.get(file) ?? []) {
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
  const entries = readdirSync(join(root, folder), { recursive: true }).map((name) =>
    join(folder, name),
  );
  return entries
    .filter((path) => /(?<!\.d)\.tsx?$/.test(path) && existsSync(join(root, path)))
    .sort();
}

function read(folder, file) {
  return JSON.parse(readFileSync(join(root, folder, file), 'utf8'));
}
