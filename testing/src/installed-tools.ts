/** What `npm run test:tools` installs for the full tier of tests and the benchmarks. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, '../tools');

/** Packages of npm, with a lock file of their own. */
export const toolRequire = createRequire(join(FOLDER, 'package.json'));

/** A command of one of these packages. */
export function toolCommand(name: string): string {
  return join(FOLDER, 'node_modules/.bin', name);
}

/** Where Debian packages are unpacked that are not installed in the system. */
export const UNPACKED_TOOLS = join(FOLDER, 'programs');

/** Why a test cannot use a package; false if it can. */
export function missingTool(name: string): string | false {
  return existsSync(join(FOLDER, 'node_modules', name))
    ? false
    : `${name} is not installed (npm run test:tools)`;
}
