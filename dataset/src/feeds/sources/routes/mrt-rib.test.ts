import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { fixture, NO_FIXTURES } from '@whence/testing/fixtures';
import { attribute, type Entry, legacy, message, peerTable, rib, segment } from '@whence/testing/mrt-sample';
import { bytesContent, type Content, StreamError } from '../../../io/content.ts';
import { bunzip2 } from '../../../io/decompress/bunzip2.ts';
import { otherOriginLines, rangeLines } from '../../../test/range-lines.ts';
import { withFile } from '../../../test/unpacked.ts';
import { parseMrtRib } from './mrt-rib.ts';

const SET = 1;
const SEQUENCE = 2;
const via = (...asns: number[]) => attribute(2, segment(SEQUENCE, asns));
const seenBy = (peers: number, attributes: Buffer): Entry[] =>
  Array.from({ length: peers }, (_, peer) => ({ peer, attributes }));

const table = Buffer.concat([
  peerTable(40, 'a view'),
  rib(2, '0.0.0.0/0', seenBy(9, via(1, 7))),
  rib(2, '192.0.2.0/24', [...seenBy(6, via(1, 7)), ...seenBy(8, via(1, 9))]),
  rib(2, '198.51.100.0/22', seenBy(4, via(1, 7))),
  rib(4, '2001:db8::/32', seenBy(5, attribute(2, Buffer.concat([segment(SEQUENCE, [1]), segment(SET, [9, 7])])))),
  rib(4, '2001:db8:8000::/33', seenBy(5, via(400_000))),
  message(13, 6, Buffer.from('another subtype')),
  message(16, 4, Buffer.from('another type')),
]);

test('mrt-rib: TABLE_DUMP_V2', () => {
  const routes = parseMrtRib(bytesContent(table));
  assert.deepEqual(rangeLines(routes.ranges), ['192.0.2.0/24 9', '2001:db8:8000::/33 400000', '2001:db8::/32 9']);
  assert.deepEqual(otherOriginLines(routes.otherOrigins), ['192.0.2.0/24 7', '2001:db8::/32 7']);
  assert.deepEqual([routes.records, routes.skipped, routes.asOf], [5, 0, '2026-05-05']);
});

for (const size of [1, 7, 12, 13, 100, 1000]) {
  test(`mrt-rib: the same in chunks of ${size} bytes, each overwritten by the next`, () => {
    assert.deepEqual(parseMrtRib(inChunks(table, size)), parseMrtRib(bytesContent(table)));
  });
}

test('mrt-rib: a message larger than a chunk and than the initial buffer', () => {
  const large = Buffer.concat([peerTable(900), rib(2, '192.0.2.0/24', seenBy(900, via(...Array(50).fill(1), 7)))]);
  const { ranges, skipped } = parseMrtRib(inChunks(large, 5000));
  assert.deepEqual([rangeLines(ranges), skipped], [['192.0.2.0/24 7'], 0]);
});

test('mrt-rib: a peer with several routes counts once, ADDPATH', () => {
  const routes = parseMrtRib(
    bytesContent(
      Buffer.concat([
        peerTable(40),
        rib(8, '192.0.2.0/24', [...seenBy(3, via(1, 7)), ...seenBy(3, via(2, 7)), ...seenBy(3, via(1, 9))]),
        rib(8, '198.51.100.0/24', [...seenBy(4, via(1, 7)), ...seenBy(4, via(2, 7))]),
        rib(10, '2001:db8::/32', seenBy(5, via(1, 7))),
      ]),
    ),
  );
  assert.deepEqual(rangeLines(routes.ranges), ['192.0.2.0/24 7', '2001:db8::/32 7']);
  assert.deepEqual(otherOriginLines(routes.otherOrigins), ['192.0.2.0/24 9']);
});

for (const [peers, seen, isKept] of [
  [1, 1, true],
  [4, 1, false],
  [4, 2, true],
  [100, 4, false],
  [100, 5, true],
] as const) {
  test(`mrt-rib: of ${peers} peers ${seen} are ${isKept ? 'enough' : 'too few'}`, () => {
    const bytes = Buffer.concat([peerTable(peers), rib(2, '192.0.2.0/24', seenBy(seen, via(1, 7)))]);
    assert.equal(parseMrtRib(bytesContent(bytes)).ranges[4].length, isKept ? 1 : 0);
  });
}

