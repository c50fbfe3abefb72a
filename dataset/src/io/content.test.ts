import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { bytesContent, ContentError, fileContent } from './content.ts';

test('lines: several chunks, LF and CRLF, a character across two chunks, no newline at the end', () => {
  const folder = mkdtempSync(join(tmpdir(), 'whence-content-'));
  try {
    const long = 'é'.repeat(700_000);
    const path = join(folder, 'text');
    writeFileSync(path, `a\r\n\nx${long}\nlast`);
    assert.deepEqual([...fileContent(path).lines()], ['a', '', `x${long}`, 'last']);
    writeFileSync(path, '');
    assert.deepEqual([...fileContent(path).lines()], []);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('lines and text: a byte order mark is removed', () => {
  assert.deepEqual([...bytesContent('\ufeffa\r\nb\r').lines()], ['a', 'b']);
  assert.equal(bytesContent('\ufeff{}').text(), '{}');
});

for (const [behaviour, read, error] of [
  [
    'a feed with far more lines than records are allowed',
    () => [...bytesContent('1.0.0.1\n'.repeat(5_000), 1_000).lines()],
    /^it has more than 1,000 records$/,
  ],
  [
    'a line that does not end',
    () => [
      ...bytesContent(`${'1'.repeat(1_000_001)}\n`).lines(),
      ...bytesContent('1'.repeat(1_000_001)).lines(),
    ],
    /^it has a line of more than a million characters$/,
  ],
  [
    'a JSON document that is too large to be parsed',
    () => bytesContent(Buffer.alloc(64_000_001, ' ')).text(),
    /^it is one text of 65 MB, and at most 64 MB can be parsed$/,
  ],
] as const)
  test(`content: ${behaviour} is a ContentError`, () => {
    assert.throws(
      read,
      (thrown: Error) => thrown instanceof ContentError && error.test(thrown.message),
    );
  });

test('content: comments and blank lines in addition to the records are accepted', () => {
  const lines = [
    ...bytesContent(`${'# comment\n\n'.repeat(400)}${'1.0.0.1\n'.repeat(1_000)}`, 1_000).lines(),
  ];
  assert.equal(lines.length, 1_800);
});
