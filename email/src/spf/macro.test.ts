import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { explainFault } from '../findings/spf-fault.ts';
import { domainSpecFaults, expandForDomain, parseMacroString, usesMacro } from './macro.ts';

for (const [behaviour, text] of [
  ['nothing at all', ''],
  ['plain text', 'spf.example.com'],
  ['any visible character but the percent sign', '!"#$&\'()*+,-./09:;<=>?@AZ[\\]^_`az{|}~'],
  ['each letter a record may use', '%{s}%{l}%{o}%{d}%{i}%{p}%{v}%{h}'],
  ['letters in upper case', '%{S}%{L}%{O}%{D}%{I}%{P}%{V}%{H}'],
  ['a number of labels', '%{d2}'],
  ['a large number of labels', '%{d128}'],
  ['a reversal', '%{ir}'],
  ['a reversal in upper case', '%{iR}'],
  ['a number and a reversal', '%{d2r}'],
  ['each delimiter', '%{l.}%{l-}%{l+}%{l,}%{l/}%{l_}%{l=}'],
  ['several delimiters', '%{l2r+-}'],
  ['the three escapes', 'a%%b%_c%-d'],
  ['an escape before a brace', '%%{d}'],
] as const) {
  test(`spf macro-string: ${behaviour} is legal`, () =>
    assert.deepEqual(parseMacroString(text).faults, []));
}

for (const [behaviour, text, ...want] of [
  ['a lone percent sign', '%', '% is not a macro'],
  ['a percent sign at the end', 'a.example%', '% is not a macro'],
  ['a percent sign before a letter', '%abc', '%a is not a macro'],
  ['round brackets', '%(ir).example.com', '%( is not a macro'],
  ['a percent sign before a dot', 'foo%.example.com', '%. is not a macro'],
  ['empty braces', '%{}', '%{} is not a macro'],
  ['an open brace', '%{d', '%{d is not a macro'],
  ['a space in the braces', '%{ d}', '%{ d} is not a macro'],
  ['a letter that is none', '%{a}', 'in %{a} a is not a macro letter'],
  [
    'c, r and t outside explanations',
    '%{c}',
    'in %{c} the letter c is allowed only in explanation texts',
  ],
  ['c, r and t in upper case', '%{T}', 'in %{T} the letter T is allowed only in explanation texts'],
  ['zero labels', '%{d0}', 'in %{d0} the number of labels must not be zero'],
  ['zero labels with many digits', '%{d000r}', 'in %{d000r} the number of labels must not be zero'],
  ['the reversal before the number', '%{dr2}', '%{dr2} is not a macro'],
  ['two reversals', '%{drr}', '%{drr} is not a macro'],
  ['a delimiter that is none', '%{d:}', '%{d:} is not a macro'],
  ['two letters', '%{dd}', '%{dd} is not a macro'],
  ['a space', 'a b', 'only printable ASCII characters are allowed'],
  ['a byte above 0x7e', 'caf\xe9', 'only printable ASCII characters are allowed'],
  [
    'each fault, not only the first',
    '%{a}.%{d0}.%x',
    'in %{a} a is not a macro letter',
    'in %{d0} the number of labels must not be zero',
    '%x is not a macro',
  ],
  ['a long fault, cut', `%{${'x'.repeat(500)}}`, '%{xxxxxxxxxxxxxxxxxx… is not a macro'],
] as const) {
  test(`spf macro-string: reports ${behaviour}`, () =>
    assert.deepEqual(parseMacroString(text).faults.map(explainFault), want));
}

test('spf macro-string: the parts of a macro-string', () =>
  assert.deepEqual(parseMacroString('a.%{D2r+-}%_').parts, [
    { kind: 'literal', text: 'a.' },
    { kind: 'macro', letter: 'd', labels: 2, isReversed: true, delimiters: '+-', isEscaped: true },
    { kind: 'escape', text: ' ' },
  ]));

