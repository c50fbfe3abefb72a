import assert from 'node:assert/strict';
import test from 'node:test';
import { cutText, excerpt, visible } from './visible-text.ts';

for (const [behaviour, text, want] of [
  ['a short text stays as it is', 'v=spf1 -all', 'v=spf1 -all'],
  ['a text of just the limit too', 'x'.repeat(20), 'x'.repeat(20)],
  ['a longer one is cut', 'x'.repeat(60_000), `${'x'.repeat(20)}…`],
  ['control characters are written out', 'a\x1b[2Jb\n', 'a\\x1b[2Jb\\x0a'],
  ['bytes above ASCII too', 'caf\xe9', 'caf\\xe9'],
  ['characters beyond a byte', 'a\u202eb', 'a\\u{202e}b'],
  ['escapes count as the characters they take', '\x07'.repeat(20), `${'\\x07'.repeat(5)}…`],
] as const)
  test(`excerpt: ${behaviour}`, () => assert.equal(excerpt(text, 20), want));

for (const [behaviour, text, want] of [
  ['ordinary text stays', 'v=spf1 -all … caf\xe9', 'v=spf1 -all … caf\xe9'],
  ['escape sequences', '\x1b]0;title\x07\x9b2J', '\\x1b]0;title\\x07\\x9b2J'],
  ['line breaks', 'a\nb\r\u2028c', 'a\\x0ab\\x0d\\u{2028}c'],
  ['the direction of writing', 'a\u202eb', 'a\\u{202e}b'],
  ['half a surrogate pair', 'a\ud83d', 'a\\u{d83d}'],
] as const)
  test(`visible text: ${behaviour}`, () => assert.equal(visible(text), want));

test('visible text: a long one is cut', () => {
  assert.equal(cutText('x'.repeat(500)).length, 500);
  assert.equal(cutText('x'.repeat(501)), `${'x'.repeat(499)}…`);
});
