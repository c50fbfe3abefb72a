import assert from 'node:assert/strict';
import test from 'node:test';
import { OutputBuffer } from './output-buffer.ts';
import { TextCache } from './text-cache.ts';

test('text cache: a text is encoded once, and again after the cache was full', () => {
  const encoded: number[] = [];
  const encode = (record: number) => {
    encoded.push(record);
    return record === 3 ? '' : String(record).repeat(400_000);
  };
  const cache = new TextCache(9, encode, 2_100_000);
  const output = new OutputBuffer();
  for (const record of [1, 2, 1, 3, 3, 2, 4, 5, 4, 1]) {
    cache.append(record, record, output);
    assert.equal(output.take().toString(), record === 3 ? '' : String(record).repeat(400_000));
  }
  assert.deepEqual(encoded, [1, 2, 3, 4, 5, 4, 1]);
});
