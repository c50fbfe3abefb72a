import assert from 'node:assert/strict';
import test from 'node:test';
import { zoneFileLine } from './zone-file.ts';

for (const [behaviour, record, want] of [
  [
    'names end in a dot, a semicolon is in quotation marks',
    { name: '_dmarc.example.com', type: 'TXT', text: 'v=DMARC1; p=none' },
    '_dmarc.example.com. IN TXT "v=DMARC1; p=none"',
  ],
  [
    'a string holds 255 bytes',
    { name: 'example.com', type: 'TXT', text: `${'a'.repeat(255)}bc` },
    `example.com. IN TXT "${'a'.repeat(255)}" "bc"`,
  ],
  [
    'quotation marks, backslashes and other bytes',
    { name: 'example.com', type: 'TXT', text: 'a"b\\c\td\xe9' },
    'example.com. IN TXT "a\\"b\\\\c\\009d\\233"',
  ],
  ['an empty text', { name: 'example.com', type: 'TXT', text: '' }, 'example.com. IN TXT ""'],
  [
    'a mail host',
    { name: 'example.com', type: 'MX', preference: 10, exchange: 'mx.example.com' },
    'example.com. IN MX 10 mx.example.com.',
  ],
  [
    'a null MX',
    { name: 'example.com', type: 'MX', preference: 0, exchange: '.' },
    'example.com. IN MX 0 .',
  ],
] as const)
  test(`zone file: ${behaviour}`, () => assert.equal(zoneFileLine(record), want));
