import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { formatFinding } from '../findings/finding.ts';
import { findLookalike, parseSpf, selectSpf } from './spf.ts';

for (const [behaviour, txt, want] of [
  ['no TXT at all', [], { kind: 'none' }],
  ['only other TXT', ['google-site-verification=x', 'v=spf2.0/pra -all'], { kind: 'none' }],
  [
    'one among others, bytes and all',
    ['\x96', 'v=spf1 -all', 'hello'],
    { kind: 'one', raw: 'v=spf1 -all' },
  ],
  ['the version alone', ['v=spf1'], { kind: 'one', raw: 'v=spf1' }],
  ['the version in any case', ['V=sPf1 ~all'], { kind: 'one', raw: 'V=sPf1 ~all' }],
  ['a version that goes on', ['v=spf10', 'v=spf1mx -all'], { kind: 'none' }],
  [
    'a version that goes on beside one that does not',
    ['v=spf10', 'v=spf1 mx'],
    { kind: 'one', raw: 'v=spf1 mx' },
  ],
  ['a leading space', [' v=spf1 -all'], { kind: 'none' }],
  ['a quotation mark', ['"v=spf1 -all"'], { kind: 'none' }],
  ['a TAB after the version', ['v=spf1\t-all'], { kind: 'none' }],
  [
    'two records',
    ['v=spf1 -all', 'x', 'V=SPF1 +all'],
    { kind: 'multiple', raw: 'v=spf1 -all', raws: ['v=spf1 -all', 'V=SPF1 +all'] },
  ],
  [
    'two equal records',
    ['v=spf1 -all', 'v=spf1 -all'],
    { kind: 'multiple', raw: 'v=spf1 -all', raws: ['v=spf1 -all', 'v=spf1 -all'] },
  ],
] as const) {
  test(`spf selection: ${behaviour}`, () => assert.deepEqual(selectSpf(txt), want));
}

for (const [behaviour, text, isLookalike] of [
  ['in quotation marks', '"v=spf1 mx -all"', true],
  ['indented', '  v=spf1 mx -all', true],
  ['with a semicolon', 'v=spf1; mx -all', true],
  ['without the blank', 'v=spf1mx -all', true],
  ['with blanks inside', 'v = spf 1 mx', true],
  ['without v=', 'spf1 mx -all', true],
  ['in typographic quotation marks', '\xe2\x80\x9cv=spf1 mx -all\xe2\x80\x9d', true],
  ['SPF itself', 'v=spf1 mx -all', false],
  ['Sender ID', 'spf2.0/pra -all', false],
  ['another text', 'see v=spf1 mx -all', false],
] as const)
  test(`spf lookalike: ${behaviour}`, () =>
    assert.equal(findLookalike(['x', text]), isLookalike ? text : undefined));

for (const [behaviour, record, ...mechanisms] of [
  ['the version alone', 'v=spf1'],
  ['spaces after it', 'v=spf1   '],
  ['several spaces between terms', 'v=spf1 a  mx   -all', 'a', 'mx', '-all'],
  ['spaces at the end', 'v=spf1 mx -all  ', 'mx', '-all'],
  ['names in any case', 'V=SPF1 Ip4:192.0.2.1 MX -ALL', 'Ip4:192.0.2.1', 'MX', '-ALL'],
  ['every qualifier', 'v=spf1 +a -mx ?ptr ~all', '+a', '-mx', '?ptr', '~all'],
  ['terms after all', 'v=spf1 all -all a', 'all', '-all', 'a'],
  [
    'modifiers among mechanisms',
    'v=spf1 redirect=b.example.com a exp=e.example.com',
    'redirect=b.example.com',
    'a',
    'exp=e.example.com',
  ],
  [
    'an unknown modifier',
    'v=spf1 moo.cow-far_out=man:dog/cat -all',
    'moo.cow-far_out=man:dog/cat',
    '-all',
  ],
  ['an unknown modifier without a value', 'v=spf1 default= -all', 'default=', '-all'],
  [
    'a mechanism name before = is an unknown modifier',
    'v=spf1 include=example.com -all',
    'include=example.com',
    '-all',
  ],
  [
    'a name with slashes and colons',
    'v=spf1 a:foo:bar/baz.example.com',
    'a:foo:bar/baz.example.com',
  ],
  [
    'final dots',
    'v=spf1 include:o.example.com. redirect=%{d}.d.example.com.',
    'include:o.example.com.',
    'redirect=%{d}.d.example.com.',
  ],
  ['names with underscores', 'v=spf1 include:_spf.example.com', 'include:_spf.example.com'],
  [
    'an address family of its own length',
    'v=spf1 a/0 a//0 mx/32//128 a:%{d}/24//64',
    'a/0',
    'a//0',
    'mx/32//128',
    'a:%{d}/24//64',
  ],
] as const) {
  test(`spf grammar: ${behaviour}`, () => {
    const parsed = parseSpf(record);
    assert.deepEqual(parsed.errors, []);
    assert.deepEqual(parsed.mechanisms, mechanisms);
    assert.equal(parsed.terms.length, mechanisms.length);
  });
}

