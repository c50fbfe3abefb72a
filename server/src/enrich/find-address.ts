/**
 * Addresses in text that was written for people. The rule, which docs/enrich.md repeats:
 *
 *   A word is a run of ASCII letters, digits and . : % _ - + ~ ; everything else ends it, bytes above ASCII included. A word is an
 *   address when all of it is one, after taking off
 *     - one `.` or `:` at its end, as a sentence has it,
 *     - a port of one to five digits after an IPv4 address (IPv6 has its port behind a bracket, which ends the word),
 *     - a name and a colon before it, where the name has a letter beyond f: `addr:192.0.2.1`, `src:2001:db8::1`.
 *   So 1.2.3.4.5, 10.1.2.3-beta and v1.2.3.4 are none. Nor are
 *     - a dotted quad without port right behind `name/`: that is how agents write versions (`Chrome/120.0.0.0`),
 *     - colons without any digit (`::`, `dead::beef`): names in programs look like that,
 *     - eight groups of exactly two digits: an EUI-64 or a piece of a fingerprint.
 */
import type { Address } from '@whence/dataset/address';
import { parseAddressBytes, parseIPv4Bytes } from '@whence/dataset/address-bytes';

const DOT = 0x2e;
const COLON = 0x3a;
const SLASH = 0x2f;
const MAX_PORT_DIGITS = 5;
/** The longest address (45), its port or colon, and a name of reasonable length before it. */
const MAX_WORD_BYTES = 110;
const EUI64_BYTES = 23;

// What a byte adds to the count of dots and colons in a word; -1 ends the word. One addition per byte is all that most text costs.
const ENDS_WORD = -1;
const ONE_COLON = 0x10000;
const MARKS = Int32Array.from({ length: 256 }, (_, byte) => {
  if (byte === DOT) return 1;
  if (byte === COLON) return ONE_COLON;
  return /[A-Za-z0-9%_+~-]/.test(String.fromCharCode(byte)) ? 0 : ENDS_WORD;
});
const DOTS_OF_A_QUAD = 3;

export class AddressFinder {
  /** Behind the word in which the last address was found: where to look for the next one. */
  end = 0;

  next(bytes: Buffer, from: number, to: number): Address | undefined {
    let at = from;
    while (at < to) {
      let mark = MARKS[bytes[at] as number] as number;
      if (mark === ENDS_WORD) {
        at++;
        continue;
      }
      const start = at;
      let marks = 0;
      do {
        marks += mark;
        at++;
        if (at === to) break;
        mark = MARKS[bytes[at] as number] as number;
      } while (mark !== ENDS_WORD);
      if (marks < DOTS_OF_A_QUAD || at - start > MAX_WORD_BYTES) continue;
      const address = addressOfWord(bytes, start, at, from);
      if (address === undefined) continue;
      this.end = at;
      return address;
    }
    return undefined;
  }
}

/** `from` is where the text begins: what lies before it is not looked at. */
function addressOfWord(bytes: Buffer, start: number, end: number, from: number): Address | undefined {
  const address = addressBeforeStop(bytes, start, end, from);
  if (address !== undefined) return address;
  const afterName = skipName(bytes, start, end);
  return afterName < 0 ? undefined : addressBeforeStop(bytes, afterName, end, from);
}

function addressBeforeStop(bytes: Buffer, start: number, end: number, from: number): Address | undefined {
  const address = addressWithPort(bytes, start, end, from);
  if (address !== undefined) return address;
  const last = bytes[end - 1];
  return last === DOT || last === COLON ? addressWithPort(bytes, start, end - 1, from) : undefined;
}

function addressWithPort(bytes: Buffer, start: number, end: number, from: number): Address | undefined {
  let colon = start;
  while (colon < end && bytes[colon] !== COLON) colon++;
  if (colon === end) return isBehindNameAndSlash(bytes, start, from) ? undefined : parseIPv4Bytes(bytes, start, end);
  const quad = isPort(bytes, colon + 1, end) ? parseIPv4Bytes(bytes, start, colon) : undefined;
  if (quad !== undefined) return quad;
  return hasDigit(bytes, start, end) && !isEui64(bytes, start, end) ? parseAddressBytes(bytes, start, end) : undefined;
}

function isBehindNameAndSlash(bytes: Buffer, start: number, from: number): boolean {
  return start >= from + 2 && bytes[start - 1] === SLASH && MARKS[bytes[start - 2] as number] !== ENDS_WORD;
}

/** The position behind `name:`, or -1. A name without a letter beyond f could be a group of the address. */
function skipName(bytes: Buffer, start: number, end: number): number {
  let isName = false;
  for (let i = start; i < end; i++) {
    const byte = bytes[i] as number;
    if (byte === COLON) return isName ? i + 1 : -1;
    if (byte === DOT) return -1;
    const lower = byte | 0x20;
    if (lower > 0x66 && lower <= 0x7a) isName = true;
  }
  return -1;
}

function isPort(bytes: Buffer, start: number, end: number): boolean {
  if (end === start || end - start > MAX_PORT_DIGITS) return false;
  for (let i = start; i < end; i++) if (!isDigit(bytes[i] as number)) return false;
  return true;
}

function hasDigit(bytes: Buffer, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if (isDigit(bytes[i] as number)) return true;
  return false;
}

function isEui64(bytes: Buffer, start: number, end: number): boolean {
  if (end - start !== EUI64_BYTES) return false;
  for (let i = start + 2; i < end; i += 3) if (bytes[i] !== COLON) return false;
  return true;
}

const isDigit = (byte: number) => byte >= 0x30 && byte <= 0x39;
