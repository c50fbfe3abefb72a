import assert from 'node:assert/strict';
import test from 'node:test';
import { detectDelimiter } from './detect-delimiter.ts';

for (const [behaviour, text, want] of [
  ['commas', 'ip,name\n192.0.2.1,a\n', ','],
  ['semicolons', 'ip;name\n192.0.2.1;a\n', ';'],
  ['tabs', 'ip\tname\r\n192.0.2.1\ta\r\n', '\t'],
  ['decimal commas between semicolons', '192.0.2.1;3,5;4,5\n192.0.2.2;1,5;2,5\n', ';'],
  ['as many decimal commas as semicolons', '192.0.2.1;3,5\n', ';'],
  ['semicolons in a column between commas', 'ip,agent\n192.0.2.1,Mozilla (X11; Linux; rv)\n', ','],
  ['semicolons in quotes', '"a;b;c",ip\n"d;e;f",2001:db8::1\n', ','],
  ['a line break in quotes', '"a\nb";ip\n"c\nd";192.0.2.1\n', ';'],
  ['commas in a header between tabs', 'last name, first name\tip\nDoe, Jo\t192.0.2.1\n', '\t'],
  ['a row that is cut off', 'ip;name\n192.0.2.1;a\n192.0', ';'],
  ['a header alone', 'ip;name', ';'],
  ['a byte order mark', '\ufeffip;name\n192.0.2.1;a\n', ';'],
  ['empty lines first', '\n\nip;name\n192.0.2.1;a\n', ';'],
  ['a single column', 'ip\n192.0.2.1\n', undefined],
  ['nothing', '', undefined],
] as const)
  test(`delimiter: ${behaviour}`, () => assert.equal(detectDelimiter(Buffer.from(text)), want));