test('mrt-rib: TABLE_DUMP, with AS4_PATH for 4-byte AS numbers', () => {
  const narrow = (...asns: number[]) => attribute(2, segment(SEQUENCE, asns, 2));
  const wide = Buffer.concat([narrow(7, 23456), attribute(17, segment(SEQUENCE, [400_000]))]);
  const routes = parseMrtRib(
    bytesContent(
      Buffer.concat([
        ...Array.from({ length: 5 }, () => legacy('192.0.2.0/24', narrow(7, 9))),
        ...Array.from({ length: 6 }, () => legacy('192.0.2.0/24', wide)),
        ...Array.from({ length: 5 }, () => legacy('2001:db8::/32', narrow(7))),
      ]),
    ),
  );
  assert.deepEqual(rangeLines(routes.ranges), ['192.0.2.0/24 400000', '2001:db8::/32 7']);
  assert.deepEqual(otherOriginLines(routes.otherOrigins), ['192.0.2.0/24 9']);
  assert.deepEqual([routes.records, routes.skipped], [16, 0]);
});

test('mrt-rib: a truncated message at the end counts once as skipped', () => {
  for (const cut of [1, 11, 12, 13, 40]) {
    const whole = Buffer.concat([table, rib(2, '203.0.113.0/24', seenBy(5, via(7)))]);
    const { records, skipped } = parseMrtRib(inChunks(whole.subarray(0, table.length + cut), 64));
    assert.deepEqual([records, skipped], [5, 1], `${cut} bytes of the last message`);
  }
});

for (const [behaviour, body] of [
  ['an empty message', Buffer.alloc(0)],
  ['a prefix that is too long', Buffer.from([0, 0, 0, 0, 33, 192, 0, 2, 0, 0, 0, 0])],
  ['a truncated prefix', Buffer.from([0, 0, 0, 0, 24, 192, 0])],
  ['fewer entries than it says', Buffer.from([0, 0, 0, 0, 24, 192, 0, 2, 0, 1])],
  ['truncated attributes', Buffer.from([0, 0, 0, 0, 24, 192, 0, 2, 0, 1, 0, 0, 0, 0, 0, 0, 0, 9])],
] as const) {
  test(`mrt-rib: a malformed message is skipped and the next ones are parsed: ${behaviour}`, () => {
    const { records, skipped } = parseMrtRib(
      bytesContent(Buffer.concat([message(13, 2, body), message(12, 1, body), table])),
    );
    assert.deepEqual([records, skipped], [5, 2]);
  });
}

for (const [behaviour, bytes, problem] of [
  [
    'text',
    Buffer.from('<!doctype html><title>Not found</title>'),
    /^Error: not an MRT file: it has a message of \d+ bytes$/,
  ],
  ['updates', message(16, 4, Buffer.alloc(4)), /^Error: not a routing table in MRT: its first message is of type 16/],
  [
    'a message of 17 MB',
    Buffer.concat([table, Buffer.from([0, 0, 0, 0, 0, 13, 0, 2, 1, 16, 0, 0])]),
    /it has a message of 17825792 bytes/,
  ],
] as const) {
  test(`mrt-rib: refused: ${behaviour}`, () => {
    assert.throws(() => parseMrtRib(bytesContent(bytes)), problem);
    assert.throws(() => parseMrtRib(inChunks(bytes, 5)), problem);
  });
}

test('mrt-rib: an empty file', () => {
  const { records, skipped } = parseMrtRib(bytesContent(''));
  assert.deepEqual([records, skipped], [0, 0]);
});

// The fixtures are the first megabyte of real files.
for (const [file, records, asOf, spotChecks] of [
  ['rib.20140523.0600_firstMB.bz2', 9072, '2014-05-23', ['1.0.0.0/24 15169', '1.0.4.0/24 56203']],
  ['rib6.20151101.0600_firstMB.bz2', 6870, '2015-11-01', ['2001:200::/32 2500']],
  ['rib.20080501.0644_firstMB.bz2', 139_291, '2008-05-01', ['3.0.0.0/8 80', '4.0.0.0/8 3356']],
] as const) {
  const path = fixture(`routing/mrt/${file}`);
  test(`mrt-rib: a real table, truncated: ${file}`, { skip: path === undefined && NO_FIXTURES }, () => {
    const routes = withFile(unpackedUpToTheCut(path ?? ''), parseMrtRib);
    assert.deepEqual([routes.records, routes.skipped, routes.asOf], [records, 1, asOf]);
    const lines = new Set(rangeLines(routes.ranges));
    for (const line of spotChecks) assert.ok(lines.has(line), line);
  });
}

function unpackedUpToTheCut(path: string): Buffer {
  const chunks: Buffer[] = [];
  try {
    for (const chunk of bunzip2([readFileSync(path)])) chunks.push(Buffer.from(chunk));
  } catch (error) {
    assert.ok(error instanceof StreamError);
  }
  return Buffer.concat(chunks);
}

/** Like a file: one buffer for all chunks. */
function inChunks(bytes: Buffer, size: number): Content {
  return {
    ...bytesContent(bytes),
    *chunks() {
      const chunk = Buffer.alloc(size);
      for (let at = 0; at < bytes.length; at += size) yield chunk.subarray(0, bytes.copy(chunk, 0, at, at + size));
    },
  };
}
