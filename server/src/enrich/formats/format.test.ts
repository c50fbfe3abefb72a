import assert from 'node:assert/strict';
import test from 'node:test';
import { detectFormat, parseDelimiter, requestedFormat } from './format.ts';

for (const [behaviour, options, file, want] of [
  ['--format', { format: 'lines' }, 'a.csv', 'lines'],
  ['the file name', {}, 'a.csv', 'csv'],
  ['the file name in capitals, gzipped', {}, 'A.TSV.GZ', 'csv'],
  ['an option of CSV', { delimiter: ';' }, '-', 'csv'],
  ['--no-header is an option of CSV', { header: false }, '-', 'csv'],
  ['a header is the default and decides nothing', { header: true }, 'a.log', undefined],
  ['no option and no file name', {}, '-', undefined],
] as const)
  test(`format: ${behaviour}`, () =>
    assert.equal(requestedFormat({ format: 'auto', ...options }, file), want));

for (const [behaviour, head, want] of [
  ['a brace', '{"a":1}', 'ndjson'],
  ['a brace after blank lines', '\r\n \t\n{', 'ndjson'],
  ['a brace after a byte order mark', '\ufeff{', 'ndjson'],
  ['a bracket around a date', '[Mon Nov 16 13:00:00 2026] [error] [client 192.0.2.1]', 'lines'],
  ['a brace later on', 'x {', 'lines'],
  ['nothing', '', 'lines'],
] as const)
  test(`format: by the first character: ${behaviour}`, () =>
    assert.equal(detectFormat(Buffer.from(head), { format: 'auto' }), want));

for (const [option, file, want] of [
  [undefined, '-', ';'],
  [undefined, 'a.csv', ';'],
  [',', 'a.csv', ','],
  [undefined, 'a.tsv', '\t'],
  [undefined, 'a.tsv.gz', '\t'],
  [';', 'a.tsv', ';'],
  ['tab', '-', '\t'],
  ['\\t', '-', '\t'],
  ['|', '-', '|'],
] as const)
  test(`format: delimiter ${option} of ${file} is ${JSON.stringify(want)}`, () =>
    assert.equal(parseDelimiter(option, file, Buffer.from('ip;name\n')), want));

for (const option of ['', 'ab', '"', '.', ':', '/', '1', 'x', '\n', 'é'])
  test(`format: ${JSON.stringify(option)} is not a delimiter`, () =>
    assert.throws(
      () => parseDelimiter(option, '-', Buffer.alloc(0)),
      /^UsageError: --delimiter is/,
    ));

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
  ['a single column, for which any will do', 'ip\n192.0.2.1\n', ','],
  ['nothing', '', ','],
] as const)
  test(`format: the delimiter is detected: ${behaviour}`, () =>
    assert.equal(parseDelimiter(undefined, '-', Buffer.from(text)), want));
