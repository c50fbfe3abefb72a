import assert from 'node:assert/strict';
import test from 'node:test';
import { OutputBuffer } from './output-buffer.ts';
import { RecordPieces } from './record-pieces.ts';

test('record pieces: made once, and again after there was no more room', () => {
  const made: number[] = [];
  const text = (record: number) => {
    made.push(record);
    return record === 3 ? '' : String(record).repeat(400_000);
  };
  const pieces = new RecordPieces(9, text, 2_100_000);
  const output = new OutputBuffer();
  for (const record of [1, 2, 1, 3, 3, 2, 4, 5, 4, 1]) {
    pieces.append(record, output);
    assert.equal(output.take().toString(), record === 3 ? '' : String(record).repeat(400_000));
  }
  assert.deepEqual(made, [1, 2, 3, 4, 5, 4, 1]);
});
