// Finds addresses in free text, for `wh enrich` and for batches of the dashboard. The rule, also in
// docs/enrich.md:
//
//   A word is a run of ASCII letters, digits and . : % _ - + ~ ; any other byte ends it, including bytes above ASCII.
//   A word is an address if all of it parses as one, after removing
//     - one trailing `.` or `:`, as at the end of a sentence,
//     - a port of one to five digits after an IPv4 address (the port of IPv6 follows a bracket, which ends the word),
//     - a leading name and colon, if the name has a letter after f: `addr:192.0.2.1`, `src:2001:db8::1`.
//   So 1.2.3.4.5, 10.1.2.3-beta and v1.2.3.4 are not addresses. Also rejected:
//     - a dotted quad without a port directly after `name/`: user agents write versions like that (`Chrome/120.0.0.0`),
//     - colons without any digit (`::`, `dead::beef`): identifiers in source code look like that,
//     - eight groups of exactly two digits: an EUI-64 or part of a fingerprint.
import { type Address, ipv4, parseAddressBytes, parseIPv4Bytes, QuadReader } from './address.ts';

const DOT = 0x2e;
const COLON = 0x3a;
const SLASH = 0x2f;
const MAX_PORT_DIGITS = 5;
/** The longest address (45), its port or colon, and a leading name of reasonable length. */
const MAX_WORD_BYTES = 110;
const EUI64_BYTES = 23;
const MAX_QUAD_BYTES = 15;

// What a byte adds to the count of dots and colons in a word; -1 ends the word. Most text costs one
// addition per byte.
const ENDS_WORD = -1;
const ONE_COLON = 0x10000;
const MARKS = Int32Array.from({ length: 256 }, (_, byte) => {
  if (byte === DOT) return 1;
  if (byte === COLON) return ONE_COLON;
  return /[A-Za-z0-9%_+~-]/.test(String.fromCharCode(byte)) ? 0 : ENDS_WORD;
});
const QUAD_DOTS = 3;

type RejectionListener = (bytes: Uint8Array, start: number, end: number, from: number) => void;

export class AddressFinder {
  /** End of the word that held the last address; the search for the next one starts here. */
  end = 0;
  readonly #onRejected: RejectionListener | undefined;
  readonly #reader = new QuadReader();

  /** `onRejected` is called for words with enough dots or colons for an address. */
  constructor(onRejected?: RejectionListener) {
    this.#onRejected = onRejected;
  }

  next(bytes: Uint8Array, from: number, to: number): Address | undefined {
    let at = from;
    while (at < to) {
      let mark = MARKS[bytes[at] as number] as number;
      if (mark === ENDS_WORD) {
        at++;
        continue;
      }
      const start = at;
      if (isDigit(bytes[at] as number)) {
        const quad = this.#quad(bytes, start, to, from);
        if (quad !== undefined) return quad;
      }
      let marks = 0;
      do {
        marks += mark;
        at++;
        if (at === to) break;
        mark = MARKS[bytes[at] as number] as number;
      } while (mark !== ENDS_WORD);
      if (marks < QUAD_DOTS || at - start > MAX_WORD_BYTES) continue;
      // Three dots and no colon: there is no port, no name and nothing to remove, so it is no quad.
      const address = marks === QUAD_DOTS ? undefined : addressOfWord(bytes, start, at, from);
      if (address === undefined) {
        this.#onRejected?.(bytes, start, at, from);
        continue;
      }
      this.end = at;
      return address;
    }
    return undefined;
  }

  /** A word that is a dotted quad and nothing else, as most addresses are, in one pass. */
  #quad(bytes: Uint8Array, start: number, to: number, from: number): Address | undefined {
    const end = this.#reader.read(bytes, start, to);
    if (end < 0 || (end < to && MARKS[bytes[end] as number] !== ENDS_WORD)) return undefined;
    if (followsNameAndSlash(bytes, start, from)) return undefined;
    this.end = end;
    return ipv4(this.#reader.word);
  }
}

/** `from` is the start of the text; bytes before it are not read. */
function addressOfWord(
  bytes: Uint8Array,
  start: number,
  end: number,
  from: number,
): Address | undefined {
  const address = addressBeforePunctuation(bytes, start, end, from);
  if (address !== undefined) return address;
  const afterName = skipName(bytes, start, end);
  return afterName < 0 ? undefined : addressBeforePunctuation(bytes, afterName, end, from);
}

function addressBeforePunctuation(
  bytes: Uint8Array,
  start: number,
  end: number,
  from: number,
): Address | undefined {
  const address = addressWithPort(bytes, start, end, from);
  if (address !== undefined) return address;
  const last = bytes[end - 1];
  return last === DOT || last === COLON ? addressWithPort(bytes, start, end - 1, from) : undefined;
}

function addressWithPort(
  bytes: Uint8Array,
  start: number,
  end: number,
  from: number,
): Address | undefined {
  let colon = start;
  while (colon < end && bytes[colon] !== COLON) colon++;
  if (colon === end) return addressWithoutPort(bytes, start, end, from);
  const quad = isPort(bytes, colon + 1, end) ? parseIPv4Bytes(bytes, start, colon) : undefined;
  if (quad !== undefined) return quad;
  return hasDigit(bytes, start, end) && !isEui64(bytes, start, end)
    ? parseAddressBytes(bytes, start, end)
    : undefined;
}

function addressWithoutPort(
  bytes: Uint8Array,
  start: number,
  end: number,
  from: number,
): Address | undefined {
  return followsNameAndSlash(bytes, start, from) ? undefined : parseIPv4Bytes(bytes, start, end);
}

/** Whether a byte can be part of a word. A text may be cut after any other byte except a slash. */
export const isWordByte = (byte: number): boolean => MARKS[byte] !== ENDS_WORD;

/**
 * Four numbers of up to three digits, one above 255 or with a leading zero; not a version after
 * `name/`.
 */
export function isMistypedQuad(
  bytes: Uint8Array,
  start: number,
  end: number,
  from: number,
): boolean {
  if (end - start > MAX_QUAD_BYTES || followsNameAndSlash(bytes, start, from)) return false;
  let digits = 0;
  let dots = 0;
  for (let i = start; i < end; i++) {
    if (isDigit(bytes[i] as number)) {
      digits++;
      if (digits > 3) return false;
    } else if (bytes[i] === DOT && digits > 0) {
      dots++;
      digits = 0;
    } else return false;
  }
  return dots === QUAD_DOTS && digits > 0;
}

function followsNameAndSlash(bytes: Uint8Array, start: number, from: number): boolean {
  return (
    start >= from + 2 &&
    bytes[start - 1] === SLASH &&
    MARKS[bytes[start - 2] as number] !== ENDS_WORD
  );
}

/**
 * The position after `name:`, or -1. A name without a letter after f could be a group of the
 * address.
 */
function skipName(bytes: Uint8Array, start: number, end: number): number {
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

function isPort(bytes: Uint8Array, start: number, end: number): boolean {
  if (end === start || end - start > MAX_PORT_DIGITS) return false;
  for (let i = start; i < end; i++) if (!isDigit(bytes[i] as number)) return false;
  return true;
}

function hasDigit(bytes: Uint8Array, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if (isDigit(bytes[i] as number)) return true;
  return false;
}

function isEui64(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start !== EUI64_BYTES) return false;
  for (let i = start + 2; i < end; i += 3) if (bytes[i] !== COLON) return false;
  return true;
}

const isDigit = (byte: number) => byte >= 0x30 && byte <= 0x39;