for (const [text, want] of [
  ['all', { kind: 'all', qualifier: '+' }],
  ['?all', { kind: 'all', qualifier: '?' }],
  ['-include:spf.example.com', { kind: 'include', qualifier: '-', domain: 'spf.example.com' }],
  ['exists:%{ir}.example.com', { kind: 'exists', qualifier: '+', domain: '%{ir}.example.com' }],
  ['ptr', { kind: 'ptr', qualifier: '+', domain: '' }],
  ['~PTR:Example.Com', { kind: 'ptr', qualifier: '~', domain: 'Example.Com' }],
  ['a', { kind: 'a', qualifier: '+', domain: '', ip4Length: 32, ip6Length: 128 }],
  ['a/24', { kind: 'a', qualifier: '+', domain: '', ip4Length: 24, ip6Length: 128 }],
  ['a//64', { kind: 'a', qualifier: '+', domain: '', ip4Length: 32, ip6Length: 64 }],
  ['a//33', { kind: 'a', qualifier: '+', domain: '', ip4Length: 32, ip6Length: 33 }],
  ['mx/24//64', { kind: 'mx', qualifier: '+', domain: '', ip4Length: 24, ip6Length: 64 }],
  [
    'mx:m.example.com/0//0',
    { kind: 'mx', qualifier: '+', domain: 'm.example.com', ip4Length: 0, ip6Length: 0 },
  ],
  [
    'a:b/1.example.com',
    { kind: 'a', qualifier: '+', domain: 'b/1.example.com', ip4Length: 32, ip6Length: 128 },
  ],
  [
    'a:b//1.example.com/8',
    { kind: 'a', qualifier: '+', domain: 'b//1.example.com', ip4Length: 8, ip6Length: 128 },
  ],
  ['a:%{d/}/8', { kind: 'a', qualifier: '+', domain: '%{d/}', ip4Length: 8, ip6Length: 128 }],
  ['ip4:192.0.2.1', { kind: 'ip4', qualifier: '+', address: '192.0.2.1', length: 32 }],
  ['ip4:0.0.0.0/0', { kind: 'ip4', qualifier: '+', address: '0.0.0.0', length: 0 }],
  [
    '-ip4:255.255.255.255/32',
    { kind: 'ip4', qualifier: '-', address: '255.255.255.255', length: 32 },
  ],
  ['ip6:2001:db8::/32', { kind: 'ip6', qualifier: '+', address: '2001:db8::', length: 32 }],
  [
    'ip6:2001:DB8:8000::/33',
    { kind: 'ip6', qualifier: '+', address: '2001:DB8:8000::', length: 33 },
  ],
  ['ip6:::', { kind: 'ip6', qualifier: '+', address: '::', length: 128 }],
  ['ip6:::1/0', { kind: 'ip6', qualifier: '+', address: '::1', length: 0 }],
  [
    'ip6:::ffff:192.0.2.1',
    { kind: 'ip6', qualifier: '+', address: '::ffff:192.0.2.1', length: 128 },
  ],
  ['ip6:1:2:3:4:5:6:7:8', { kind: 'ip6', qualifier: '+', address: '1:2:3:4:5:6:7:8', length: 128 }],
  [
    'ip6:1:2:3:4:5:6:192.0.2.1',
    { kind: 'ip6', qualifier: '+', address: '1:2:3:4:5:6:192.0.2.1', length: 128 },
  ],
  ['Redirect=spf.example.com', { kind: 'redirect', domain: 'spf.example.com' }],
  ['exp=%{ir}.example.com', { kind: 'exp', domain: '%{ir}.example.com' }],
  ['x=%{d}', { kind: 'unknown', name: 'x', value: '%{d}' }],
  ['default=+', { kind: 'unknown', name: 'default', value: '+' }],
] as const) {
  test(`spf term: ${text}`, () =>
    assert.deepEqual(parseSpf(`v=spf1 ${text}`).terms, [{ text, ...want }]));
}

