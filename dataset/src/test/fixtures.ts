/** Real files of the feeds, which lie beside the repository and never in it. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = process.env['WHENCE_FIXTURES'] ?? fileURLToPath(new URL('../../../../shared/feeds', import.meta.url));

/** The path of a fixture, or undefined where the folder is absent. */
export function fixture(path: string): string | undefined {
  return existsSync(folder) ? resolve(folder, path) : undefined;
}

export const NO_FIXTURES = 'the folder shared/feeds is not beside the repository';
