import assert from 'node:assert/strict';
import test from 'node:test';
import { detectFormat, parseDelimiter, requestedFormat } from './format.ts';

for (const [behaviour, options, file, want] of [
  ['--format', { format: 'lines' }, 'a.csv', 'lines'],
  ['the file name', {}, 'a.csv', 'csv'],
  ['the file name in capitals, gzipped', {}, 'A.TSV.GZ', 'csv'],
  ['an option of CSV', { delimiter: ';' }, undefined, 'csv'],
  ['--no-header is an option of CSV', { header: false }, undefined, 'csv'],
  ['an option of NDJSON', { field: ['ip'] }, 'a.log', 'ndjson'],
  ['a header is the default and decides nothing', { header: true }, 'a.log', undefined],
  ['no option and no file name', {}, undefined, undefined],
] as const)
  test(`format: ${behaviour}`, () => assert.equal(requestedFormat({ format: 'auto', ...options }, file), want));

for (const [behaviour, head, want] of [
  ['a brace', '{"a":1}', 'ndjson'],
  ['a brace after blank lines', '\r\n \t\n{', 'ndjson'],
  ['a brace after a byte order mark', '\ufeff{', 'ndjson'],
  ['a bracket is not an object', '[{"a":1}]', 'lines'],
  ['a brace later on', 'x {', 'lines'],
  ['nothing', '', 'lines'],
] as const)
  test(`format: by the first character: ${behaviour}`, () => assert.equal(detectFormat(Buffer.from(head)), want));

for (const [option, file, want] of [
  [undefined, undefined, ';'],
  [undefined, 'a.csv', ';'],
  [',', 'a.csv', ','],
  [undefined, 'a.tsv', '\t'],
  [undefined, 'a.tsv.gz', '\t'],
  [';', 'a.tsv', ';'],
  ['tab', undefined, '\t'],
  ['\\t', undefined, '\t'],
  ['|', undefined, '|'],
] as const)
  test(`format: delimiter ${option} of ${file} is ${JSON.stringify(want)}`, () =>
    assert.equal(parseDelimiter(option, file, Buffer.from('ip;name\n')), want));

for (const option of ['', 'ab', '"', '.', ':', '/', '1', 'x', '\n', 'é'])
  test(`format: ${JSON.stringify(option)} is not a delimiter`, () =>
    assert.throws(() => parseDelimiter(option, undefined, Buffer.alloc(0)), /^UsageError: --delimiter is/));
