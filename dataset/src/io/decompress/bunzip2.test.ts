import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { fixture, NO_FIXTURES } from '@whence/testing/fixtures';
import { seededRandom } from '@whence/testing/seeded-random';
import { bunzip2 } from './bunzip2.ts';

const THREE_PREFIXES = '192.0.2.0/24\n198.51.100.0/24\n203.0.113.0/24\n';
const THREE_PREFIXES_BZ2 = Buffer.from(
  'QlpoMTFBWSZTWUiBHXkAAA3YAAAQAAH+YCAAMQDTTQMU9TNTJDIlcQxAQh9xh+GvmmVDVsfF3JFOFCQSIEdeQA==',
  'base64',
);
const RUN_BZ2 = Buffer.from('QlpoOTFBWSZTWc2p7BYAAAABgCAABAAgACEAgoMXckU4UJDNqewW', 'base64');
const EMPTY_BZ2 = Buffer.from('QlpoORdyRThQkAAAAAA=', 'base64');

for (const [behaviour, compressed, want] of [
  ['a small stream', THREE_PREFIXES_BZ2, THREE_PREFIXES],
  ['a run of equal bytes', RUN_BZ2, 'a'.repeat(120)],
  ['an empty stream', EMPTY_BZ2, ''],
  [
    'streams one after the other',
    Buffer.concat([RUN_BZ2, EMPTY_BZ2, THREE_PREFIXES_BZ2]),
    'a'.repeat(120) + THREE_PREFIXES,
  ],
] as const) {
  test(`bunzip2: ${behaviour}`, () => assert.equal(decode([compressed]).toString(), want));
  test(`bunzip2: ${behaviour}, in chunks of one byte`, () =>
    assert.equal(decode(chunksOf(compressed, 1)).toString(), want));
}

test('bunzip2: every cut is noticed', () => {
  for (let size = 0; size < THREE_PREFIXES_BZ2.length; size++)
    assert.throws(() => decode([THREE_PREFIXES_BZ2.subarray(0, size)]), isStreamError('truncated bzip2 stream'));
});

test('bunzip2: no flipped bit changes the output unnoticed', () => {
  for (let bit = 0; bit < THREE_PREFIXES_BZ2.length * 8; bit++) {
    const damaged = withByte(
      THREE_PREFIXES_BZ2,
      bit >> 3,
      (THREE_PREFIXES_BZ2[bit >> 3] as number) ^ (0x80 >> (bit & 7)),
    );
    try {
      // Some bits carry nothing here: the padding, the level, a Huffman table that is never chosen.
      assert.equal(decode([damaged]).toString(), THREE_PREFIXES, `bit ${bit}`);
    } catch (error) {
      assert.equal((error as Error).name, 'StreamError', `bit ${bit}: ${(error as Error).message}`);
    }
  }
});

for (const [behaviour, compressed, message] of [
  ['something else', Buffer.from('<!doctype html>'), 'not a bzip2 stream'],
  [
    'something after the end',
    Buffer.concat([RUN_BZ2, Buffer.from('more\n')]),
    'damaged bzip2 stream: something else follows its end',
  ],
  [
    'a wrong checksum of a block',
    withByte(THREE_PREFIXES_BZ2, 10, 0),
    'damaged bzip2 stream: the checksum of a block is another',
  ],
  [
    'a randomised block',
    withByte(THREE_PREFIXES_BZ2, 14, 0x80),
    'a bzip2 stream from before 1999, with randomised blocks',
  ],
] as const)
  test(`bunzip2: refuses ${behaviour}`, () => assert.throws(() => decode([compressed]), isStreamError(message)));

test('bunzip2: random damage never leads to anything but a StreamError', () => {
  const seed = 20_261;
  const random = seededRandom(seed);
  for (let i = 0; i < 2000; i++) {
    const damaged = Buffer.from(THREE_PREFIXES_BZ2);
    for (let k = 0; k < 3; k++) damaged[10 + Math.floor(random() * (damaged.length - 10))] = Math.floor(random() * 256);
    try {
      decode([damaged]);
    } catch (error) {
      assert.equal((error as Error).name, 'StreamError', `seed ${seed}, case ${i}: ${(error as Error).stack}`);
    }
  }
});

