/** The version of this package, for `whence --version` and documents of a server. */
import { readFileSync } from 'node:fs';

/** Read when the program is loaded: an upgrade replaces the file under a running server. */
const VERSION: string = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
).version;

export const packageVersion = (): string => VERSION;
