import assert from 'node:assert/strict';
import test from 'node:test';
import { newCounts } from './counts.ts';
import { rowEnd } from './csv-row.ts';
import { OutputBuffer } from './output-buffer.ts';
import { lineEnd, MAX_RECORD_BYTES, type RecordEnd, RecordStream } from './record-stream.ts';

/** Each record between `<` and `>`, fed in pieces of this size. */
function cut(text: string, pieceBytes: number, findEnd: RecordEnd) {
  const output = new OutputBuffer();
  const counts = newCounts();
  const write = (bytes: Buffer, start: number, end: number) => {
    output.appendByte(0x3c);
    output.append(bytes, start, end);
    output.appendByte(0x3e);
  };
  const records = new RecordStream(findEnd, write, counts, output);
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += pieceBytes) records.feed(bytes.subarray(at, at + pieceBytes));
  records.end();
  return { text: output.take().toString(), counts };
}

for (const [behaviour, text, want, lines] of [
  ['every line is one', 'a\nbc\n', '<a>\n<bc>\n', 2],
  ['a last line without end stays without', 'a\nbc', '<a>\n<bc>', 2],
  ['CRLF is kept', 'a\r\nb\n\r\n', '<a>\r\n<b>\n<>\r\n', 3],
  ['a CR elsewhere belongs to the line', 'a\rb\r\r\n', '<a\rb\r>\r\n', 1],
  ['blank lines', '\n\n', '<>\n<>\n', 2],
  ['nothing', '', '', 0],
] as const)
  for (const pieceBytes of [1, 2, 3, 1000])
    test(`record stream: ${behaviour}, in pieces of ${pieceBytes}`, () => {
      const { text: result, counts } = cut(text, pieceBytes, lineEnd);
      assert.deepEqual([result, counts.lines], [want, lines]);
    });

for (const [behaviour, text, want] of [
  ['a line end in quotes belongs to the row', 'a,"b\nc"\nd,e\n', '<a,"b\nc">\n<d,e>\n'],
  ['two quotes are one', '"a""\n",b\nc\n', '<"a""\n",b>\n<c>\n'],
  ['a quote inside a cell is only a quote', 'a"b\nc"\n', '<a"b>\n<c">\n'],
  ['a quoted cell at the end, CRLF', 'a,"b"\r\n"c"\r\n', '<a,"b">\r\n<"c">\r\n'],
  ['a quote that is never closed', 'a,"b\nc\n', '<a,"b\nc>\n'],
] as const)
  for (const pieceBytes of [1, 2, 1000])
    test(`record stream: csv: ${behaviour}, in pieces of ${pieceBytes}`, () =>
      assert.equal(cut(text, pieceBytes, rowEnd(0x2c)).text, want));

for (const pieceBytes of [1000, 65_536, 5_000_000])
  test(`record stream: a line that is too long is passed on and counted once, in pieces of ${pieceBytes}`, () => {
    const long = 'x'.repeat(3 * MAX_RECORD_BYTES);
    const longest = 'y'.repeat(MAX_RECORD_BYTES - 1);
    const { text, counts } = cut(`a\n${long}\n${longest}\nb\n${long}`, pieceBytes, lineEnd);
    assert.ok(text === `<a>\n${long}\n<${longest}>\n<b>\n${long}`);
    assert.deepEqual([counts.lines, counts.too_long], [5, 2]);
  });

test('record stream: a line in a million pieces takes no longer than a moment', () => {
  const started = performance.now();
  cut(`${'x'.repeat(900_000)}\n`, 1, lineEnd);
  assert.ok(performance.now() - started < 5000);
});
