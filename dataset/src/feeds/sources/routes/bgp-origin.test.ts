import assert from 'node:assert/strict';
import test from 'node:test';
import { attribute, segment } from '@whence/testing/mrt-sample';
import { originOf } from './bgp-origin.ts';

const SET = 1;
const SEQUENCE = 2;
const CONFED = 3;
const path = (...segments: Buffer[]) => attribute(2, Buffer.concat(segments));
const narrowPath = (...asns: number[]) => path(segment(SEQUENCE, asns, 2));
const as4Path = (...asns: number[]) => attribute(17, segment(SEQUENCE, asns));

for (const [behaviour, attributes, asnBytes, want] of [
  ['the last of a sequence', path(segment(SEQUENCE, [7, 8, 400_000])), 4, 400_000],
  ['other attributes before it', Buffer.concat([attribute(1, Buffer.from([0])), path(segment(SEQUENCE, [7]))]), 4, 7],
  [
    'a length of two bytes',
    attribute(
      2,
      segment(
        SEQUENCE,
        Array.from({ length: 100 }, (_, i) => i + 1),
      ),
      true,
    ),
    4,
    100,
  ],
  ['the last of several segments', path(segment(SEQUENCE, [7]), segment(SEQUENCE, [8])), 4, 8],
  ['a set at the end', path(segment(SEQUENCE, [7]), segment(SET, [9, 8])), 4, [9, 8]],
  ['a set before the end', path(segment(SET, [9, 8]), segment(SEQUENCE, [7])), 4, 7],
  ['confederations are skipped', path(segment(SEQUENCE, [7]), segment(CONFED, [64512])), 4, 7],
  ['an empty segment is skipped', path(segment(SEQUENCE, [7]), segment(SEQUENCE, [])), 4, 7],
  ['an empty path', path(), 4, 'none'],
  ['no path', attribute(1, Buffer.from([0])), 4, 'none'],
  ['no attributes', Buffer.alloc(0), 2, 'none'],
  ['2-byte AS numbers', narrowPath(7, 8), 2, 8],
  ['AS4_PATH in place of AS_TRANS', Buffer.concat([narrowPath(7, 8, 23456), as4Path(8, 400_000)]), 2, 400_000],
  ['AS4_PATH before AS_PATH', Buffer.concat([as4Path(8, 400_000), narrowPath(7, 8, 23456)]), 2, 400_000],
  ['AS4_PATH that is longer is ignored', Buffer.concat([narrowPath(23456), as4Path(8, 400_000)]), 2, 23456],
  [
    'AS4_PATH is ignored if the origin is not AS_TRANS',
    Buffer.concat([narrowPath(23456, 8), as4Path(400_000, 9)]),
    2,
    8,
  ],
  [
    'AS_TRANS in a set',
    Buffer.concat([
      path(segment(SEQUENCE, [7], 2), segment(SET, [8, 23456], 2)),
      attribute(17, segment(SET, [8, 400_000])),
    ]),
    2,
    [8, 400_000],
  ],
  [
    'AS_TRANS and a broken AS4_PATH',
    Buffer.concat([narrowPath(7, 23456), attribute(17, Buffer.from([2, 1, 0]))]),
    2,
    23456,
  ],
  ['an attribute that exceeds the message', path(segment(SEQUENCE, [7])).subarray(0, -1), 4, 'unreadable'],
  ['an attribute truncated in its header', Buffer.from([0x40, 2]), 4, 'unreadable'],
  ['a long attribute truncated in its header', Buffer.from([0x50, 2, 0]), 4, 'unreadable'],
  ['a segment that exceeds its attribute', attribute(2, Buffer.from([2, 2, 0, 0, 0, 7])), 4, 'unreadable'],
  ['a truncated segment', attribute(2, Buffer.from([2])), 4, 'unreadable'],
  ['a segment of an unknown type', attribute(2, segment(9, [7])), 4, 'unreadable'],
] as const) {
  test(`bgp-origin: ${behaviour}`, () => {
    assert.deepEqual(originOf(attributes, 0, attributes.length, asnBytes), want);
  });
}
