import { createHash } from 'node:crypto';

/** 32 bits in hexadecimal, which a metric can have as a number. */
export function checksumOf(contents: readonly (Uint8Array | string)[]): string {
  const hash = createHash('sha256');
  for (const content of contents) hash.update(content).update('\0');
  return hash.digest('hex').slice(0, 8);
}