test('bunzip2: closes its source when no more output is read', () => {
  let isClosed = false;
  function* source() {
    try {
      yield RUN_BZ2;
      yield RUN_BZ2;
    } finally {
      isClosed = true;
    }
  }
  for (const _ of bunzip2(source())) break;
  assert.ok(isClosed);
});

const NO_BZIP2 = spawnSync('bzip2', ['--help']).error === undefined ? false : 'bzip2 is not installed';

for (const [behaviour, make, level] of [
  ['one byte', () => Buffer.from('x'), 9],
  ['a megabyte of noise', () => noise(1_000_000, 256), 9],
  ['a megabyte of noise in the smallest blocks', () => noise(1_000_000, 256), 1],
  ['noise of two values', () => noise(300_000, 2), 9],
  ['twenty megabytes of one value', () => Buffer.alloc(20_000_000, 7), 9],
  ['runs of every length up to 600', () => Buffer.concat(Array.from({ length: 600 }, (_, i) => Buffer.alloc(i, i))), 9],
  ['text of several blocks', () => Buffer.from(numberedLines(150_000)), 9],
  ['codes longer than the quick table', () => skewed(), 9],
] as const)
  test(`bunzip2: what bzip2 made of ${behaviour}`, { skip: NO_BZIP2 }, () => {
    const plain = make();
    assert.ok(decode(chunksOf(bzip2(plain, level), 65_536)).equals(plain));
  });

test('bunzip2: a stream per block, as pbzip2 writes them', { skip: NO_BZIP2 }, () => {
  const parts = [numberedLines(30_000), '', numberedLines(5), numberedLines(40_000)].map((text) => Buffer.from(text));
  const compressed = Buffer.concat(parts.map((part, i) => bzip2(part, 9 - i)));
  assert.ok(decode(chunksOf(compressed, 1000)).equals(Buffer.concat(parts)));
});

for (const name of [
  'rib.20080501.0644_firstMB.bz2',
  'rib.20140523.0600_firstMB.bz2',
  'rib6.20151101.0600_firstMB.bz2',
]) {
  const path = fixture(`routing/mrt/${name}`);
  test(`bunzip2: ${name} yields what is there up to the cut`, { skip: path === undefined && NO_FIXTURES }, () => {
    const chunks: Buffer[] = [];
    assert.throws(() => {
      for (const chunk of bunzip2([readFileSync(path as string)])) chunks.push(Buffer.from(chunk));
    }, isStreamError('truncated bzip2 stream'));
    const plain = Buffer.concat(chunks);
    assert.ok(plain.length > 9_000_000, `${plain.length} bytes`);
    // An MRT file is records one after the other: each of the types 12 or 13 (TABLE_DUMP, TABLE_DUMP_V2), RFC 6396.
    let position = 0;
    while (position + 12 <= plain.length) {
      assert.ok([12, 13].includes(plain.readUInt16BE(position + 4)), `record at ${position}`);
      position += 12 + plain.readUInt32BE(position + 8);
    }
  });
}

function decode(chunks: Iterable<Buffer>): Buffer {
  const decoded: Buffer[] = [];
  for (const chunk of bunzip2(chunks)) decoded.push(Buffer.from(chunk));
  return Buffer.concat(decoded);
}

function* chunksOf(bytes: Buffer, size: number): Generator<Buffer> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

function withByte(bytes: Buffer, position: number, value: number): Buffer {
  const changed = Buffer.from(bytes);
  changed[position] = value;
  return changed;
}

function bzip2(plain: Buffer, level: number): Buffer {
  return spawnSync('bzip2', [`-${level}`, '-c'], { input: plain, maxBuffer: 1e9 }).stdout;
}

function noise(size: number, values: number): Buffer {
  const random = seededRandom(1);
  return Buffer.from(Uint8Array.from({ length: size }, () => Math.floor(random() * values)));
}

function numberedLines(count: number): string {
  let text = '';
  for (let i = 0; i < count; i++) text += `${i} 2001:db8:${(i & 0xffff).toString(16)}::/48\n`;
  return text;
}

/** One value for half of the bytes, the next for a quarter, and so on: the rare ones get long codes. */
function skewed(): Buffer {
  const random = seededRandom(2);
  return Buffer.from(Uint8Array.from({ length: 800_000 }, () => Math.floor(-Math.log2(random() + 2 ** -40) * 4)));
}

const isStreamError = (message: string) => ({ name: 'StreamError', message });
