// One entry of a batch answer for an IPv4 address whose record is cached. The address is copied eight bytes at a time
// as floating-point numbers, which costs no allocation; ASCII is never read as NaN, whose bits might change.
import { wordMask } from '../../address.ts';
import { type Match, prefixLength } from '../format.ts';
import { eightBytes, fourBytes, writeQuad } from './ascii-writer.ts';

const QUOTE = 0x22;
const OPEN_RECORD = eightBytes('":{"ip":');
const BEFORE_PREFIX = eightBytes('","prefi');
const BEFORE_PREFIX_END = fourBytes('x":"');

/** Per prefix length a slash and its digits. */
const SLASH_AND_LENGTH = Int32Array.from({ length: 33 }, (_, length) => fourBytes(`/${length}`));

/** The longest text of an IPv4 address; `source` must have that many bytes and one more from `start` on. */
export const ADDRESS_BYTES = 15;
/** An upper bound for everything in an entry except the cached text, and for the bytes that are written beyond it. */
export const ENTRY_BYTES = 96;

/** Where entries are written: the same bytes as a buffer and as a view. */
export type Target = { readonly buffer: Buffer; readonly view: DataView };

export function targetOf(buffer: Buffer): Target {
  return { buffer, view: new DataView(buffer.buffer, buffer.byteOffset, buffer.length) };
}

/** `source` is ASCII, `start` to `end` the address `word`, `text` the record of `match`. Returns the end. */
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
  target.setFloat64(at, OPEN_RECORD, true);
  target.setUint8(at + 8, QUOTE);
  target.setFloat64(at + 9, first, true);
  target.setFloat64(at + 17, second, true);
  at += 9 + addressBytes;
  target.setFloat64(at, BEFORE_PREFIX, true);
  target.setInt32(at + 8, BEFORE_PREFIX_END, true);
  at += 12;
  const length = prefixLength(match);
  const base = word & wordMask(length);
  at = writeQuad(base, target, at);
  target.setInt32(at, SLASH_AND_LENGTH[length] as number, true);
  at += length < 10 ? 2 : 3;
  buffer.set(text, at);
  return at + text.length;
}