const NO_END = 'the domain must end in a dot and a top-level label, or in a macro';
const NUMBER = 'the last label is a number; an address belongs in ip4: or ip6:';
const IP4_LENGTH = 'an IPv4 prefix length is a number from 0 to 32 without leading zeros';
const IP6_LENGTH = 'an IPv6 prefix length is a number from 0 to 128 without leading zeros';
const ASCII = 'only printable ASCII characters and spaces are allowed';
for (const [text, ...faults] of [
  // unknown mechanisms, and texts that are not modifiers
  ['moo', '"moo" is not a mechanism'],
  ['-', '"" is not a mechanism'],
  ['--all', '"-all" is not a mechanism'],
  ['=all', '"=all" is not a mechanism'],
  ['1up=foo', '"1up=foo" is not a mechanism'],
  ['-x=foo', '"x=foo" is not a mechanism'],
  ['moo.cow/far_out=man', '"moo.cow" is not a mechanism'],
  ['moo.cow:far_out=man', '"moo.cow" is not a mechanism'],
  ['192.0.2.1', '"192.0.2.1" is not a mechanism'],
  [':example.com', '"" is not a mechanism'],
  ['redirect:example.com', 'redirect is a modifier and is written redirect='],
  ['exp:example.com', 'exp is a modifier and is written exp='],
  // all
  ['-all.', '"all." is not a mechanism'],
  ['-all:foobar', 'all takes no argument'],
  ['-all/8', 'all takes no argument'],
  // include, exists, ptr
  ['include', 'include needs a domain'],
  ['include:', 'the domain is empty'],
  ['include:spf.example.com/24', NO_END],
  ['include/24', 'include takes no prefix length'],
  ['exists', 'exists needs a domain'],
  ['exists:', 'the domain is empty'],
  ['exists:mail.example.com/24', NO_END],
  ['exists:%(ir).sbl.example.com', '%( is not a macro'],
  ['exists:foo%.sbl.example.com', '%. is not a macro'],
  ['ptr:', 'the domain is empty'],
  ['ptr/0', 'ptr takes no prefix length'],
  ['ptr:example.com/0', NO_END],
  // a, mx: domains
  ['a:', 'the domain is empty'],
  ['a:/24', 'the domain is empty'],
  ['mx:', 'the domain is empty'],
  ['a:museum', NO_END],
  ['a:museum.', NO_END],
  ['a:foo-bar', NO_END],
  ['a:example.-com', NO_END],
  ['a:example.com:8080', NO_END],
  ['mx:example.com:8080', NO_END],
  ['a:abc.123', NUMBER],
  ['mx:abc.123', NUMBER],
  ['a:192.0.2.44', NUMBER],
  ['a:192.0.2.0/24', NUMBER],
  ['a:%{a}.example.com', 'in %{a} a is not a macro letter'],
  // a, mx: prefix lengths
  ['a/33', IP4_LENGTH],
  ['a//129', IP6_LENGTH],
  ['a/33//129', IP4_LENGTH, IP6_LENGTH],
  ['mx/33', IP4_LENGTH],
  ['mx//129', IP6_LENGTH],
  ['a/024', IP4_LENGTH],
  ['a//064', IP6_LENGTH],
  ['a/00', IP4_LENGTH],
  ['a/99999999999999999999', IP4_LENGTH],
  ['a/24/64', 'an IPv6 prefix length is written with two slashes'],
  ['a:example.com/24/64', 'an IPv6 prefix length is written with two slashes'],
  ['a/', 'the prefix length is not a number'],
  ['a//', 'the prefix length is not a number'],
  ['a/x', 'the prefix length is not a number'],
  ['a/-1', 'the prefix length is not a number'],
  ['a///64', 'the prefix length is not a number'],
  ['a:example.com/', NO_END],
  ['a:museum/33', NO_END, IP4_LENGTH],
  // ip4
  ['ip4', 'ip4 needs an address'],
  ['ip4/24', 'ip4 needs an address'],
  ['ip4:', '"" is not an IPv4 address'],
  ['ip4:192.0.2', '"192.0.2" is not an IPv4 address'],
  ['ip4:192.0.2.', '"192.0.2." is not an IPv4 address'],
  ['ip4:192.0.2.1.', '"192.0.2.1." is not an IPv4 address'],
  ['ip4:192.0.2.1:8080', '"192.0.2.1:8080" is not an IPv4 address'],
  ['ip4:192.0.02.1', '"192.0.02.1" is not an IPv4 address'],
  ['ip4:192.0.2.256', '"192.0.2.256" is not an IPv4 address'],
  ['ip4:mail.example.com', '"mail.example.com" is not an IPv4 address'],
  ['ip4:2001:db8::1', '"2001:db8::1" is not an IPv4 address'],
  ['ip4:%{i}', '"%{i}" is not an IPv4 address'],
  ['ip4:192.0.2.1/33', IP4_LENGTH],
  ['ip4:192.0.2.1/032', IP4_LENGTH],
  ['ip4:192.0.2.1/', IP4_LENGTH],
  ['ip4:192.0.2.1//32', IP4_LENGTH],
  ['ip4:192.0.2.1/24/24', IP4_LENGTH],
  ['ip4:192.0.2/33', '"192.0.2" is not an IPv4 address', IP4_LENGTH],
  // ip6
  ['ip6', 'ip6 needs an address'],
  ['ip6:', '"" is not an IPv6 address'],
  ['ip6:2001:db8::1::2', '"2001:db8::1::2" is not an IPv6 address'],
  ['ip6::CAFE::BABE', '":CAFE::BABE" is not an IPv6 address'],
  ['ip6:192.0.2.1', '"192.0.2.1" is not an IPv6 address'],
  ['ip6:[2001:db8::1]', '"[2001:db8::1]" is not an IPv6 address'],
  ['ip6:fe80::1%eth0', '"fe80::1%eth0" is not an IPv6 address'],
  ['ip6:2001:db8::12345', '"2001:db8::12345" is not an IPv6 address'],
  ['ip6:::192.0.2.01', '"::192.0.2.01" is not an IPv6 address'],
  ['ip6:2001:db8::/129', IP6_LENGTH],
  ['ip6:2001:db8::/064', IP6_LENGTH],
  ['ip6:2001:db8:://64', IP6_LENGTH],
  // modifiers
  ['redirect=', 'the domain is empty'],
  ['redirect=-all', NO_END],
  ['exp=', 'the domain is empty'],
  ['exp=-all', NO_END],
  ['exp=%{r}.example.com', 'in %{r} the letter r is allowed only in explanation texts'],
  ['foo=%abc', '%a is not a macro'],
  ['foo=%{c}', 'in %{c} the letter c is allowed only in explanation texts'],
] as const) {
  test(`spf syntax error: ${text}`, () => {
    const { mechanisms, terms, errors } = parseSpf(`v=spf1 ${text} -all`);
    assert.deepEqual(
      errors.map(formatFinding),
      faults.map((fault) => `syntax_error: "${text}" at character 8: ${fault}`),
    );
    assert.deepEqual(mechanisms, [text, '-all']);
    assert.deepEqual(terms, [{ kind: 'all', text: '-all', qualifier: '-' }]);
  });
}

