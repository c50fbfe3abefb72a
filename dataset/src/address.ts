// IP addresses: strict text to words, words to canonical text. Only the dotted quad and the forms
// of RFC 4291 §2.2; an IPv4-mapped address (§2.5.5.2) is the IPv4 address in it. Text may be bytes:
// a string per address would cost as much as the lookup (136 ns instead of 50). Words are signed,
// because V8 stores unsigned ones above 2^31 on the heap: comparisons write `>>> 0`.
export type Address = {
  readonly version: 4 | 6;
  /** IPv4: the whole address. IPv6: the first of four words, in network order. */
  readonly w0: number;
  readonly w1: number;
  readonly w2: number;
  readonly w3: number;
};

/** Text is parsed as bytes: there is one grammar. */
export function parseAddress(text: string): Address | undefined {
  const { length } = text;
  if (length > MAX_BYTES) return undefined;
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i);
    if (code > MAX_ASCII) return undefined;
    textBytes[i] = code;
  }
  return parseAddressBytes(textBytes, 0, length);
}

export function parseAddressBytes(
  bytes: Uint8Array,
  start: number,
  end: number,
): Address | undefined {
  // Most are IPv4, and for the others parseIPv4Bytes returns within four bytes.
  return parseIPv4Bytes(bytes, start, end) ?? parseIPv6Bytes(bytes, start, end);
}

export function formatAddress(address: Address): string {
  return address.version === 4 ? formatIPv4(address.w0) : formatIPv6(address);
}

export function ipv4(word: number): Address {
  return { version: 4, w0: word | 0, w1: 0, w2: 0, w3: 0 };
}

export function ipv6(w0: number, w1: number, w2: number, w3: number): Address {
  return { version: 6, w0: w0 | 0, w1: w1 | 0, w2: w2 | 0, w3: w3 | 0 };
}

export function truncateAddress(address: Address, length: number): Address {
  if (address.version === 4) return ipv4(address.w0 & wordMask(length));
  return ipv6(
    address.w0 & wordMask(length),
    address.w1 & wordMask(length - 32),
    address.w2 & wordMask(length - 64),
    address.w3 & wordMask(length - 96),
  );
}

const DOT = 0x2e;
const COLON = 0x3a;
const ZERO = 0x30;
/** The longest valid text: an IPv6 address that ends in a dotted quad. */
const MAX_BYTES = 45;
const MAX_ASCII = 0x7f;
/** Written and read within one call, so one is enough. */
const textBytes = new Uint8Array(MAX_BYTES);

/**
 * The first `length` bits of a word. A shift by 32 is a shift by 0 in JavaScript, so both ends are
 * special cases.
 */
export function wordMask(length: number): number {
  if (length <= 0) return 0;
  return length >= 32 ? -1 : -1 << (32 - length);
}

/** Reads `d.d.d.d`. A leading zero is refused: some parsers read it as octal. */
export class QuadReader {
  word = 0;

  /**
   * The end of the quad at `start`: `to`, or a byte that is neither a digit nor a dot. -1 if there
   * is none.
   */
  read(bytes: Uint8Array, start: number, to: number): number {
    let word = 0;
    let dots = 0;
    let octet = -1;
    let at = start;
    for (; at < to; at++) {
      const byte = bytes[at] as number;
      const digit = byte - ZERO;
      if (digit >= 0 && digit <= 9) {
        if (octet === 0) return -1;
        octet = octet < 0 ? digit : octet * 10 + digit;
        if (octet > 255) return -1;
        continue;
      }
      if (byte !== DOT) break;
      if (octet < 0 || dots === 3) return -1;
      word = (word << 8) | octet;
      dots++;
      octet = -1;
    }
    if (dots !== 3 || octet < 0) return -1;
    this.word = (word << 8) | octet;
    return at;
  }
}

const quadReader = new QuadReader();

export function parseIPv4Bytes(bytes: Uint8Array, start: number, end: number): Address | undefined {
  return quadReader.read(bytes, start, end) === end ? ipv4(quadReader.word) : undefined;
}

/**
 * Groups are shifted into w0..w3. At `::` they move to h0..h3, which are combined with those after
 * it at the end.
 */
