import assert from 'node:assert/strict';
import test from 'node:test';
import { seededRandom } from '@whence/testing/seeded-random';
import { rowEndFinder } from './formats/csv-row.ts';
import { type RecordEnds, recordBlocks } from './record-blocks.ts';
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

for (const [kind, finder, pieces] of [
  ['lines', () => ({ first: findLineEnd, last: findLastLineEnd }), ['a', 'bb', '\n', '\r\n', '"', 'x'.repeat(70)]],
  ['rows of CSV', rowEnds, ['a', ',', '"', '""', ',"', '",', '\n', '\n', '\r\n', 'x'.repeat(70)]],
] as [string, () => RecordEnds, string[]][]) {
  test(`record blocks: ${kind} are never cut, and nothing is lost (seed ${SEED})`, async () => {
    const random = seededRandom(SEED);
    for (let i = 0; i < 2_000; i++) {
      const count = Math.floor(random() * 60);
      const text = Array.from({ length: count }, () => pieces[Math.floor(random() * pieces.length)]).join('');
      const bytes = Buffer.from(text);
      const blockBytes = 1 + Math.floor(random() * 100);
      const maxRecordBytes = random() < 0.5 ? blockBytes : 4 * blockBytes;
      const parts: Buffer[] = [];
      let written = 0;
      for await (const block of recordBlocks(inPieces(bytes, random), finder(), { blockBytes, maxRecordBytes })) {
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
