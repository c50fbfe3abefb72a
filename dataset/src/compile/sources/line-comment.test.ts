import assert from 'node:assert/strict';
import test from 'node:test';
import { withoutComment } from './line-comment.ts';

for (const [behaviour, line, want] of [
  ['no comment', ' 192.0.2.1 ', '192.0.2.1'],
  ['a line of it', '# 192.0.2.1', ''],
  ['a line of it with a semicolon', '; 192.0.2.1', ''],
  ['a line of it with slashes', '// 192.0.2.1', ''],
  ['after blanks', '  // 192.0.2.1', ''],
  ['behind an address', '192.0.2.1 # a remark', '192.0.2.1'],
  ['behind a prefix, without a blank', '192.0.2.0/24;SBL1', '192.0.2.0/24'],
  ['with slashes behind a prefix', '192.0.2.0/24 // a remark', '192.0.2.0/24'],
  ['two slashes inside a prefix are none', '192.0.2.0//24', '192.0.2.0//24'],
  ['nothing', '', ''],
] as const) {
  test(`line-comment: ${behaviour}`, () => assert.equal(withoutComment(line), want));
}
