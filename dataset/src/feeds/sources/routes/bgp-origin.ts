/**
 * The origin of a route, from its BGP path attributes (RFC 4271 §4.3): the last AS of AS_PATH. Confederation segments
 * (RFC 5065) are internal to a network and are skipped.
 *
 *   attribute   flags, type, length (two bytes if flag 0x10 is set), value
 *   AS_PATH     segments of: type, count, AS numbers of two or four bytes
 */
import { AS_TRANS } from '../../../as-number.ts';

/** An AS number; the members of an AS_SET; or `none` for an empty path, as in routes of the collector's own network. */
type Origin = number | readonly number[] | 'none' | 'unreadable';

export function originOf(bytes: Buffer, start: number, end: number, asnBytes: 2 | 4): Origin {
  let path: Part | undefined;
  let as4Path: Part | undefined;
  for (let at = start; at < end; ) {
    if (end - at < 3) return 'unreadable';
    const hasLongLength = (bytes.readUInt8(at) & 0x10) !== 0;
    if (hasLongLength && end - at < 4) return 'unreadable';
    const type = bytes.readUInt8(at + 1);
    const value = at + (hasLongLength ? 4 : 3);
    const next = value + (hasLongLength ? bytes.readUInt16BE(at + 2) : bytes.readUInt8(at + 2));
    if (next > end) return 'unreadable';
    if (type === AS_PATH) {
      // With 4-byte AS numbers no other attribute is needed, and a full table has fifty million paths.
      if (asnBytes === 4) return lastOf(bytes, value, next, 4);
      path = { start: value, end: next };
    } else if (type === AS4_PATH) as4Path = { start: value, end: next };
    at = next;
  }
  if (path === undefined) return 'none';
  const origin = lastOf(bytes, path.start, path.end, asnBytes);
  if (as4Path === undefined || !hasAsTrans(origin)) return origin;
  // RFC 6793 §4.2.3: AS4_PATH replaces the end of AS_PATH, unless it is the longer of the two.
  const isLonger = lengthOf(bytes, as4Path, 4) > lengthOf(bytes, path, asnBytes);
  const whole = isLonger ? 'none' : lastOf(bytes, as4Path.start, as4Path.end, 4);
  return typeof whole === 'string' ? origin : whole;
}

type Part = { readonly start: number; readonly end: number };

const AS_PATH = 2;
const AS4_PATH = 17;
const AS_SET = 1;
const AS_SEQUENCE = 2;
const CONFED_SET = 4;

function hasAsTrans(origin: Origin): boolean {
  return origin === AS_TRANS || (Array.isArray(origin) && origin.includes(AS_TRANS));
}

function lastOf(bytes: Buffer, start: number, end: number, asnBytes: 2 | 4): Origin {
  let last = -1;
  for (let at = start; at < end; ) {
    if (end - at < 2) return 'unreadable';
    const type = bytes.readUInt8(at);
    const count = bytes.readUInt8(at + 1);
    if (type < AS_SET || type > CONFED_SET) return 'unreadable';
    if (count > 0 && type <= AS_SEQUENCE) last = at;
    at += 2 + count * asnBytes;
    if (at > end) return 'unreadable';
  }
  if (last < 0) return 'none';
  const count = bytes.readUInt8(last + 1);
  const asnAt = (i: number) => bytes.readUIntBE(last + 2 + i * asnBytes, asnBytes);
  return bytes.readUInt8(last) === AS_SEQUENCE ? asnAt(count - 1) : Array.from({ length: count }, (_, i) => asnAt(i));
}

/** RFC 4271 §9.1.2.2: a set counts as one, whatever its size. RFC 5065 §5.3: confederation segments do not count. */
function lengthOf(bytes: Buffer, { start, end }: Part, asnBytes: 2 | 4): number {
  let length = 0;
  for (let at = start; end - at >= 2; ) {
    const type = bytes.readUInt8(at);
    const count = bytes.readUInt8(at + 1);
    if (type === AS_SEQUENCE) length += count;
    else if (type === AS_SET) length++;
    at += 2 + count * asnBytes;
  }
  return length;
}
