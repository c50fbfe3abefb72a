// The first step of npm test: makes JavaScript of every source file, where the compiler puts it
// (tsc -b), without checking types. That takes a second instead of 45. npm run check compiles with
// tsc, which keeps its own record of what it has checked: files that were written here hide no
// error from it.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { requirePackages } from './packages.mjs';

requirePackages();
const { transformSync } = await import('rolldown/utils');

const root = join(import.meta.dirname, '..');
/** What tsconfig.base.json says. */
const OPTIONS = {
  tsconfig: false,
  target: 'es2023',
  jsx: { runtime: 'automatic' },
  typescript: { rewriteImportExtensions: 'rewrite', onlyRemoveTypeImports: true },
};

const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const errors = workspaces
  .filter((folder) => existsSync(join(root, folder, 'tsconfig.json')))
  .flatMap((folder) => transpilePackage(folder));
for (const error of errors) process.stderr.write(`${error}\n`);
process.exitCode = errors.length > 0 ? 1 : 0;

function transpilePackage(folder) {
  const source = join(root, folder, 'src');
  const target = join(root, folder, folder === 'dashboard' ? 'dist/modules' : 'dist');
  return readdirSync(source, { recursive: true })
    .filter((name) => /(?<!\.d)\.tsx?$|\.json$/.test(name) && !name.endsWith('tsconfig.json'))
    .flatMap((name) => transpile(join(source, name), join(target, name).replace(/\.tsx?$/, '.js')));
}

function transpile(source, target) {
  const text = readFileSync(source, 'utf8');
  const { code, errors } = source.endsWith('.json')
    ? { code: text, errors: [] }
    : transformSync(source, text, OPTIONS);
  if (errors.length > 0)
    return errors.map(({ message }) => `${relative(root, source)}: ${message}`);
  // A server that runs from these files does not see unchanged ones replaced.
  if (existsSync(target) && readFileSync(target, 'utf8') === code) return [];
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, code);
  return [];
}
