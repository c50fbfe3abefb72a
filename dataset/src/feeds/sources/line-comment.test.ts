import assert from 'node:assert/strict';
import test from 'node:test';
import { withoutComment } from './line-comment.ts';

for (const [behaviour, line, want] of [
  ['no comment', ' 192.0.2.1 ', '192.0.2.1'],
  ['a comment line', '# 192.0.2.1', ''],
  ['a comment line with a semicolon', '; 192.0.2.1', ''],
  ['a comment line with slashes', '// 192.0.2.1', ''],
  ['a comment after white space', '  // 192.0.2.1', ''],
  ['after an address', '192.0.2.1 # a remark', '192.0.2.1'],
  ['after a prefix, without white space', '192.0.2.0/24;SBL1', '192.0.2.0/24'],
  ['with slashes after a prefix', '192.0.2.0/24 // a remark', '192.0.2.0/24'],
  ['two slashes inside a prefix are not a comment', '192.0.2.0//24', '192.0.2.0//24'],
  ['nothing', '', ''],
] as const) {
  test(`line-comment: ${behaviour}`, () => assert.equal(withoutComment(line), want));
}
