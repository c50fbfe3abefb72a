import assert from 'node:assert/strict';
import test from 'node:test';
import { OutputBuffer } from './output-buffer.ts';

test('output buffer: input of every length is copied unchanged, also bytes that are NaN as a number', () => {
  // 0x7ff0000000000001 and 0xffffffffffffffff are NaN, 0x7ff0… and 0xfff0… infinite.
  const patterns = [
    '010000000000f07f',
    'ffffffffffffffff',
    '000000000000f07f000000000000f0ff',
    '3139322e302e322e31',
  ];
  for (const pattern of patterns) {
    const source = Buffer.alloc(400, pattern, 'hex');
    const output = new OutputBuffer();
    for (let start = 0; start < 9; start++) {
      for (let end = start; end <= source.length; end++) {
        output.startSource(source);
        output.copyTo(start);
        output.appendByte(0x09);
        output.copyTo(end);
        const want = Buffer.concat([
          source.subarray(0, start),
          Buffer.from('\t'),
          source.subarray(start, end),
        ]);
        assert.deepEqual(output.take(), want, `${pattern}, ${start} to ${end}`);
      }
    }
  }
});
