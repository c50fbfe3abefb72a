import assert from 'node:assert/strict';
import test from 'node:test';
import { csvCell } from './csv-cell.ts';

for (const [behaviour, value, want] of [
  ['plain text is as it is', 'Google LLC', 'Google LLC'],
  ['a delimiter is quoted', 'A, B', '"A, B"'],
  ['quotes are doubled', 'the "A"', '"the ""A"""'],
  ['a line break is quoted', 'a\nb', '"a\nb"'],
  ['a formula gets an apostrophe', '=HYPERLINK("x")', `"'=HYPERLINK(""x"")"`],
  ['so does one that begins with a sign', '-1+cmd', "'-1+cmd"],
  ['or an at sign', '@SUM(A1)', "'@SUM(A1)"],
  ['or a tab', '\t=1', "'\t=1"],
  ['a negative number is a number', -33.87, '-33.87'],
  ['an address is as it is', '2001:db8::1', '2001:db8::1'],
] as const)
  test(`csv: ${behaviour}`, () => assert.equal(csvCell(value), want));

test('csv: another delimiter', () => {
  assert.deepEqual(
    ['a;b', 'a,b'].map((text) => csvCell(text, ';')),
    ['"a;b"', 'a,b'],
  );
});
