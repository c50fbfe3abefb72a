import assert from 'node:assert/strict';
import test from 'node:test';
import { terminalLine } from './log-line.ts';
import { printable, printableLines } from './printable.ts';
import { PLAIN } from './style.ts';

for (const [behaviour, text, want] of [
  ['plain text stays', 'Exämple "Nord" GmbH \\x1b', 'Exämple "Nord" GmbH \\x1b'],
  ['other scripts, emoji and joiners stay', '株式会社 شركة 👩\u200d🚀', '株式会社 شركة 👩\u200d🚀'],
  ['a colour', '\x1b[31mred', '\\x1b[31mred'],
  ['a window title', '\x1b]0;title\x07', '\\x1b]0;title\\x07'],
  ['line feed, carriage return and tab', 'a\nb\rc\td', 'a\\nb\\rc\\td'],
  ['NUL, backspace, vertical tab and DEL', '\0\b\v\x7f', '\\x00\\x08\\x0b\\x7f'],
  ['C1: CSI in one character, and next line', '\x9b31m\x85', '\\x9b31m\\x85'],
  ['bidi overrides', 'a\u202etxt.exe\u202c', 'a\\u202etxt.exe\\u202c'],
  [
    'bidi isolates and marks',
    '\u2066\u2069\u200e\u200f\u061c',
    '\\u2066\\u2069\\u200e\\u200f\\u061c',
  ],
  ['invisible characters', '8.8.8.8\u200b\u2060\ufeff\u00ad', '8.8.8.8\\u200b\\u2060\\ufeff\\xad'],
  ['line and paragraph separators', '\u2028\u2029', '\\u2028\\u2029'],
  ['lone surrogates, not pairs', '\ud800 \udc00 \ud83d\ude80', '\\ud800 \\udc00 🚀'],
  ['nothing', '', ''],
] as const)
  test(`printable: ${behaviour}`, () => {
    assert.equal(printable(text), want);
    assert.equal(printable(want), want, 'printing it again changes nothing');
  });

test('printable: no character below U+3000 reaches a terminal as a control', () => {
  for (let code = 0; code < 0x3000; code++)
    assert.doesNotMatch(
      printable(String.fromCharCode(code)),
      /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u,
    );
});

test('printable: the lines of a message stay lines', () => {
  assert.equal(
    printableLines('none could be read\n  a: \x1b[2J\r\n'),
    'none could be read\n  a: \\x1b[2J\\r\n',
  );
});

const TIME = new Date(2026, 0, 2, 3, 4, 5).toISOString();
for (const [behaviour, line, want] of [
  [
    'message and fields',
    { level: 'warn', time: TIME, pid: 7, msg: 'hello', port: 1, list: ['a'] },
    '[03:04:05] WARN: hello\n    port: 1\n    list: ["a"]\n',
  ],
  [
    'an error with its stack',
    { level: 'error', msg: 'x', err: { message: 'm', stack: 'Error: m\n  at a\x1b[2J' } },
    'ERROR: x\n    err: Error: m\n      at a\\x1b[2J\n',
  ],
  [
    'control characters',
    { level: 'info', msg: 'a\x1b[31m', name: '\u202eb' },
    'INFO: a\\x1b[31m\n    name: \\u202eb\n',
  ],
  ['a line that is not JSON', 'no \x07 json\n', 'no \\x07 json\n'],
  ['JSON that is not an object', '7\n', '7\n'],
] as const)
  test(`log line on a terminal: ${behaviour}`, () => {
    assert.equal(
      terminalLine(typeof line === 'string' ? line : `${JSON.stringify(line)}\n`, PLAIN),
      want,
    );
  });
