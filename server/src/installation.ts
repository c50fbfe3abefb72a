/** Where this program lies: in a clone of the repository, or installed from the package that `.ci/pack.mjs` makes. */
import { existsSync } from 'node:fs';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';

const SERVER = join(import.meta.dirname, '..');

/** Only the package has it: a data directory with the compiled dataset, and the files from which it was compiled. */
export const EMBEDDED = join(SERVER, 'embedded');

const CLONE = !existsSync(EMBEDDED) && existsSync(join(SERVER, '../package.json')) ? resolve(SERVER, '..') : undefined;

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
