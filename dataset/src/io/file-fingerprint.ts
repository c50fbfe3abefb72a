/** Tells whether a file may have changed since it was last read, without reading it. */
import { createHash } from 'node:crypto';
import { type Stats, statSync } from 'node:fs';

/** Modification time, size and inode, which differs if a file was replaced within a tick of the clock. */
export function fingerprintOf({ mtimeMs, size, ino }: Pick<Stats, 'mtimeMs' | 'size' | 'ino'>): string {
  return `${mtimeMs} ${size} ${ino}`;
}

/** Empty if there is no such file. */
export function fileFingerprint(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? '' : fingerprintOf(stat);
}

/** 32 bits in hexadecimal, which a metric can have as a number. */
export function checksumOf(contents: readonly (Uint8Array | string)[]): string {
  const hash = createHash('sha256');
  for (const content of contents) hash.update(content).update('\0');
  return hash.digest('hex').slice(0, 8);
}