const NO_END = 'the domain must end in a dot and a top-level label, or in a macro';
const NUMBER = 'the last label is a number; an address belongs in ip4: or ip6:';
for (const [behaviour, spec, ...want] of [
  ['a name is one', 'example.com'],
  ['a final dot is allowed', 'example.com.'],
  ['a top label may contain hyphens', 'example.xn--zckzah'],
  ['a top label may begin with a digit', 'example.3com'],
  ['digits and a hyphen are not all digits', 'example.1-2'],
  ['labels before the last may hold anything visible', 'foo:bar/baz_!.example.com'],
  ['it may end in a macro', 'spf.%{d}'],
  ['it may be a macro', '%{d}'],
  ['it may end in an escape', 'example%%'],
  ['a macro and a top label', '%{ir}.example'],
  ['nothing before the top label', '.example'],
  ['an empty label inside is legal here', 'mail.example...com'],
  ['it may not be empty', '', 'the domain is empty'],
  ['a bare label is not enough', 'museum', NO_END],
  ['a final dot does not help a bare label', 'museum.', NO_END],
  ['text after a macro needs its own dot', '%{d}com', NO_END],
  ['a top label is not empty', 'example..', NO_END],
  ['a top label does not begin with a hyphen', 'example.-com', NO_END],
  ['a top label does not end in a hyphen', 'example.com-', NO_END],
  ['a top label has no colon', 'example.com:8080', NO_END],
  ['a top label has no slash', 'example.com/24', NO_END],
  ['a top label has no underscore', 'example.c_m', NO_END],
  ['a top label is not all digits', 'abc.123', NUMBER],
  ['an address is no name', '192.0.2.1', NUMBER],
  ['nor is it with a final dot', '192.0.2.1.', NUMBER],
  ['faults of macros come first', '%{x}.museum', 'in %{x} x is not a macro letter'],
] as const) {
  test(`spf domain-spec: ${behaviour}`, () =>
    assert.deepEqual(domainSpecFaults(spec).map(explainFault), want));
}

const LONG = 'somewhat.long.sub.example.com'; // 29 characters
for (const [behaviour, spec, want] of [
  ['a name stays', 'spf.example.net', 'spf.example.net'],
  ['a final dot is dropped', 'spf.example.net.', 'spf.example.net'],
  ['%{d} is the domain', '%{d}._spf.example.net', 'mail.eu.example.com._spf.example.net'],
  ['a final dot after a macro is dropped', '%{d}.', 'mail.eu.example.com'],
  ['%{o} is the domain of the sender', '%{o}.example.net', 'sender.example.org.example.net'],
  ['right-hand labels', '%{d2}', 'example.com'],
  ['more labels than there are', '%{d9}', 'mail.eu.example.com'],
  ['a number beyond reason', `%{d${'9'.repeat(400)}}`, 'mail.eu.example.com'],
  ['reversed', '%{dr}', 'com.example.eu.mail'],
  ['reversed first, then cut', '%{d2r}', 'eu.mail'],
  ['split at other characters only', '%{d-}', 'mail.eu.example.com'],
  ['split at the letters given', '%{d1.-}', 'com'],
  ['upper case escapes what URLs reserve', '%{D}', 'mail.eu.example.com'],
  ['escapes', 'a%%b%_c%-d.%{d1}', 'a%b c%20d.com'],
  ['%{i} needs a sender', '%{i}.example.net', undefined],
  ['%{ir}.%{v} needs a sender', '%{ir}.%{v}._spf.%{d}', undefined],
  ['%{s} needs a mail', '%{s}.example.net', undefined],
  ['%{l} needs a mail', '%{l}.example.net', undefined],
  ['%{h} needs a greeting', '%{h}', undefined],
  ['%{p} needs a sender', '%{p}.example.net', undefined],
  ['a text that is no macro-string', '%{d}.%x.example.net', undefined],
] as const) {
  test(`spf expansion: ${behaviour}`, () =>
    assert.equal(expandForDomain(spec, 'mail.eu.example.com', 'sender.example.org'), want));
}

test('spf expansion: without a sender the domain is its own', () =>
  assert.equal(expandForDomain('%{o}.%{d}', 'example.com'), 'example.com.example.com'));

test('spf expansion: upper case escapes reserved characters', () =>
  assert.equal(expandForDomain('%{D}', 'a/b:c!.example.com'), 'a%2Fb%3Ac%21.example.com'));

test('spf expansion: over 253 characters, labels are dropped from the left', () => {
  const name = expandForDomain(`first.${'%{o}.'.repeat(8)}example.net`, LONG);
  assert.equal(name, `${`${LONG}.`.repeat(8)}example.net`);
  assert.equal(name?.length, 251);
  assert.equal(expandForDomain(`${'a'.repeat(241)}.example.net`, LONG)?.length, 253);
  assert.equal(expandForDomain(`${'a'.repeat(242)}.example.net`, LONG), 'example.net');
});

test('spf macro-string: a macro is found by its letter, in any case', () => {
  assert.equal(usesMacro('%{P}.example.com', 'p'), true);
  assert.equal(usesMacro('p.%%{p}.%{d}', 'p'), false);
});

test('spf macro-string: any text is taken, and nothing is lost of it', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc
      .array(fc.constantFrom('%', '{', '}', 'd', 'o', 'i', 'r', '2', '0', '.', '-', 'a.example'))
      .map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(text, text, (spec, domain) => {
      const { parts, faults } = parseMacroString(spec);
      domainSpecFaults(spec);
      const name = expandForDomain(spec, domain);
      if (faults.length > 0) assert.equal(name, undefined);
      if (!spec.includes('%'))
        assert.equal(
          parts.map((part) => (part.kind === 'literal' ? part.text : '')).join(''),
          spec,
        );
    }),
    { numRuns: 1_000 },
  );
});
