/** Real feed files, in a folder next to the repository. They are never committed. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = process.env['WHENCE_FIXTURES'] ?? fileURLToPath(new URL('../../../../shared/feeds', import.meta.url));

/** The path of a fixture, or undefined where the folder is missing. */
export function fixture(path: string): string | undefined {
  return existsSync(folder) ? resolve(folder, path) : undefined;
}

export const NO_FIXTURES = 'there is no folder shared/feeds next to the repository';
