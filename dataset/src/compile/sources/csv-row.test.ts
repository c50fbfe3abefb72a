import assert from 'node:assert/strict';
import test from 'node:test';
import { csvRow } from './csv-row.ts';

for (const [behaviour, line, want] of [
  ['plain fields', 'a,b,c', ['a', 'b', 'c']],
  ['one field', 'a', ['a']],
  ['an empty row is one empty field', '', ['']],
  ['empty fields', ',"",', ['', '', '']],
  ['a comma inside quotes', '1,"Example, Inc.",x', ['1', 'Example, Inc.', 'x']],
  ['doubled quotes', '"a ""b"" c"', ['a "b" c']],
  ['only doubled quotes', '"""a"""', ['"a"']],
  ['a blank before the quote', '64496, "Example, Inc."', ['64496', 'Example, Inc.']],
  ['a blank after the quote', '"a" ,b', ['a', 'b']],
  ['a quoted field at the end', 'a,"b"', ['a', 'b']],
  ['an empty field after a quoted one', '"a",', ['a', '']],
  ['a quote inside a plain field stays', 'a "b" c,d', ['a "b" c', 'd']],
  ['a quote that is not closed takes the rest', 'x,"a,b', ['x', 'a,b']],
  ['a quote alone', '"', ['']],
  ['text after the closing quote is kept', '"a"b,c', ['ab', 'c']],
] as const) {
  test(`csv-row: ${behaviour}`, () => assert.deepEqual(csvRow(line), want));
}
