// ASCII text written into a reused buffer: in answers with hundreds of records, strings cost more
// than the rest.
import { type Address, groupAt, longestZeroRun } from '../../address.ts';

const ZERO = 0x30;
const DOT = 0x2e;
const COLON = 0x3a;
const HEXADECIMAL = '0123456789abcdef';

/**
 * ASCII text in words of four bytes, the last one filled up: a third faster to write than byte by
 * byte.
 */
type Words = { readonly words: Uint32Array; readonly length: number };

export function inWords(text: string): Words {
  const bytes = Buffer.alloc(Math.ceil(text.length / 4) * 4, text);
  const words = Uint32Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readUInt32LE(i * 4));
  return { words, length: text.length };
}

/** Bytes that fill up the last word are written too: the next text is written over them. */
export function writeWords({ words, length }: Words, target: Buffer, at: number): number {
  for (let i = 0, to = at; i < words.length; i++, to += 4) {
    const word = words[i] as number;
    target[to] = word;
    target[to + 1] = word >>> 8;
    target[to + 2] = word >>> 16;
    target[to + 3] = word >>> 24;
  }
  return at + length;
}

/** For short texts a loop is faster than a native copy. */
export function writeText(text: Buffer, target: Buffer, at: number): number {
  return writeRange(text, 0, text.length, target, at);
}

export function writeRange(
  source: Uint8Array,
  start: number,
  end: number,
  target: Buffer,
  at: number,
): number {
  for (let i = start; i < end; i++) target[at++] = source[i] as number;
  return at;
}

/** The text of `formatAddress`: at most 39 bytes. */
export function writeAddress(address: Address, target: Buffer, at: number): number {
  return address.version === 4 ? writeIPv4(address.w0, target, at) : writeIPv6(address, target, at);
}

export function writeIPv4(word: number, target: Buffer, at: number): number {
  at = writeOctet(word >>> 24, target, at);
  target[at++] = DOT;
  at = writeOctet((word >>> 16) & 255, target, at);
  target[at++] = DOT;
  at = writeOctet((word >>> 8) & 255, target, at);
  target[at++] = DOT;
  return writeOctet(word & 255, target, at);
}

export function writeIPv6(address: Address, target: Buffer, at: number): number {
  const { start, length } = longestZeroRun(address);
  if (start === 0) target[at++] = COLON;
  for (let i = 0; i < 8; i++) {
    if (i === start) {
      target[at++] = COLON;
      i += length - 1;
      continue;
    }
    const group = groupAt(address, i);
    if (group > 0xfff) target[at++] = HEXADECIMAL.charCodeAt(group >>> 12);
    if (group > 0xff) target[at++] = HEXADECIMAL.charCodeAt((group >>> 8) & 15);
    if (group > 0xf) target[at++] = HEXADECIMAL.charCodeAt((group >>> 4) & 15);
    target[at++] = HEXADECIMAL.charCodeAt(group & 15);
    if (i < 7) target[at++] = COLON;
  }
  return at;
}

/**
 * Per octet its digits, the first in the lowest byte, and their number in the highest: no division,
 * no branch.
 */
const OCTETS = Uint32Array.from({ length: 256 }, (_, octet) => {
  const text = String(octet);
  return [...text].reduce(
    (packed, digit, i) => packed | (digit.charCodeAt(0) << (8 * i)),
    text.length << 24,
  );
});

/** Per octet its digits and a dot, the first digit in the lowest byte, and their number. */
const OCTET_AND_DOT = Int32Array.from({ length: 256 }, (_, octet) => fourBytes(`${octet}.`));
const OCTET_BYTES = Uint8Array.from({ length: 256 }, (_, octet) => `${octet}.`.length);

/** The text of an IPv4 address. Writes up to two bytes beyond it. */
export function writeQuad(word: number, target: DataView, offset: number): number {
  let at = offset;
  let octet = word >>> 24;
  target.setInt32(at, OCTET_AND_DOT[octet] as number, true);
  at += OCTET_BYTES[octet] as number;
  octet = (word >>> 16) & 255;
  target.setInt32(at, OCTET_AND_DOT[octet] as number, true);
  at += OCTET_BYTES[octet] as number;
  octet = (word >>> 8) & 255;
  target.setInt32(at, OCTET_AND_DOT[octet] as number, true);
  at += OCTET_BYTES[octet] as number;
  octet = word & 255;
  target.setInt32(at, OCTET_AND_DOT[octet] as number, true);
  return at + (OCTET_BYTES[octet] as number) - 1;
}

/** Up to four characters of ASCII as a number, filled up with blanks, for `DataView.setInt32`. */
export function fourBytes(text: string): number {
  return Buffer.from(text.padEnd(4)).readInt32LE();
}

/** Eight characters of ASCII as a number, for `DataView.setFloat64`. */
export function eightBytes(text: string): number {
  return Buffer.from(text.padEnd(8)).readDoubleLE();
}

/** Writes three bytes, of which only the digits count: the next text is written over the others. */
export function writeOctet(value: number, target: Buffer, at: number): number {
  const packed = OCTETS[value] as number;
  target[at] = packed;
  target[at + 1] = packed >>> 8;
  target[at + 2] = packed >>> 16;
  return at + (packed >>> 24);
}

export function writeNumber(value: number, target: Buffer, at: number): number {
  let digits = 1;
  for (let power = 10; power <= value; power *= 10) digits++;
  for (let i = at + digits - 1; i >= at; i--) {
    target[i] = ZERO + (value % 10);
    value = Math.floor(value / 10);
  }
  return at + digits;
}

/**
 * JSON text with every character above ASCII written as \u, so that a character of a prepared
 * answer is one byte.
 */
export function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[^\0-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
