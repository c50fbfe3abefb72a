import assert from 'node:assert/strict';
import test from 'node:test';
import { askedFormat, delimiterOf, formatOf } from './format.ts';

for (const [behaviour, options, file, want] of [
  ['what was asked for', { format: 'lines' }, 'a.csv', 'lines'],
  ['the name of the file', {}, 'a.csv', 'csv'],
  ['the name of the file in capitals, packed', {}, 'A.TSV.GZ', 'csv'],
  ['an option that only CSV has', { delimiter: ';' }, undefined, 'csv'],
  ['no header is one too', { header: false }, undefined, 'csv'],
  ['an option that only NDJSON has', { field: ['ip'] }, 'a.log', 'ndjson'],
  ['a header is the default and asks for nothing', { header: true }, 'a.log', undefined],
  ['nothing asks', {}, undefined, undefined],
] as const)
  test(`format: ${behaviour}`, () => assert.equal(askedFormat({ format: 'auto', ...options }, file), want));

for (const [behaviour, head, want] of [
  ['a brace', '{"a":1}', 'ndjson'],
  ['a brace after blank lines', '\r\n \t\n{', 'ndjson'],
  ['a brace after a byte order mark', '\ufeff{', 'ndjson'],
  ['a bracket is not an object', '[{"a":1}]', 'lines'],
  ['a brace later on', 'x {', 'lines'],
  ['nothing', '', 'lines'],
] as const)
  test(`format: by the first character: ${behaviour}`, () => assert.equal(formatOf(Buffer.from(head)), want));

for (const [asked, file, want] of [
  [undefined, undefined, ','],
  [undefined, 'a.tsv', '\t'],
  [undefined, 'a.tsv.gz', '\t'],
  [';', 'a.tsv', ';'],
  ['tab', undefined, '\t'],
  ['\\t', undefined, '\t'],
  ['|', undefined, '|'],
] as const)
  test(`format: delimiter ${asked} of ${file} is ${JSON.stringify(want)}`, () =>
    assert.equal(delimiterOf(asked, file), want));

for (const asked of ['', 'ab', '"', '.', ':', '/', '1', 'x', '\n', 'é'])
  test(`format: ${JSON.stringify(asked)} is no delimiter`, () =>
    assert.throws(() => delimiterOf(asked, undefined), /^UsageError: --delimiter is/));
