/** Request ids (UUID version 4, RFC 9562 §5.4) written as bytes. Random bytes are drawn for many ids at a time. */
import { randomFillSync } from 'node:crypto';

const ID_BYTES = 16;
const pool = Buffer.allocUnsafeSlow(ID_BYTES * 256);
let next = pool.length;

const HEX = Buffer.from('0123456789abcdef');
const HYPHEN = 0x2d;
export const REQUEST_ID_CHARACTERS = 36;

/** Writes a new id and returns the offset behind it. */
export function writeRequestId(target: Buffer, at: number): number {
  if (next === pool.length) {
    randomFillSync(pool);
    next = 0;
  }
  for (let i = 0; i < ID_BYTES; i++) {
    let byte = pool[next++] as number;
    if (i === 6) byte = (byte & 0x0f) | 0x40;
    else if (i === 8) byte = (byte & 0x3f) | 0x80;
    if (i === 4 || i === 6 || i === 8 || i === 10) target[at++] = HYPHEN;
    target[at++] = HEX[byte >>> 4] as number;
    target[at++] = HEX[byte & 15] as number;
  }
  return at;
}
