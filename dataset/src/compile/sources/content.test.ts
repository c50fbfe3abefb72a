import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { bytesContent, fileContent } from './content.ts';

test('lines: pieces, line ends of both kinds, a character cut by a piece, no line end at the end', () => {
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

test('lines and text: a byte order mark is taken off', () => {
  assert.deepEqual([...bytesContent('\ufeffa\r\nb\r').lines()], ['a', 'b']);
  assert.equal(bytesContent('\ufeff{}').text(), '{}');
});
