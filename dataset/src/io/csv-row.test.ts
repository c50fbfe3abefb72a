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
  ['white space before the quote', '64496, "Example, Inc."', ['64496', 'Example, Inc.']],
  ['white space after the quote', '"a" ,b', ['a', 'b']],
  ['a quoted field at the end', 'a,"b"', ['a', 'b']],
  ['an empty field after a quoted one', '"a",', ['a', '']],
  ['a quote inside a plain field is kept', 'a "b" c,d', ['a "b" c', 'd']],
  ['an unclosed quote takes the rest of the row', 'x,"a,b', ['x', 'a,b']],
  ['a single quote', '"', ['']],
  ['text after the closing quote is kept', '"a"b,c', ['ab', 'c']],
] as const) {
  test(`csv-row: ${behaviour}`, () => assert.deepEqual(csvRow(line), want));
}
