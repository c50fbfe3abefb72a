/**
 * Writes a record as JSON into a buffer that the caller reuses: the text of `Dataset.json` without making strings. For
 * answers with hundreds of records, where allocating strings costs more than everything else.
 */
import { type Address, groupAt, longestZeroRun, truncateAddress, wordMask } from '../address.ts';
import { type Match, prefixLength, recordNumber } from './format.ts';
import type { Dataset } from './read.ts';

const SLASH = 0x2f;
const CLOSE = 0x7d;
const ZERO = 0x30;
const DOT = 0x2e;
const COLON = 0x3a;
const HEXADECIMAL = '0123456789abcdef';

/** ASCII text in words of four bytes, the last one filled up: a third faster to write than byte by byte. */
type Words = { readonly words: Uint32Array; readonly length: number };

function inWords(text: string): Words {
  const bytes = Buffer.alloc(Math.ceil(text.length / 4) * 4, text);
  const words = Uint32Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readUInt32LE(i * 4));
  return { words, length: text.length };
}

const BEFORE_IP = inWords('{"ip":"');
const BEFORE_PREFIX = inWords('","prefix":"');
const BEFORE_ASN = inWords('","asn":');
const BEFORE_NAME = inWords(',"asn_name":"');
const BEFORE_TAIL = inWords('",');

/** The maximum size of everything in a record except the name and the two pieces of the tail after the country. */
const FRAME_BYTES = 256;

/** An upper bound for the size of the record. */
export function recordBytes(dataset: Dataset, match: Match): number {
  const kept = dataset.recordTexts.find(recordNumber(match));
  if (kept !== undefined) return FRAME_BYTES + kept.length;
  const face = dataset.faceOf(match);
  const tail = dataset.facePiece(face, 1).length + dataset.facePiece(face, 2).length;
  return FRAME_BYTES + dataset.nameLengthAt(dataset.rowOf(match)) + tail;
}

/** Writes at offset `at` and returns the offset after the record. The buffer must have room for `recordBytes`. */
export function writeRecord(dataset: Dataset, address: Address, match: Match, target: Buffer, at: number): number {
  const length = prefixLength(match);
  let end = writeWords(BEFORE_IP, target, at);
  if (address.version === 4) {
    end = writeIPv4(address.w0, target, end);
    end = writeWords(BEFORE_PREFIX, target, end);
    end = writeIPv4(address.w0 & wordMask(length), target, end);
  } else {
    end = writeIPv6(address, target, end);
    end = writeWords(BEFORE_PREFIX, target, end);
    end = writeIPv6(truncateAddress(address, length), target, end);
  }
  target[end++] = SLASH;
  end = writeOctet(length, target, end);
  const record = recordNumber(match);
  const kept = dataset.recordTexts.find(record);
  if (kept !== undefined) {
    target.set(kept, end);
    return end + kept.length;
  }
  const start = end;
  end = writeFromAsn(dataset, match, target, start);
  dataset.recordTexts.offer(record, target, start, end);
  return end;
}

/** The part of the text that does not depend on the address. */
function writeFromAsn(dataset: Dataset, match: Match, target: Buffer, at: number): number {
  let end = writeWords(BEFORE_ASN, target, at);
  const row = dataset.rowOf(match);
  end = writeNumber(dataset.asnNumberAt(row), target, end);
  end = writeWords(BEFORE_NAME, target, end);
  const nameStart = dataset.nameStartAt(row);
  end = writeRange(dataset.nameBytes, nameStart, nameStart + dataset.nameLengthAt(row), target, end);
  end = writeWords(BEFORE_TAIL, target, end);
  const face = dataset.faceOf(match);
  const country = dataset.facePiece(face, 0);
  end = writeRange(country, 0, country.length, target, end);
  const network = dataset.facePiece(face, 1);
  target.set(network, end);
  end += network.length;
  const threat = dataset.facePiece(face, 2);
  target.set(threat, end);
  end += threat.length;
  target[end++] = CLOSE;
  return end;
}

/** Bytes that fill up the last word are written too: the next piece is written over them. */
function writeWords({ words, length }: Words, target: Buffer, at: number): number {
  for (let i = 0, to = at; i < words.length; i++, to += 4) {
    const word = words[i] as number;
    target[to] = word;
    target[to + 1] = word >>> 8;
    target[to + 2] = word >>> 16;
    target[to + 3] = word >>> 24;
  }
  return at + length;
}

/** For short pieces a loop is faster than a native copy. */
export function writePiece(piece: Buffer, target: Buffer, at: number): number {
  return writeRange(piece, 0, piece.length, target, at);
}

export function writeRange(source: Uint8Array, start: number, end: number, target: Buffer, at: number): number {
  for (let i = start; i < end; i++) target[at++] = source[i] as number;
  return at;
}

/** The text of `formatAddress`: at most 39 bytes. */
export function writeAddress(address: Address, target: Buffer, at: number): number {
  return address.version === 4 ? writeIPv4(address.w0, target, at) : writeIPv6(address, target, at);
}

function writeIPv4(word: number, target: Buffer, at: number): number {
  at = writeOctet(word >>> 24, target, at);
  target[at++] = DOT;
  at = writeOctet((word >>> 16) & 255, target, at);
  target[at++] = DOT;
  at = writeOctet((word >>> 8) & 255, target, at);
  target[at++] = DOT;
  return writeOctet(word & 255, target, at);
}

function writeIPv6(address: Address, target: Buffer, at: number): number {
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

/** Per octet its digits, the first in the lowest byte, and their number in the highest: no division, no branch. */
const OCTETS = Uint32Array.from({ length: 256 }, (_, octet) => {
  const text = String(octet);
  return [...text].reduce((packed, digit, i) => packed | (digit.charCodeAt(0) << (8 * i)), text.length << 24);
});

/** Writes three bytes, of which only the digits count: the next piece is written over the others. */
function writeOctet(value: number, target: Buffer, at: number): number {
  const packed = OCTETS[value] as number;
  target[at] = packed;
  target[at + 1] = packed >>> 8;
  target[at + 2] = packed >>> 16;
  return at + (packed >>> 24);
}

/** A non-negative integer in decimal. */
export function writeNumber(value: number, target: Buffer, at: number): number {
  let digits = 1;
  for (let power = 10; power <= value; power *= 10) digits++;
  for (let i = at + digits - 1; i >= at; i--) {
    target[i] = ZERO + (value % 10);
    value = Math.floor(value / 10);
  }
  return at + digits;
}
