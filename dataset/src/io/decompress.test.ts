import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after, beforeEach } from 'node:test';
import { gzipSync } from 'node:zlib';
import { seededRandom } from '@whence/testing/seeded-random';
import { decompressFile } from './decompress.ts';

const folder = mkdtempSync(join(tmpdir(), 'whence-decompress-'));
after(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(() => {
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
});

const from = join(folder, 'download');
const to = join(folder, 'candidate');

const PREFIX = '192.0.2.0/24\n';
const PREFIX_XZ = Buffer.from(
  '/Td6WFoAAATm1rRGAgAhARYAAAB0L+WjAQAMMTkyLjAuMi4wLzI0CgAAAAA9Wq0MaQDm6QABJQ1xGcS2H7bzfQEAAAAABFla',
  'base64',
);
const PREFIX_BZ2 = Buffer.from(
  'QlpoOTFBWSZTWUmlmaIAAAPYAAAQAAH0ICAAMQwIGmjCSBhBXY74u5IpwoSCTSzNEA==',
  'base64',
);
const PREFIX_GZ = gzipSync(PREFIX);
const NOISE = noise(200_000);
const NOISE_GZ = gzipSync(NOISE);

for (const [behaviour, compressed, want] of [
  ['plain content stays as it is', PREFIX, PREFIX],
  ['an empty file stays empty', '', ''],
  ['a text that begins like bzip2 stays as it is', 'BZh1 is a name\n', 'BZh1 is a name\n'],
  ['gzip', PREFIX_GZ, PREFIX],
  ['gzip of nothing', gzipSync(''), ''],
  ['gzip of several members', Buffer.concat([PREFIX_GZ, gzipSync(''), PREFIX_GZ]), PREFIX + PREFIX],
  ['gzip with zeros after it', Buffer.concat([PREFIX_GZ, Buffer.alloc(512)]), PREFIX],
  ['xz', PREFIX_XZ, PREFIX],
  ['xz of several streams', Buffer.concat([PREFIX_XZ, PREFIX_XZ]), PREFIX + PREFIX],
  [
    'xz of several streams with padding',
    Buffer.concat([PREFIX_XZ, Buffer.alloc(4), PREFIX_XZ]),
    PREFIX + PREFIX,
  ],
] as const)
  test(`decompress: ${behaviour}`, async () => {
    writeFileSync(from, compressed);
    const { bytes, sha256 } = await decompressFile(from, to, { maxBytes: 1000 });
    assert.equal(readFileSync(to, 'utf8'), want);
    assert.equal(bytes, want.length);
    assert.equal(sha256, createHash('sha256').update(want).digest('hex'));
  });

test('decompress: members of gzip may end anywhere between two reads', async () => {
  const readBytes = 65_536;
  for (const distance of [-2, -1, 0, 1, 2]) {
    const first = paddedGzip(readBytes + distance);
    writeFileSync(from, Buffer.concat([first.compressed, PREFIX_GZ]));
    await decompressFile(from, to, { maxBytes: 1e6 });
    assert.ok(
      readFileSync(to).equals(Buffer.concat([first.plain, Buffer.from(PREFIX)])),
      `${distance} bytes`,
    );
  }
});

for (const [behaviour, compressed, message] of [
  ['gzip that is cut off', NOISE_GZ.subarray(0, 100_000), 'truncated gzip stream'],
  ['gzip without its checksum', PREFIX_GZ.subarray(0, -8), 'truncated gzip stream'],
  ['gzip cut off in the head', PREFIX_GZ.subarray(0, 5), 'truncated gzip stream'],
  [
    'gzip cut off in a later member',
    Buffer.concat([PREFIX_GZ, PREFIX_GZ.subarray(0, 12)]),
    'truncated gzip stream',
  ],
  [
    'gzip with a wrong checksum',
    flipped(PREFIX_GZ, PREFIX_GZ.length - 6),
    'damaged gzip stream: incorrect data check',
  ],
  [
    'gzip with something else after it',
    Buffer.concat([PREFIX_GZ, Buffer.from('more')]),
    'damaged gzip stream: incorrect header check',
  ],
  ['bzip2', PREFIX_BZ2, 'a bzip2 stream, which is not read; publish the file as gzip or xz'],
  ['xz that is cut off', PREFIX_XZ.subarray(0, 50), 'truncated xz stream'],
  ['xz without its last byte', PREFIX_XZ.subarray(0, -1), 'truncated xz stream'],
  [
    'xz cut off in a later stream',
    Buffer.concat([PREFIX_XZ, PREFIX_XZ.subarray(0, 20)]),
    'truncated xz stream',
  ],
  ['xz that is damaged', flipped(PREFIX_XZ, 30), 'damaged xz stream'],
  ['plain content over the limit', Buffer.alloc(500_001), 'larger than 0.5 MB uncompressed'],
  ['gzip over the limit', gzipSync(Buffer.alloc(50_000_000)), 'larger than 0.5 MB uncompressed'],
] as const)
  test(`decompress: refuses ${behaviour}, and leaves nothing behind`, async () => {
    writeFileSync(from, compressed);
    writeFileSync(to, 'the last one');
    await assert.rejects(decompressFile(from, to, { maxBytes: 500_000 }), {
      name: 'StreamError',
      message,
    });
    assert.equal(readFileSync(to, 'utf8'), 'the last one');
    assert.deepEqual(readdirSync(folder).sort(), ['candidate', 'download']);
  });

test('decompress: a missing file is not reported as a damaged stream', async () => {
  await assert.rejects(decompressFile(from, to, { maxBytes: 1000 }), { code: 'ENOENT' });
});

/**
 * Gzip of exactly this length: random bytes are not compressible, so the length can be approached
 * from below.
 */
function paddedGzip(size: number): { plain: Buffer; compressed: Buffer } {
  for (let length = size - 100; length <= size; length++) {
    const plain = NOISE.subarray(0, length);
    const compressed = gzipSync(plain, { level: 0 });
    if (compressed.length === size) return { plain, compressed };
  }
  throw new Error(`no gzip of ${size} bytes`);
}

function flipped(bytes: Buffer, position: number): Buffer {
  const changed = Buffer.from(bytes);
  changed[position] = (changed[position] as number) ^ 1;
  return changed;
}

function noise(size: number): Buffer {
  const random = seededRandom(3);
  return Buffer.from(Uint8Array.from({ length: size }, () => Math.floor(random() * 256)));
}
