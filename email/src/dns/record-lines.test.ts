import assert from 'node:assert/strict';
import test from 'node:test';
import { looksLikeRecordLine, parseRecordLines } from './record-lines.ts';

const txt = (name: string, text: string) => ({ name, type: 'TXT', text });

for (const [behaviour, lines, want] of [
  [
    'an absolute name',
    '_dmarc.example.com. IN TXT "v=DMARC1; p=none"',
    [txt('_dmarc.example.com', 'v=DMARC1; p=none')],
  ],
  ['a relative name', '_dmarc TXT "v=DMARC1"', [txt('_dmarc.example.com', 'v=DMARC1')]],
  ['@ is the domain', '@ IN TXT "v=spf1 -all"', [txt('example.com', 'v=spf1 -all')]],
  [
    'upper case',
    '@ in txt "X"\nMX.Example.COM. in a 192.0.2.1',
    [txt('example.com', 'X'), { name: 'mx.example.com', type: 'A', value: '192.0.2.1' }],
  ],
  [
    'TTL and class, or one of them',
    'a 3600 IN TXT "1"\nb 1h TXT "2"\nc IN TXT "3"',
    [txt('a.example.com', '1'), txt('b.example.com', '2'), txt('c.example.com', '3')],
  ],
  [
    'an answer of dig, with its comments',
    ';; ANSWER SECTION:\nexample.com.\t\t300\tIN\tTXT\t"v=spf1 " "-all"\n\n;; Query time: 1 msec',
    [txt('example.com', 'v=spf1 -all')],
  ],
  [
    'blanks before a line',
    '   s1._domainkey IN TXT "p="',
    [txt('s1._domainkey.example.com', 'p=')],
  ],
  [
    'a comment after a value',
    '@ TXT "a;b" ; "c"\n@ MX 10 mx ; d',
    [
      txt('example.com', 'a;b'),
      { name: 'example.com', type: 'MX', preference: 10, exchange: 'mx.example.com' },
    ],
  ],
  ['escapes', '@ TXT "a\\"b\\\\c\\100\\195\\188"', [txt('example.com', 'a"b\\cd\xc3\xbc')]],
  ['text outside ASCII is UTF-8', '@ TXT "ü"', [txt('example.com', '\xc3\xbc')]],
  ['an empty text, which removes a record', '@ TXT ""', [txt('example.com', '')]],
  [
    'a host elsewhere',
    '@ MX 20 mx.other.example.',
    [{ name: 'example.com', type: 'MX', preference: 20, exchange: 'mx.other.example' }],
  ],
  ['a null MX', '@ IN MX 0 .', [{ name: 'example.com', type: 'MX', preference: 0, exchange: '.' }]],
  [
    'CNAME',
    's1._domainkey CNAME s1.dkim.provider.example.',
    [{ name: 's1._domainkey.example.com', type: 'CNAME', value: 's1.dkim.provider.example' }],
  ],
  [
    'line ends of Windows',
    '@ TXT "a"\r\nb TXT "c"\r\n',
    [txt('example.com', 'a'), txt('b.example.com', 'c')],
  ],
  ['nothing', '; only a comment\n\n', []],
] as const)
  test(`record lines: ${behaviour}`, () => {
    const { records, fault } = parseRecordLines(lines, 'example.com');
    assert.equal(fault, undefined);
    assert.deepEqual(records, want);
  });

for (const [behaviour, lines, line, expected] of [
  ['a quotation mark that is not closed', '@ TXT "a\nb TXT "c"', 1, /in quotation marks/],
  ['a text without quotation marks', '@ TXT v=spf1 -all', 1, /in quotation marks/],
  ['a string that is too long', `@ TXT "${'x'.repeat(256)}"`, 1, /at most 255 bytes, not 256/],
  ['a name elsewhere', '\nother.example. TXT "x"', 2, /names in example\.com, not other\.example/],
  ['no type', '@ "v=spf1 -all"', 1, /a type such as TXT or MX/],
  ['a line without a name', '@ TXT "a"\n  IN TXT "b"', 2, /a name, then a type/],
  ['a line with its TTL first', '3600 IN TXT "b"', 1, /a name, then a type/],
  ['$ORIGIN', '$ORIGIN _domainkey.example.com.\ns1 TXT "p="', 1, /a name, then a type/],
  ['parentheses', '@ TXT ( "a"\n"b" )', 1, /in quotation marks/],
  ['thirty thousand TTLs', `@ ${'1 '.repeat(30_000)}`, 1, /a name, then a type/],
  // Tried in every division, this one would not end.
  ['digits that are no TTL', `@ ${'1'.repeat(60)}! TXT "x"`, 1, /a name, then a type/],
  ['MX without a preference', '@ MX mx.example.com.', 1, /a preference and a host/],
  ['two addresses', 'mx A 192.0.2.1 192.0.2.2', 1, /one IPv4 address after A/],
  ['A without an address', 'mx A mx.example.net.', 1, /one IPv4 address after A/],
  ['an address of the other family', 'mx AAAA 192.0.2.1', 1, /one IPv6 address after AAAA/],
  ['an address with a zone', 'mx AAAA fe80::1%eth0', 1, /one IPv6 address after AAAA/],
  ['a number of more than a byte', '@ TXT "\\999"', 1, /from 000 to 255/],
  ['a name outside ASCII', 'bücher TXT "x"', 1, /a name in ASCII/],
  ['TXT without a text', '@ TXT', 1, /a text in quotation marks/],
  ['too many records', '@ TXT "x"\n'.repeat(501), 501, /at most 500/],
] as const)
  test(`record lines: refused: ${behaviour}`, () => {
    const { records, fault } = parseRecordLines(lines, 'example.com');
    assert.deepEqual([records, fault?.line], [[], line]);
    assert.match(fault?.expected ?? '', expected);
  });

for (const [behaviour, lines, want] of [
  [
    'a final dot that was forgotten',
    '_dmarc.example.com TXT "x"',
    /line 1: _dmarc\.example\.com lacks its final dot/,
  ],
  ['types that are not read', '@ SOA ns. 1 2 3 4 5', /line 1: records of type SOA are not read/],
] as const)
  test(`record lines: ${behaviour} is said`, () =>
    assert.match(parseRecordLines(lines, 'example.com').notes.join(), want));

test('record lines: what lacks its final dot is read as it was meant', () =>
  assert.equal(
    parseRecordLines('_dmarc.example.com TXT "x"', 'example.com').records[0]?.name,
    '_dmarc.example.com',
  ));

for (const [text, want] of [
  ['example.com. IN TXT "v=spf1 -all"', true],
  ['_dmarc 300 TXT "v=DMARC1"', true],
  ['@ MX 10 mx.example.com.', true],
  ['v=spf1 mx a -all', false],
  ['"v=spf1 mx -all"', false],
  ['10 mx.example.com', false],
  ['v=DMARC1; p=none', false],
] as const)
  test(`record lines: ${text} is ${want ? 'a line' : 'a text'}`, () =>
    assert.equal(looksLikeRecordLine(text), want));