for (const [behaviour, record, ...want] of [
  [
    'a fault after all is one too',
    'v=spf1 ip4:192.0.2.1 -all moo',
    '"moo" at character 27: "moo" is not a mechanism',
  ],
  [
    'every fault is reported with its position',
    'v=spf1  moo a:museum  ip4:x/99',
    '"moo" at character 9: "moo" is not a mechanism',
    `"a:museum" at character 13: ${NO_END}`,
    '"ip4:x/99" at character 23: "x" is not an IPv4 address',
    `"ip4:x/99" at character 23: ${IP4_LENGTH}`,
  ],
  [
    'redirect occurs only once',
    'v=spf1 redirect=a.example.com REDIRECT=a.example.com',
    '"REDIRECT=a.example.com" at character 31: redirect= may occur only once in a record',
  ],
  [
    'exp occurs only once',
    'v=spf1 exp=a.example.com -all exp=b.example.com',
    '"exp=b.example.com" at character 31: exp= may occur only once in a record',
  ],
  ['unknown modifiers may repeat', 'v=spf1 x=1 x=2 -all'],
  [
    'a TAB does not separate',
    'v=spf1 a\tmx -all',
    `"a\\x09mx" at character 8: contains 0x09; ${ASCII}`,
  ],
  [
    'nor a carriage return',
    'v=spf1 a:x.example.com\rptr -all',
    `"a:x.example.com\\x0dptr" at character 8: contains 0x0d; ${ASCII}`,
  ],
  [
    'nor a line feed, at the end either',
    'v=spf1 -all\n',
    `"-all\\x0a" at character 8: contains 0x0a; ${ASCII}`,
  ],
  [
    'NUL is no part of a name',
    'v=spf1 a:foo.example.com\0',
    `"a:foo.example.com\\x00" at character 8: contains 0x00; ${ASCII}`,
  ],
  [
    'a byte order mark',
    'v=spf1 a:\xef\xbb\xbfx.example.net',
    `"a:\\xef\\xbb\\xbfx.example.net" at character 8: contains 0xef, 0xbb, 0xbf; ${ASCII}`,
  ],
  [
    'a byte before a mechanism',
    'v=spf1 \x80a:example.net',
    `"\\x80a:example.net" at character 8: contains 0x80; ${ASCII}`,
  ],
  [
    'a dash that is not ASCII',
    'v=spf1 mx \x96all',
    `"\\x96all" at character 11: contains 0x96; ${ASCII}`,
  ],
  ['DEL', 'v=spf1 x=\x7f', `"x=\\x7f" at character 8: contains 0x7f; ${ASCII}`],
  [
    'a byte in an unknown modifier',
    'v=spf1 x=caf\xe9 -all',
    `"x=caf\\xe9" at character 8: contains 0xe9; ${ASCII}`,
  ],
  [
    'a long term is cut',
    `v=spf1 ${'x'.repeat(300)}`,
    `"${'x'.repeat(100)}…" at character 8: "${'x'.repeat(100)}…" is not a mechanism`,
  ],
] as const) {
  test(`spf grammar: ${behaviour}`, () =>
    assert.deepEqual(
      parseSpf(record).errors.map(formatFinding),
      want.map((error) => `syntax_error: ${error}`),
    ));
}

