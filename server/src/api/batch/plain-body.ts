/**
 * The body of a batch in its plain form, read as bytes: no string is made for an address. It is JSON with `ips` as its
 * only member and texts of visible ASCII without escapes, which are the same bytes in the answer:
 *
 *   { "ips" : [ "<blanks and visible ASCII except " and \>" , … ] }      white space as in RFC 8259 §2, at least one text
 *
 * Any other body is parsed and validated as usual, and gets the same answer.
 */
import { TIERS } from '../../keys/tiers.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const MEMBER = Buffer.from('"ips"');

/** Bytes that a text is made of. */
const isText = new Uint8Array(256).fill(1, 0x20, 0x7f);
isText[QUOTE] = 0;
isText[BACKSLASH] = 0;

const isSpace = new Uint8Array(256);
for (const byte of Buffer.from(' \t\n\r')) isSpace[byte] = 1;

const VALID_IPS: readonly string[] = [''];

/** Larger batches are refused, so the positions of their texts are not needed. */
const MAX_TEXTS = Math.max(...Object.values(TIERS).map(({ batchSize }) => batchSize));

/** FNV-1a. Texts that are chosen to collide cost at most a comparison with every text before: 2 ms for the largest batch. */
const SEED = 0x811c9dc5 | 0;
const PRIME = 0x01000193;

export class PlainBody {
  /** Satisfies the validator of the route's schema. */
  readonly ips = VALID_IPS;
  readonly bytes: Buffer;
  /** Number of texts, duplicates included. */
  readonly count: number;
  /** Per text, up to MAX_TEXTS: offset of its first byte, offset of its end, hash. */
  readonly texts: Int32Array;

  constructor(bytes: Buffer, count: number, texts: Int32Array) {
    this.bytes = bytes;
    this.count = count;
    this.texts = texts;
  }
}

/** Undefined unless the bytes have the plain form. */
export function recognisePlainBody(bytes: Buffer): PlainBody | undefined {
  let at = skipSpace(bytes, 0);
  if (bytes[at] !== OPEN) return undefined;
  at = skipSpace(bytes, at + 1);
  for (let i = 0; i < MEMBER.length; i++) if (bytes[at++] !== MEMBER[i]) return undefined;
  at = skipSpace(bytes, at);
  if (bytes[at] !== COLON) return undefined;
  at = skipSpace(bytes, at + 1);
  if (bytes[at] !== OPEN_LIST) return undefined;
  let count = 0;
  const texts = new Int32Array(3 * MAX_TEXTS);
  do {
    at = skipSpace(bytes, at + 1);
    if (bytes[at++] !== QUOTE) return undefined;
    const start = at;
    let hash = SEED;
    let byte = bytes[at] as number;
    while (isText[byte] === 1) {
      hash = Math.imul(hash ^ byte, PRIME);
      byte = bytes[++at] as number;
    }
    if (byte !== QUOTE) return undefined;
    if (count < MAX_TEXTS) {
      texts[3 * count] = start;
      texts[3 * count + 1] = at;
      texts[3 * count + 2] = hash;
    }
    count++;
    at = skipSpace(bytes, at + 1);
  } while (bytes[at] === COMMA);
  if (bytes[at] !== CLOSE_LIST) return undefined;
  at = skipSpace(bytes, at + 1);
  if (bytes[at] !== CLOSE) return undefined;
  return skipSpace(bytes, at + 1) === bytes.length ? new PlainBody(bytes, count, texts) : undefined;
}

function skipSpace(bytes: Buffer, from: number): number {
  let at = from;
  while (isSpace[bytes[at] as number] === 1) at++;
  return at;
}

/** A power of two, more than twice the largest batch. */
const SLOTS = 4096;
/** Hash table of text offsets. One for all calls, because no call waits. */
const seen = new Int32Array(SLOTS);
/** Calls back for every distinct text of a plain body, in order, with the offsets of its first byte and its end. */
export function forEachText({ bytes, count, texts }: PlainBody, visit: (start: number, end: number) => void): void {
  seen.fill(0);
  for (let at = 0; at < 3 * count; at += 3) {
    const start = texts[at] as number;
    if (isFirst(bytes, start, texts[at + 2] as number)) visit(start, texts[at + 1] as number);
  }
}

function isFirst(bytes: Buffer, start: number, hash: number): boolean {
  let slot = (hash ^ (hash >>> 16)) & (SLOTS - 1);
  for (; seen[slot] !== 0; slot = (slot + 1) & (SLOTS - 1)) {
    if (isSameText(bytes, seen[slot] as number, start)) return false;
  }
  seen[slot] = start;
  return true;
}

/** Both end with a quote. */
function isSameText(bytes: Buffer, a: number, b: number): boolean {
  while (bytes[a] === bytes[b]) {
    if (bytes[a] === QUOTE) return true;
    a++;
    b++;
  }
  return false;
}
