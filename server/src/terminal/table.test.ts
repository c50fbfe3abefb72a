import assert from 'node:assert/strict';
import test from 'node:test';
import { formatTable } from './table.ts';

for (const [behaviour, rows, want] of [
  [
    'columns are as wide as their widest cell',
    [
      ['a', 'long cell', 'x'],
      ['bbb', 'c'],
    ],
    'a    long cell  x\nbbb  c\n',
  ],
  [
    'cells are printable, and aligned as they are printed',
    [
      ['\x1b[1mname', 'x'],
      ['two\nlines', 'y'],
    ],
    '\\x1b[1mname  x\ntwo\\nlines   y\n',
  ],
  ['no rows', [], ''],
] as const)
  test(`table: ${behaviour}`, () => assert.equal(formatTable(rows), want));
