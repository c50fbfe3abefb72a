// Builds the pages of the dashboard from the sources, into server/dashboard-dist: beside the old
// ones until they are complete. A server that was started before loads them then
// (server/src/dashboard/pages).
import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isUnchanged, noteInputs } from './inputs.mjs';

const root = join(import.meta.dirname, '..');
const dashboard = join(root, 'dashboard');
export const PAGES = join(root, 'server/dashboard-dist');

export function arePagesBuilt() {
  return existsSync(join(PAGES, 'index.html')) && isUnchanged('pages');
}

export async function buildPages() {
  const { build } = await import(
    pathToFileURL(createRequire(join(dashboard, 'package.json')).resolve('vite')).href
  );
  const startedMs = Date.now();
  const unfinished = `${PAGES}.${process.pid}`;
  const modules = new Set();
  const note = {
    name: 'whence:inputs',
    buildEnd() {
      for (const id of this.getModuleIds()) modules.add(id.replace(/^\0/, '').split('?', 1)[0]);
    },
  };
  try {
    await build({
      root: dashboard,
      plugins: [note],
      build: { outDir: unfinished, emptyOutDir: true },
    });
    rmSync(PAGES, { recursive: true, force: true });
    renameSync(unfinished, PAGES);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  // Workers of the pages are built apart, and their modules are not among those.
  for (const path of ['src', 'public', 'index.html', 'vite.config.ts'].flatMap(filesOf))
    modules.add(path);
  for (const path of ['package-lock.json', '.ci/pages.mjs']) modules.add(join(root, path));
  // Some are parts of the bundler, and no files.
  const inputs = [...modules].filter((path) => existsSync(path));
  noteInputs('pages', inputs, startedMs);
}

function filesOf(name) {
  const path = join(dashboard, name);
  if (!statSync(path).isDirectory()) return [path];
  const entries = readdirSync(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

if (process.argv[1] === import.meta.filename && !arePagesBuilt()) await buildPages();
