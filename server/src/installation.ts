/**
 * Where this program lies: in a clone of the repository, or installed from the package that
 * `.ci/pack.mjs` makes.
 */
import { existsSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';

/** `.ci/bundle.mjs` puts this module into a folder of `build`, the compiler into `dist`. */
const SERVER = packageAbove(import.meta.dirname);

/**
 * Only the package has it: a data directory with the compiled dataset, and the files from which it
 * was compiled.
 */
export const EMBEDDED = join(SERVER, 'embedded');

/** The pages of the dashboard. In a clone they may be built after the server has started. */
export const PAGES = join(SERVER, 'dashboard-dist');

const CLONE =
  !existsSync(EMBEDDED) && existsSync(join(SERVER, '../package.json'))
    ? resolve(SERVER, '..')
    : undefined;

/** The clone whose program this is, if the working folder is inside it. */
export function cloneOfWorkingFolder(): string | undefined {
  if (CLONE === undefined) return undefined;
  const path = relative(CLONE, workingFolder());
  return path === '..' || path.startsWith(`..${sep}`) || isAbsolute(path) ? undefined : CLONE;
}

/** A folder that was removed while a shell is in it has no name. */
function workingFolder(): string {
  try {
    return process.cwd();
  } catch {
    return sep;
  }
}

function packageAbove(folder: string): string {
  if (existsSync(join(folder, 'bin/whence.js'))) return folder;
  const above = dirname(folder);
  if (above === folder)
    throw new Error('the package @whence/server is incomplete: it has no bin/whence.js');
  return packageAbove(above);
}
