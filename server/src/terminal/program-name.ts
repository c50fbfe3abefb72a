// The name this program was started under, for messages. `whence` is a builtin of zsh and ksh; `wh`
// works everywhere.
import { basename } from 'node:path';
import { cloneOfWorkingFolder } from '../installation.ts';

const NAMES = ['wh', 'whence'];

/**
 * npm links both names to one file, and Node keeps the link's name. Other ways to start it get the
 * shorter name.
 */
function programNameOf(path: string | undefined): string {
  return NAMES.find((name) => path !== undefined && name === basename(path)) ?? 'wh';
}

export const NAME = programNameOf(process.argv[1]);

/**
 * What to type to run a command. Outside of its clone, npx would fetch a package of another
 * project.
 */
export const PROGRAM = cloneOfWorkingFolder() === undefined ? NAME : 'npx wh';
