import assert from 'node:assert/strict';
import test from 'node:test';
import { processorMs } from '@whence/testing/processor-time';
import { newCounts } from './counts.ts';
import { rowEndFinder } from './formats/csv-row.ts';
import { OutputBuffer } from './output-buffer.ts';
import { findLineEnd, type RecordEndFinder, RecordStream } from './record-stream.ts';

const MAX_RECORD_BYTES = 1_000_000;

/** Wraps each record in `<` and `>`; the text is fed in chunks of `chunkBytes`. */
function split(text: string, chunkBytes: number, findEnd: RecordEndFinder) {
  const output = new OutputBuffer();
  const counts = newCounts();
  const write = (_bytes: Buffer, start: number, end: number) => {
    output.copyTo(start);
    output.appendByte(0x3c);
    output.copyTo(end);
    output.appendByte(0x3e);
  };
  const records = new RecordStream(findEnd, write, counts, output, MAX_RECORD_BYTES);
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += chunkBytes)
    records.feed(bytes.subarray(at, at + chunkBytes));
  records.end();
  return { text: output.take().toString(), counts };
}

for (const [behaviour, text, want, lines] of [
  ['lines', 'a\nbc\n', '<a>\n<bc>\n', 2],
  ['no line break is added to the last line', 'a\nbc', '<a>\n<bc>', 2],
  ['CRLF is kept', 'a\r\nb\n\r\n', '<a>\r\n<b>\n<>\r\n', 3],
  ['any other CR belongs to the line', 'a\rb\r\r\n', '<a\rb\r>\r\n', 1],
  ['empty lines', '\n\n', '<>\n<>\n', 2],
  ['nothing', '', '', 0],
] as const)
  for (const chunkBytes of [1, 2, 3, 1000])
    test(`record stream: ${behaviour}, in chunks of ${chunkBytes}`, () => {
      const { text: result, counts } = split(text, chunkBytes, findLineEnd);
      assert.deepEqual([result, counts.lines], [want, lines]);
    });

for (const [behaviour, text, want] of [
  ['a line break in quotes belongs to the row', 'a,"b\nc"\nd,e\n', '<a,"b\nc">\n<d,e>\n'],
  ['a doubled quote is a quote', '"a""\n",b\nc\n', '<"a""\n",b>\n<c>\n'],
  ['a quote inside a cell has no meaning', 'a"b\nc"\n', '<a"b>\n<c">\n'],
  ['a quoted cell at the end, CRLF', 'a,"b"\r\n"c"\r\n', '<a,"b">\r\n<"c">\r\n'],
  ['a quote that is never closed', 'a,"b\nc\n', '<a,"b\nc>\n'],
] as const)
  for (const chunkBytes of [1, 2, 1000])
    test(`record stream: csv: ${behaviour}, in chunks of ${chunkBytes}`, () =>
      assert.equal(split(text, chunkBytes, rowEndFinder(0x2c)).text, want));

for (const chunkBytes of [1000, 65_536, 5_000_000])
  test(`record stream: a line above the limit is passed on and counted once, in chunks of ${chunkBytes}`, () => {
    const long = 'x'.repeat(3 * MAX_RECORD_BYTES);
    const longest = 'y'.repeat(MAX_RECORD_BYTES - 1);
    const { text, counts } = split(`a\n${long}\n${longest}\nb\n${long}`, chunkBytes, findLineEnd);
    assert.ok(text === `<a>\n${long}\n<${longest}>\n<b>\n${long}`);
    assert.deepEqual([counts.lines, counts.too_long], [5, 2]);
  });

test('record stream: a line in a million chunks is not copied a million times', async () => {
  const ms = await processorMs(() => split(`${'x'.repeat(900_000)}\n`, 1, findLineEnd));
  assert.ok(ms < 10_000, `${ms} ms; copied each time it would be minutes`);
});