test('spf grammar: a text that is not SPF is reported, and its terms are read', () => {
  const { mechanisms, errors } = parseSpf('spf1 -all');
  assert.deepEqual(mechanisms, ['spf1', '-all']);
  assert.deepEqual(errors.map(formatFinding), [
    'syntax_error: the record does not begin with v=spf1',
    'syntax_error: "spf1" at character 1: "spf1" is not a mechanism',
  ]);
});

const anyTerm = fc
  .array(
    fc.constantFrom(
      'a',
      'mx',
      'ip4',
      'ip6',
      'all',
      'exp',
      'redirect',
      ':',
      '/',
      '//',
      '=',
      '-',
      '%',
      '{',
      '}',
      'd',
      '.',
      '::',
      '24',
      '192.0.2.1',
      'example.com',
      '\t',
      '\xff',
    ),
  )
  .map((parts) => parts.join(''));

test('spf grammar: every term of any text is parsed or reported', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(anyTerm).map((terms) => terms.join(' ')),
  );
  fc.assert(
    fc.property(text, (rest) => {
      selectSpf([rest, `v=spf1${rest}`]);
      parseSpf(rest);
      const { mechanisms, terms, errors } = parseSpf(`v=spf1 ${rest}`);
      assert.deepEqual(
        mechanisms,
        rest.split(' ').filter((term) => term !== ''),
      );
      assert.equal(errors.length === 0, terms.length === mechanisms.length);
      const sentences = errors.map(formatFinding);
      assert.ok(
        sentences.every((sentence) => /^syntax_error: [\x20-\x7e…]+$/.test(sentence)),
        sentences.join('\n'),
      );
    }),
    { numRuns: 1_000 },
  );
});
