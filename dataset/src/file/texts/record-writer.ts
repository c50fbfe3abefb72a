/**
 * Writes a record as JSON into a buffer that the caller reuses: the text of `Dataset.json` without
 * making strings.
 */
import { type Address, truncateAddress, wordMask } from '../../address.ts';
import { type Match, prefixLength, recordNumber } from '../match.ts';
import type { Dataset } from '../read.ts';
import {
  eightBytes,
  fourBytes,
  inWords,
  writeIPv4,
  writeIPv6,
  writeNumber,
  writeOctet,
  writeQuad,
  writeRange,
  writeWords,
} from './ascii-writer.ts';

const SLASH = 0x2f;
const CLOSE = 0x7d;

const BEFORE_IP = inWords('{"ip":"');
const BEFORE_PREFIX = inWords('","prefix":"');
const BEFORE_ASN = inWords('","asn":');
const BEFORE_NAME = inWords(',"asn_name":"');
const BEFORE_ATTRIBUTES = inWords('",');

/**
 * The maximum size of everything in a record except the name and the two fragments after the
 * country.
 */
const FRAME_BYTES = 256;

export function recordBytes(dataset: Dataset, match: Match): number {
  const kept = dataset.recordTexts.find(recordNumber(match));
  if (kept !== undefined) return FRAME_BYTES + kept.length;
  const text = dataset.textOf(match);
  const fragments = dataset.textFragment(text, 1).length + dataset.textFragment(text, 2).length;
  return FRAME_BYTES + dataset.networks.nameLengthAt(dataset.rowOf(match)) + fragments;
}

/**
 * Writes at offset `at` and returns the offset after the record. The buffer must have room for
 * `recordBytes`.
 */
export function writeRecord(
  dataset: Dataset,
  address: Address,
  match: Match,
  target: Buffer,
  at: number,
): number {
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
  const { networks } = dataset;
  let end = writeWords(BEFORE_ASN, target, at);
  const row = dataset.rowOf(match);
  end = writeNumber(networks.numberAt(row), target, end);
  end = writeWords(BEFORE_NAME, target, end);
  const nameStart = networks.nameStartAt(row);
  end = writeRange(networks.text, nameStart, nameStart + networks.nameLengthAt(row), target, end);
  end = writeWords(BEFORE_ATTRIBUTES, target, end);
  const text = dataset.textOf(match);
  const country = dataset.textFragment(text, 0);
  end = writeRange(country, 0, country.length, target, end);
  const network = dataset.textFragment(text, 1);
  target.set(network, end);
  end += network.length;
  const threat = dataset.textFragment(text, 2);
  target.set(threat, end);
  end += threat.length;
  target[end++] = CLOSE;
  return end;
}

const QUOTE = 0x22;
const ENTRY_OPEN = eightBytes('":{"ip":');
const ENTRY_BEFORE_PREFIX = eightBytes('","prefi');
const ENTRY_BEFORE_PREFIX_END = fourBytes('x":"');

/** Per prefix length a slash and its digits. */
const SLASH_AND_LENGTH = Int32Array.from({ length: 33 }, (_, length) => fourBytes(`/${length}`));

/**
 * The longest text of an IPv4 address; `source` must have that many bytes and one more from `start`
 * on.
 */
export const ADDRESS_BYTES = 15;
/**
 * An upper bound for everything in an entry except the cached text, and for the bytes that are
 * written beyond it.
 */
export const ENTRY_BYTES = 96;

/** Where entries are written: the same bytes as a buffer and as a view. */
export type Target = { readonly buffer: Buffer; readonly view: DataView };

export function targetOf(buffer: Buffer): Target {
  return { buffer, view: new DataView(buffer.buffer, buffer.byteOffset, buffer.length) };
}

/**
 * One entry of a batch answer for an IPv4 address whose record is cached. The address is copied
 * eight bytes at a time as floating-point numbers, which costs no allocation; ASCII is never read
 * as NaN, whose bits might change. `source` is ASCII, `start` to `end` the address `word`, `text`
 * the record of `match`. Returns the end.
 */
export function writeBatchEntry(
  source: DataView,
  start: number,
  end: number,
  word: number,
  match: Match,
  text: Uint8Array,
  { buffer, view: target }: Target,
  offset: number,
): number {
  const addressBytes = end - start;
  const first = source.getFloat64(start, true);
  const second = source.getFloat64(start + 8, true);
  let at = offset;
  target.setUint8(at, QUOTE);
  target.setFloat64(at + 1, first, true);
  target.setFloat64(at + 9, second, true);
  at += 1 + addressBytes;
  target.setFloat64(at, ENTRY_OPEN, true);
  target.setUint8(at + 8, QUOTE);
  target.setFloat64(at + 9, first, true);
  target.setFloat64(at + 17, second, true);
  at += 9 + addressBytes;
  target.setFloat64(at, ENTRY_BEFORE_PREFIX, true);
  target.setInt32(at + 8, ENTRY_BEFORE_PREFIX_END, true);
  at += 12;
  const length = prefixLength(match);
  const base = word & wordMask(length);
  at = writeQuad(base, target, at);
  target.setInt32(at, SLASH_AND_LENGTH[length] as number, true);
  at += length < 10 ? 2 : 3;
  buffer.set(text, at);
  return at + text.length;
}