function parseIPv6Bytes(bytes: Uint8Array, from: number, end: number): Address | undefined {
  if (end - from > MAX_BYTES || end - from < 2) return undefined;
  let w0 = 0;
  let w1 = 0;
  let w2 = 0;
  let w3 = 0;
  let h0 = 0;
  let h1 = 0;
  let h2 = 0;
  let h3 = 0;
  let count = 0;
  let gap = -1;
  let i = from;
  if (bytes[i] === COLON) {
    if (bytes[i + 1] !== COLON) return undefined;
    gap = 0;
    i += 2;
  }
  while (i < end) {
    let group = 0;
    let byte = 0;
    const start = i;
    for (; i < end; i++) {
      byte = bytes[i] as number;
      const digit = hexDigit(byte);
      if (digit < 0) break;
      group = (group << 4) | digit;
    }
    const digits = i - start;
    const isAtEnd = i === end;
    if (!isAtEnd && byte === DOT) {
      const quad = count <= 6 ? parseIPv4Bytes(bytes, start, end) : undefined;
      if (quad === undefined) return undefined;
      w0 = w1;
      w1 = w2;
      w2 = w3;
      w3 = quad.w0;
      count += 2;
      break;
    }
    if (digits === 0 || digits > 4 || count === 8) return undefined;
    w0 = (w0 << 16) | (w1 >>> 16);
    w1 = (w1 << 16) | (w2 >>> 16);
    w2 = (w2 << 16) | (w3 >>> 16);
    w3 = (w3 << 16) | group;
    count++;
    if (isAtEnd) break;
    if (byte !== COLON) return undefined;
    i++;
    if (i === end) return undefined;
    if (bytes[i] === COLON) {
      if (gap >= 0) return undefined;
      gap = count;
      h0 = w0;
      h1 = w1;
      h2 = w2;
      h3 = w3;
      w0 = 0;
      w1 = 0;
      w2 = 0;
      w3 = 0;
      i++;
    }
  }
  if (gap < 0) {
    if (count !== 8) return undefined;
  } else {
    if (count > 7) return undefined;
    for (let shift = gap; shift < 8; shift++) {
      h0 = (h0 << 16) | (h1 >>> 16);
      h1 = (h1 << 16) | (h2 >>> 16);
      h2 = (h2 << 16) | (h3 >>> 16);
      h3 <<= 16;
    }
    w0 |= h0;
    w1 |= h1;
    w2 |= h2;
    w3 |= h3;
  }
  return (w0 | w1) === 0 && w2 === 0xffff ? ipv4(w3) : ipv6(w0, w1, w2, w3);
}

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

const DECIMAL = Array.from({ length: 256 }, (_, octet) => String(octet));
const HEXADECIMAL = Array.from({ length: 256 }, (_, octet) => octet.toString(16));
const TWO_DIGITS = HEXADECIMAL.map((digits) => digits.padStart(2, '0'));

function formatIPv4(word: number): string {
  return `${DECIMAL[word >>> 24]}.${DECIMAL[(word >>> 16) & 255]}.${DECIMAL[(word >>> 8) & 255]}.${DECIMAL[word & 255]}`;
}

/** RFC 5952 §4: no leading zeros, lower case, `::` for the longest run of zero groups. */
function formatIPv6(address: Address): string {
  const { start, length } = longestZeroRun(address);
  let text = start === 0 ? ':' : '';
  for (let i = 0; i < 8; i++) {
    if (i === start) {
      text += ':';
      i += length - 1;
      continue;
    }
    const group = groupAt(address, i);
    text +=
      group < 256
        ? HEXADECIMAL[group]
        : (HEXADECIMAL[group >>> 8] as string) + TWO_DIGITS[group & 255];
    if (i < 7) text += ':';
  }
  return text;
}

export function groupAt({ w0, w1, w2, w3 }: Address, i: number): number {
  let word = w3;
  if (i < 2) word = w0;
  else if (i < 4) word = w1;
  else if (i < 6) word = w2;
  return (i & 1) === 0 ? word >>> 16 : word & 0xffff;
}

/**
 * RFC 5952 §4.2.2, §4.2.3: the first of the longest runs of two or more zero groups; start 8 if
 * there is none.
 */
export function longestZeroRun(address: Address): { start: number; length: number } {
  let start = 8;
  let length = 1;
  let run = 0;
  for (let i = 0; i < 8; i++) {
    run = groupAt(address, i) === 0 ? run + 1 : 0;
    if (run > length) {
      start = i - run + 1;
      length = run;
    }
  }
  return { start, length };
}

export function compareWords(
  a: ArrayLike<number>,
  aAt: number,
  b: ArrayLike<number>,
  bAt: number,
  count: number,
): number {
  for (let i = 0; i < count; i++) {
    const difference = (a[aAt + i] as number) - (b[bAt + i] as number);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** One word (IPv4) or four, in network order: lists of ranges keep them in typed arrays. */
export function wordsOfAddress({ version, w0, w1, w2, w3 }: Address): number[] {
  return version === 4 ? [w0 >>> 0] : [w0 >>> 0, w1 >>> 0, w2 >>> 0, w3 >>> 0];
}

/** Leading bits that both addresses have in common. */
export function sharedBits(a: Address, b: Address): number {
  if (a.w0 !== b.w0) return Math.clz32(a.w0 ^ b.w0);
  if (a.w1 !== b.w1) return 32 + Math.clz32(a.w1 ^ b.w1);
  if (a.w2 !== b.w2) return 64 + Math.clz32(a.w2 ^ b.w2);
  return 96 + Math.clz32(a.w3 ^ b.w3);
}
