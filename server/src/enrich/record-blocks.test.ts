import assert from 'node:assert/strict';
import { appendFileSync, closeSync, mkdtempSync, openSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { seededRandom } from '@whence/testing/seeded-random';
import { FileBlocks, shareFile } from './file-blocks.ts';
import { rowEndFinder } from './formats/csv-row.ts';
import { type RecordBlock, type RecordEnds, recordBlocks } from './record-blocks.ts';
import { findLastLineEnd, findLineEnd, lastOf } from './record-stream.ts';

const SEED = 20261115;
const COMMA = 0x2c;

async function* inPieces(bytes: Buffer, random: () => number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; ) {
    const end = at + 1 + Math.floor(random() * 60);
    yield bytes.subarray(at, end);
    at = end;
  }
}

function rowEnds(): RecordEnds {
  const first = rowEndFinder(COMMA);
  return { first, last: lastOf(first) };
}

const folder = mkdtempSync(join(tmpdir(), 'whence-blocks-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const path = join(folder, 'file');

type Limits = { readonly blockBytes: number; readonly maxRecordBytes: number };

/** As two threads take them. */
async function* ofFile(bytes: Buffer, ends: () => RecordEnds, limits: Limits): AsyncGenerator<RecordBlock> {
  writeFileSync(path, bytes);
  const file = openSync(path, 'r');
  const shared = shareFile(file, 0);
  const [one, other] = [new FileBlocks(shared, ends, limits), new FileBlocks(shared, ends, limits)];
  for (let taker = one, block = one.take(); block !== undefined; block = taker.take()) {
    yield block;
    taker.waitForTurn(block.ticket);
    taker.endTurn();
    taker = taker === one ? other : one;
  }
  closeSync(file);
}

for (const [kind, finder, pieces] of [
  ['lines', () => ({ first: findLineEnd, last: findLastLineEnd }), ['a', 'bb', '\n', '\r\n', '"', 'x'.repeat(70)]],
  ['rows of CSV', rowEnds, ['a', ',', '"', '""', ',"', '",', '\n', '\n', '\r\n', 'x'.repeat(70)]],
] as [string, () => RecordEnds, string[]][]) {
  for (const source of ['of a stream', 'of a file'])
    test(`record blocks: ${kind} ${source} are never cut, and nothing is lost (seed ${SEED})`, async () => {
      const isFile = source === 'of a file';
      const random = seededRandom(SEED);
      for (let i = 0; i < 2_000; i++) {
        const count = Math.floor(random() * 60);
        const text = Array.from({ length: count }, () => pieces[Math.floor(random() * pieces.length)]).join('');
        const bytes = Buffer.from(text);
        const blockBytes = 1 + Math.floor(random() * 100);
        const maxRecordBytes = random() < 0.5 ? blockBytes : 4 * blockBytes;
        const limits = { blockBytes, maxRecordBytes };
        const blocks = isFile ? ofFile(bytes, finder, limits) : recordBlocks(inPieces(bytes, random), finder(), limits);
        const parts: Buffer[] = [];
        let written = 0;
        for await (const block of blocks) {
          parts.push(Buffer.from(block.bytes));
          written += block.bytes.length;
          if (block.kind === 'too-long') continue;
          assert.ok(block.bytes.length <= 2 * maxRecordBytes + 1);
          // From its start to its end, a block is whole records, but for the last one of the input.
          const findEnd = finder().first;
          let end = 0;
          for (let next = 0; next >= 0 && end < block.bytes.length; ) {
            next = findEnd(block.bytes, end, block.bytes.length);
            if (next >= 0) end = next;
          }
          assert.ok(end === block.bytes.length || written === bytes.length, JSON.stringify(text));
        }
        assert.deepEqual(Buffer.concat(parts), bytes, JSON.stringify(text));
      }
    });
}

for (const [behaviour, change, expected] of [
  ['that grows is read to where its end was seen', () => appendFileSync(path, 'dd\nee\n'), 'aa\nbb\ncc'],
  ['that shrinks ends where it ends', () => truncateSync(path, 4), 'aa\nb'],
] as const) {
  test(`record blocks: a file ${behaviour}`, async () => {
    const limits = { blockBytes: 5, maxRecordBytes: 5 };
    const parts: string[] = [];
    for await (const { bytes } of ofFile(Buffer.from('aa\nbb\ncc'), rowEnds, limits)) {
      parts.push(bytes.toString());
      if (behaviour.includes('shrinks') || bytes.includes('cc')) change();
    }
    assert.equal(parts.join(''), expected);
  });
}
