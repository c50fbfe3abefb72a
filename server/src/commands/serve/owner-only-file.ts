/** Secrets that a start leaves in the data directory for the person who runs the server. */
import { rmSync, writeFileSync } from 'node:fs';

/**
 * A line in a file that only its owner can read. A file of that name is replaced, not written to: it may be readable by
 * others, or be a link to a file elsewhere.
 */
export function writeOwnerOnlyFile(path: string, line: string): void {
  rmSync(path, { force: true });
  writeFileSync(path, `${line}\n`, { mode: 0o600, flag: 'wx', flush: true });
}
