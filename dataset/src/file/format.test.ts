import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { crc32 } from 'node:zlib';
import { DatasetError } from '../dataset-error.ts';
import { BUILT_AT, ownBuffer, sampleContent } from '../test/sample-dataset.ts';
import { decodeFile, SECTIONS } from './format.ts';
import { Dataset, openDataset, openPublished } from './read.ts';
import { HEADER_BYTES, SECTION_ROW_BYTES } from './section-file.ts';
import { encodeDataset } from './write.ts';

const content = sampleContent({
  routes: [
    ['1.0.0.0/16', 64500, 'Example Network'],
    ['2a00::/32', 64501, 'Sample Network'],
  ],
});
const whole = ownBuffer(encodeDataset(content, 7, BUILT_AT));

test('format: a complete file opens with its metadata', () => {
  const { meta } = new Dataset(whole);
  assert.equal(meta.version, 7);
  assert.equal(meta.built_at, BUILT_AT.toISOString());
  assert.equal(meta.content_sha256, content.meta.content_sha256);
});

for (const [behaviour, damage, message] of [
  ['an empty file', () => Buffer.alloc(0), 'not a whence dataset'],
  ['a file of another kind', () => Buffer.from('PK\x03\x04'.padEnd(100)), 'not a whence dataset'],
  [
    'line ends that were translated',
    () => Buffer.concat([Buffer.from('WHENCE\n\n'), whole.subarray(8)]),
    'not a whence dataset',
  ],
  ['a file truncated inside the header', () => whole.subarray(0, 20), 'not a whence dataset'],
  ['a file truncated in the middle', () => whole.subarray(0, whole.length >> 1), 'truncated'],
  ['a file that lacks one byte', () => whole.subarray(0, -1), 'truncated'],
  [
    'a file with extra bytes at the end',
    () => Buffer.concat([whole, Buffer.from('x')]),
    'bytes too many',
  ],
  ['a flipped bit in the header', () => flip(9), 'checksum mismatch in the header'],
  [
    'a flipped bit in the section table',
    () => flip(HEADER_BYTES + 17),
    'checksum mismatch in the section table',
  ],
  [
    'a later format',
    () => inFormat(99),
    'has format 99, which this version of wh does not read; upgrade wh',
  ],
  [
    'an earlier format',
    () => inFormat(6),
    'has format 6, which this version of wh does not read; build the dataset again',
  ],
] as const) {
  test(`format: refused: ${behaviour}`, () => {
    assert.throws(
      () => new Dataset(ownBuffer(damage())),
      (error) => error instanceof DatasetError && error.message.includes(message),
    );
  });
}

for (const [index, name] of SECTIONS.entries()) {
  test(`format: refused: a flipped bit in section ${name}`, (t) => {
    const row = HEADER_BYTES + index * SECTION_ROW_BYTES;
    const offset = whole.readUInt32LE(row + 16);
    const length = whole.readUInt32LE(row + 20);
    if (length === 0) return t.diagnostic(`${name} is empty in this sample`);
    for (const at of [offset, offset + (length >> 1), offset + length - 1]) {
      assert.throws(() => decodeFile(flip(at)), {
        message: `damaged: checksum mismatch in section ${name}`,
      });
    }
  });
}

test('format: the error of a file names the file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'whence-format-'));
  try {
    const path = join(folder, 'broken.whence');
    writeFileSync(path, flip(whole.length >> 1));
    for (const open of [openDataset, openPublished])
      assert.throws(
        () => open(path),
        (error) =>
          error instanceof DatasetError &&
          error.message.startsWith(`${path}: damaged: checksum mismatch`),
      );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('format: equal content has the same digest at any version and time', () => {
  const again = sampleContent({
    routes: [
      ['1.0.0.0/16', 64500, 'Example Network'],
      ['2a00::/32', 64501, 'Sample Network'],
    ],
  });
  assert.equal(again.meta.content_sha256, content.meta.content_sha256);
  const other = sampleContent({ routes: [['1.0.0.0/16', 64500, 'Example Two']] });
  assert.notEqual(other.meta.content_sha256, content.meta.content_sha256);
});

function flip(at: number): Buffer {
  const copy = ownBuffer(whole);
  copy[at] = (copy[at] as number) ^ 0x10;
  return copy;
}

function inFormat(format: number): Buffer {
  const copy = ownBuffer(whole);
  copy.writeUInt32LE(format, 8);
  copy.writeUInt32LE(crc32(copy.subarray(0, 28)), 28);
  return copy;
}
