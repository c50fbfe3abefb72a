/**
 * IP addresses: strict text to words, words to canonical text.
 *
 * Only the full dotted quad and the RFC 4291 §2.2 forms are taken. `net.isIP` is not used: it lets zone ids
 * (`fe80::1%eth0`) through, and the words are needed anyway. An IPv4-mapped address (RFC 4291 §2.5.5.2) is the
 * IPv4 address it carries.
 *
 * Words are signed 32-bit: V8 keeps those as small integers, where an unsigned word above 2^31 would be a heap
 * number for each field. Readers that compare them write `>>> 0`.
 */
export type Address = {
  readonly version: 4 | 6;
  /** IPv4: the whole address. IPv6: the first of four words, in network order. */
  readonly w0: number;
  readonly w1: number;
  readonly w2: number;
  readonly w3: number;
};

export function parseAddress(text: string): Address | undefined {
  // The longest text is an IPv6 address that ends in a dotted quad. Anything longer need not be read.
  if (text.length > 45) return undefined;
  for (let i = 0; i < 5; i++) if (text.charCodeAt(i) === COLON) return parseIPv6(text);
  return parseIPv4(text);
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

/** The address with every bit after the first `length` cleared: the base of the prefix it lies in. */
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

// A shift by 32 is a shift by 0 in JavaScript, hence the two ends by hand.
function wordMask(length: number): number {
  return length <= 0 ? 0 : length >= 32 ? -1 : -1 << (32 - length);
}

function parseIPv4(text: string): Address | undefined {
  const word = parseQuad(text, 0);
  return word === NOT_A_QUAD ? undefined : ipv4(word);
}

// No 32-bit word is 2^32, so it can say "not a quad" without a second return value.
const NOT_A_QUAD = 0x100000000;

/** Reads `d.d.d.d` from `start` to the end of the text. A leading zero is refused: some parsers take it for octal. */
function parseQuad(text: string, start: number): number {
  let word = 0;
  let dots = 0;
  let octet = -1;
  for (let i = start; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === DOT) {
      if (octet < 0 || dots === 3) return NOT_A_QUAD;
      word = (word << 8) | octet;
      dots++;
      octet = -1;
      continue;
    }
    const digit = code - ZERO;
    if (digit < 0 || digit > 9 || octet === 0) return NOT_A_QUAD;
    octet = octet < 0 ? digit : octet * 10 + digit;
    if (octet > 255) return NOT_A_QUAD;
  }
  return dots === 3 && octet >= 0 ? (word << 8) | octet : NOT_A_QUAD;
}

function parseIPv6(text: string): Address | undefined {
  // The first `gap` groups stand before `::`, the rest are moved to the end. Two 16-bit groups make a word.
  const groups = [0, 0, 0, 0, 0, 0, 0, 0];
  let count = 0;
  let gap = -1;
  let i = 0;
  if (text.charCodeAt(0) === COLON) {
    if (text.charCodeAt(1) !== COLON) return undefined;
    gap = 0;
    i = 2;
  }
  while (i < text.length) {
    if (count === 8) return undefined;
    let group = 0;
    const start = i;
    let code = 0;
    while (i < text.length) {
      code = text.charCodeAt(i);
      const digit = hexDigit(code);
      if (digit < 0) break;
      group = (group << 4) | digit;
      i++;
    }
    const digits = i - start;
    if (i < text.length && code === DOT) {
      const word = count <= 6 ? parseQuad(text, start) : NOT_A_QUAD;
      if (word === NOT_A_QUAD) return undefined;
      groups[count++] = word >>> 16;
      groups[count++] = word & 0xffff;
      break;
    }
    if (digits === 0 || digits > 4) return undefined;
    groups[count++] = group;
    if (i === text.length) break;
    if (code !== COLON) return undefined;
    i++;
    if (text.charCodeAt(i) === COLON) {
      if (gap >= 0) return undefined;
      gap = count;
      i++;
    } else if (i === text.length) return undefined;
  }
  if (gap < 0 ? count !== 8 : count > 7) return undefined;
  if (gap >= 0) {
    const missing = 8 - count;
    for (let g = 7; g >= gap; g--) groups[g] = g - missing >= gap ? (groups[g - missing] as number) : 0;
  }
  const word = (at: number) => ((groups[at] as number) << 16) | (groups[at + 1] as number);
  const w0 = word(0);
  const w1 = word(2);
  const w2 = word(4);
  const w3 = word(6);
  return (w0 | w1) === 0 && w2 === 0xffff ? ipv4(w3) : ipv6(w0, w1, w2, w3);
}

function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

function formatIPv4(word: number): string {
  return `${word >>> 24}.${(word >>> 16) & 255}.${(word >>> 8) & 255}.${word & 255}`;
}

/** RFC 5952 §4: no leading zeros, lower case, `::` for the longest run of two or more zero groups, the first of equals. */
function formatIPv6({ w0, w1, w2, w3 }: Address): string {
  const groups = [w0 >>> 16, w0 & 0xffff, w1 >>> 16, w1 & 0xffff, w2 >>> 16, w2 & 0xffff, w3 >>> 16, w3 & 0xffff];
  let runStart = -1;
  let runLength = 1;
  for (let i = 0; i < 8; i++) {
    let end = i;
    while (end < 8 && groups[end] === 0) end++;
    if (end - i > runLength) {
      runStart = i;
      runLength = end - i;
    }
    i = Math.max(i, end - 1);
  }
  let text = '';
  for (let i = 0; i < 8; i++) {
    if (i === runStart) {
      text += '::';
      i += runLength - 1;
      continue;
    }
    if (i > 0 && i !== runStart + runLength) text += ':';
    text += (groups[i] as number).toString(16);
  }
  return text;
}
