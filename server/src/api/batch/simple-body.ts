/**
 * The body of a batch in its simple form, read as bytes: no string is made for an address. It is
 * JSON with `ips` as its only member and texts of visible ASCII without escapes, which are the same
 * bytes in the answer:
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
const DOT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const MEMBER = Buffer.from('"ips"');

/** Bytes that a text is made of. */
const isText = new Uint8Array(256).fill(1, 0x20, 0x7f);
isText[QUOTE] = 0;
isText[BACKSLASH] = 0;

const isSpace = new Uint8Array(256);
for (const byte of Buffer.from(' \t\n\r')) isSpace[byte] = 1;

const VALID_IPS: readonly string[] = [''];

/** Larger batches are refused, so the positions of their texts are not needed. */
export const MAX_TEXTS = Math.max(...Object.values(TIERS).map(({ batchSize }) => batchSize));

/** Length of the shortest text: two quotes and what follows. */
const LEAST_TEXT_BYTES = 3;

/**
 * FNV-1a. Texts that are chosen to collide cost at most a comparison with every text before: 2 ms
 * for the largest batch.
 */
const SEED = 0x811c9dc5 | 0;
const PRIME = 0x01000193;

export class Texts {
  readonly capacity: number;
  /** Offsets of the first byte and of the end. */
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  readonly isIpv4: Uint8Array;
  readonly words: Int32Array;

  constructor(bodyBytes: number) {
    this.capacity = Math.min(MAX_TEXTS, Math.ceil(bodyBytes / LEAST_TEXT_BYTES));
    this.starts = new Int32Array(this.capacity);
    this.ends = new Int32Array(this.capacity);
    this.isIpv4 = new Uint8Array(this.capacity);
    this.words = new Int32Array(this.capacity);
  }
}

export class SimpleBody {
  /** Satisfies the validator of the route's schema. */
  readonly ips = VALID_IPS;
  readonly bytes: Buffer;
  readonly count: number;
  readonly texts: Texts;

  constructor(bytes: Buffer, count: number, texts: Texts) {
    this.bytes = bytes;
    this.count = count;
    this.texts = texts;
  }
}

/**
 * Undefined unless the bytes have the simple form. Parses IPv4 on the way and writes positions to
 * `texts`.
 */
export function recogniseSimpleBody(
  bytes: Buffer,
  texts = new Texts(bytes.length),
): SimpleBody | undefined {
  let at = skipSpace(bytes, 0);
  if (bytes[at] !== OPEN) return undefined;
  at = skipSpace(bytes, at + 1);
  for (let i = 0; i < MEMBER.length; i++) if (bytes[at++] !== MEMBER[i]) return undefined;
  at = skipSpace(bytes, at);
  if (bytes[at] !== COLON) return undefined;
  at = skipSpace(bytes, at + 1);
  if (bytes[at] !== OPEN_LIST) return undefined;
  let count = 0;
  const { capacity, starts, ends, isIpv4, words } = texts;
  do {
    at = skipSpace(bytes, at + 1);
    if (bytes[at++] !== QUOTE) return undefined;
    const start = at;
    let byte = bytes[at] as number;
    let word = 0;
    let octets = 0;
    // The grammar of `parseIPv4Bytes`: four octets of one to three digits, without leading zeros.
    while (byte >= ZERO && byte <= NINE) {
      let octet = byte - ZERO;
      byte = bytes[++at] as number;
      if (octet !== 0 && byte >= ZERO && byte <= NINE) {
        octet = octet * 10 + byte - ZERO;
        byte = bytes[++at] as number;
        if (byte >= ZERO && byte <= NINE) {
          octet = octet * 10 + byte - ZERO;
          byte = bytes[++at] as number;
          if (octet > 255) break;
        }
      }
      word = (word << 8) | octet;
      octets++;
      if (byte !== DOT || octets === 4) break;
      byte = bytes[++at] as number;
    }
    const isAddress = octets === 4 && byte === QUOTE;
    while (isText[byte] === 1) byte = bytes[++at] as number;
    if (byte !== QUOTE) return undefined;
    if (count < capacity) {
      starts[count] = start;
      ends[count] = at;
      isIpv4[count] = isAddress ? 1 : 0;
      words[count] = word;
    }
    count++;
    at++;
    if (bytes[at] !== COMMA) at = skipSpace(bytes, at);
  } while (bytes[at] === COMMA);
  if (bytes[at] !== CLOSE_LIST) return undefined;
  at = skipSpace(bytes, at + 1);
  if (bytes[at] !== CLOSE) return undefined;
  return skipSpace(bytes, at + 1) === bytes.length
    ? new SimpleBody(bytes, count, texts)
    : undefined;
}

function skipSpace(bytes: Buffer, from: number): number {
  let at = from;
  while (isSpace[bytes[at] as number] === 1) at++;
  return at;
}

/** A power of two, more than twice the largest batch. */
const SLOTS = 4096;
/** Hash table of texts: their number, from 1. One for all calls, because no call waits. */
const seen = new Uint16Array(SLOTS);

export function forEachText(
  { bytes, count, texts }: SimpleBody,
  visit: (text: number) => void,
): void {
  const { isIpv4 } = texts;
  seen.fill(0);
  for (let text = 0; text < count; text++) {
    if (isIpv4[text] === 1 ? isFirstWord(texts, text) : isFirstText(bytes, texts, text))
      visit(text);
  }
}

/** An IPv4 address has one text, so its word identifies it. */
function isFirstWord({ words, isIpv4 }: Texts, text: number): boolean {
  const word = words[text] as number;
  let slot = Math.imul(word, PRIME) >>> 20;
  for (; seen[slot] !== 0; slot = (slot + 1) & (SLOTS - 1)) {
    const other = (seen[slot] as number) - 1;
    if (words[other] === word && isIpv4[other] === 1) return false;
  }
  seen[slot] = text + 1;
  return true;
}

function isFirstText(bytes: Buffer, { starts, ends }: Texts, text: number): boolean {
  const start = starts[text] as number;
  const end = ends[text] as number;
  let hash = SEED;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ (bytes[at] as number), PRIME);
  let slot = (hash ^ (hash >>> 16)) & (SLOTS - 1);
  for (; seen[slot] !== 0; slot = (slot + 1) & (SLOTS - 1)) {
    if (isSameText(bytes, starts[(seen[slot] as number) - 1] as number, start)) return false;
  }
  seen[slot] = text + 1;
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
