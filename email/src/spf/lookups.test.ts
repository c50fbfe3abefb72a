import assert from 'node:assert/strict';
import test from 'node:test';
import type { ZoneEntry, ZoneRecords } from '@whence/testing/servers/zone-literal';
import fc from 'fast-check';
import type { Answer, Resolver } from '../dns/answer.ts';
import { formatFinding } from '../findings/finding.ts';
import { zone } from '../test/zone.ts';
import { checkSpf, type SpfFindings, type SpfNode } from './lookups.ts';

const DOMAIN = 'example.com';
const HOST: ZoneEntry = { A: ['192.0.2.1'] };

async function check(records: ZoneRecords, domain = DOMAIN): Promise<SpfFindings> {
  const resolver = zone(records);
  return checkSpf(domain, await resolver.txt(domain), resolver);
}

function inWords(report: SpfFindings['report']) {
  return { ...report, validation_errors: report.validation_errors.map(formatFinding) };
}

function spf(...terms: string[]): ZoneEntry {
  return { TXT: [['v=spf1', ...terms].join(' ')] };
}

function times(count: number, make: (i: number) => string): string[] {
  return Array.from({ length: count }, (_, i) => make(i));
}

// The record of the domain itself.
for (const [behaviour, entry, raw, mechanisms, qualifier, ...errors] of [
  ['a record that forbids all mail', spf('-all'), 'v=spf1 -all', ['-all'], '-'],
  ['a bare all permits', spf('all'), 'v=spf1 all', ['all'], '+'],
  ['the first all wins', spf('~all', '-all'), 'v=spf1 ~all -all', ['~all', '-all'], '~'],
  ['no all is neutral', spf('ip4:192.0.2.1'), 'v=spf1 ip4:192.0.2.1', ['ip4:192.0.2.1'], '?'],
  ['an empty record is neutral', { TXT: ['v=spf1'] }, 'v=spf1', [], '?'],
  [
    'strings are joined as they are',
    { TXT: [['v=spf1 ip4:192.0', '.2.1 -all']] },
    'v=spf1 ip4:192.0.2.1 -all',
    ['ip4:192.0.2.1', '-all'],
    '-',
  ],
  [
    'strings joined without a blank are no version',
    { TXT: [['v=spf1', 'mx -all']] },
    '',
    [],
    '',
    "no_spf_record: example.com has no SPF record; receivers skip 'v=spf1mx -all', which does not begin with v=spf1 and a blank",
  ],
  [
    'other TXT only',
    { TXT: ['hello'] },
    '',
    [],
    '',
    'no_spf_record: example.com has no SPF record',
  ],
  ['no TXT', HOST, '', [], '', 'no_spf_record: example.com has no SPF record'],
  ['no such domain', undefined, '', [], '', 'domain_not_found: example.com does not exist'],
  [
    'an alias that leads nowhere',
    { CNAME: 'gone.example.net' },
    '',
    [],
    '',
    'no_spf_record: example.com is an alias of gone.example.net, which does not exist',
  ],
  [
    'two records: the first is shown, none decides',
    { TXT: ['v=spf1 +all', 'v=spf1 a:a.example.com -all'] },
    'v=spf1 +all',
    ['+all'],
    '',
    'multiple_records: example.com has 2 SPF records',
  ],
  [
    'a failure is not an absence',
    { fail: 'SERVFAIL' },
    '',
    [],
    '',
    'dns_temporary_failure: example.com TXT SERVFAIL',
  ],
  [
    'a record that does not parse keeps its terms',
    spf('moo', '-all'),
    'v=spf1 moo -all',
    ['moo', '-all'],
    '-',
    'syntax_error: "moo" at character 8: "moo" is not a mechanism',
  ],
] as const satisfies readonly (readonly [
  string,
  ZoneEntry | undefined,
  string,
  readonly string[],
  string,
  ...string[],
])[]) {
  test(`spf: ${behaviour}`, async () => {
    const { report, tree, isUnverified } = await check(
      entry === undefined ? {} : { [DOMAIN]: entry },
    );
    assert.deepEqual(inWords(report), {
      raw,
      mechanisms,
      all_qualifier: qualifier,
      is_valid: errors.length === 0,
      is_permissive: qualifier === '+',
      validation_errors: errors,
      dns_lookup_count: 0,
      exceeds_lookups: false,
    });
    const node = { name: DOMAIN, via: '', raw, lookups: 0, children: [], errors };
    assert.deepEqual({ ...tree, errors: tree.errors.map(formatFinding) }, node);
    assert.equal(isUnverified, 'fail' in (entry ?? {}));
  });
}

for (const name of ['com', 'a..example.com', `${'a'.repeat(64)}.example.com`]) {
  test(`spf: ${name.slice(0, 20)} cannot have a record, whatever was answered`, async () => {
    const found: Answer<string> = { kind: 'found', records: ['v=spf1 a -all'], aliases: [] };
    const { report } = await checkSpf(name, found, zone({}));
    assert.deepEqual(inWords(report).validation_errors, [
      `no_spf_record: ${name} is not a name that can have an SPF record`,
    ]);
    assert.equal(report.raw, '');
  });
}

// Following the terms: `example.com` has these terms; the count and the errors are the result.
const EIGHT_A = spf(...times(8, () => 'a'));
const LABEL_64 = 'a'.repeat(64);
for (const [behaviour, terms, others, count, ...errors] of [
  // S19: what counts
  [
    'all, ip4, ip6, exp and unknown modifiers are free',
    'ip4:192.0.2.1 ip6:2001:db8::1 exp=e.example.com x=y -all',
    {},
    0,
  ],
  [
    'include, a, mx, ptr, exists cost one each',
    'include:i.example.com a:h.example.com mx:m.example.com ptr exists:h.example.com -all',
    {
      'i.example.com': spf('-all'),
      'h.example.com': HOST,
      'm.example.com': { MX: [[10, 'h.example.com']] },
    },
    5,
  ],
  ['redirect costs one', 'redirect=i.example.com', { 'i.example.com': spf('-all') }, 1],
  [
    'terms after all cost nothing and are not asked',
    'ip4:192.0.2.1 -all a:gone.example.com include:gone.example.com',
    {},
    0,
  ],
  ['a redirect beside all is ignored', 'redirect=gone.example.com ~all', {}, 0],
  ['a redirect to itself beside all is ignored', 'redirect=example.com ~all', {}, 0],
  [
    'a subtree counts',
    'include:i.example.com -all',
    {
      'i.example.com': spf('a:h.example.com', 'include:j.example.com'),
      'j.example.com': spf('mx:m.example.com'),
      'h.example.com': HOST,
      'm.example.com': { MX: [[10, 'h.example.com']] },
    },
    4,
  ],
  [
    'a repeated include counts again with its subtree',
    'include:i.example.com include:i.example.com -all',
    { 'i.example.com': spf('a:h.example.com', '-all'), 'h.example.com': HOST },
    4,
  ],
  [
    'a redirect inside an include counts',
    'include:i.example.com -all',
    { 'i.example.com': spf('redirect=j.example.com'), 'j.example.com': spf('-all') },
    2,
  ],
  [
    'a and mx without a domain are of the record that has them',
    'include:i.example.com -all',
    { 'i.example.com': { ...spf('a', 'mx'), ...HOST, MX: [[1, 'i.example.com']] } },
    3,
  ],
  [
    'the domain a redirect leads to is the new domain',
    'redirect=i.example.com',
    { 'i.example.com': { ...spf('a', '-all'), ...HOST } },
    2,
  ],
  [
    'names are compared and asked in lower case',
    'include:I.Example.COM. -all',
    { 'i.example.com': spf('-all') },
    1,
  ],
  [
    'names with slashes and colons are asked',
    'a:foo:bar/baz.example.com/24 -all',
    { 'foo:bar/baz.example.com': HOST },
    1,
  ],
  [
    'on a syntax error the parsable part counts',
    'a:museum a:h.example.com -all',
    { 'h.example.com': HOST },
    1,
    'syntax_error: "a:museum" at character 8: the domain must end in a dot and a top-level label, or in a macro',
  ],
  // S20: the limit
  [
    'ten mechanisms are allowed',
    'a mx a mx a mx a mx a ptr ip4:192.0.2.1 -all',
    { [DOMAIN]: { ...HOST, MX: [[10, 'example.com']] } },
    10,
  ],
  [
    'eleven are not',
    'a mx a mx a mx a mx a ptr a ip4:192.0.2.1 -all',
    { [DOMAIN]: { ...HOST, MX: [[10, 'example.com']] } },
    11,
    'too_many_lookups: the record needs 11 DNS lookups, and receivers stop at 10',
  ],
  [
    'ten over an include are allowed',
    'a include:i.example.com ip4:192.0.2.1 -all',
    { [DOMAIN]: HOST, 'i.example.com': { ...EIGHT_A, ...HOST } },
    10,
  ],
  [
    'eleven over an include are not',
    'a include:i.example.com a ip4:192.0.2.1 -all',
    { [DOMAIN]: HOST, 'i.example.com': { ...EIGHT_A, ...HOST } },
    11,
    'too_many_lookups: the record needs 11 DNS lookups, and receivers stop at 10',
  ],
  [
    'the count goes on beyond the limit',
    'include:i.example.com include:i.example.com include:i.example.com -all',
    { 'i.example.com': { ...EIGHT_A, ...HOST } },
    27,
    'too_many_lookups: the record needs 27 DNS lookups, and receivers stop at 10',
  ],
  [
    'there is no limit on addresses',
    'a -all',
    { [DOMAIN]: { A: times(12, (i) => `192.0.2.${i}`) } },
    1,
  ],
  // S21: mx
  [
    'ten MX hosts are allowed',
    'mx -all',
    { [DOMAIN]: { MX: times(10, String).map((i) => [Number(i), 'h.example.com'] as const) } },
    1,
  ],
  [
    'eleven are not, even if they are one host',
    'mx -all',
    { [DOMAIN]: { MX: times(11, String).map((i) => [Number(i), 'h.example.com'] as const) } },
    1,
    'mx_limit: example.com has 11 MX hosts, and SPF allows 10',
  ],
  ['a null MX is an answer', 'mx mx mx -all', { [DOMAIN]: { MX: [[0, '.']] } }, 3],
  // S22: void lookups
  ['two void lookups are allowed', 'a:x.example.com a:y.example.com ?all', {}, 2],
  [
    'three are not',
    'a:x.example.com mx:y.example.com exists:z.example.com ?all',
    {},
    3,
    'too_many_void_lookups: 3 lookups find nothing ("a:x.example.com", "mx:y.example.com", "exists:z.example.com"), and receivers stop after 2',
  ],
  ['a term counts once, though it asks for A and AAAA', 'a a -all', {}, 2],
  ['a host with AAAA only is not void', 'a a a -all', { [DOMAIN]: { AAAA: ['2001:db8::1'] } }, 3],
  [
    'a domain without MX is void, with an address or not',
    'mx mx mx -all',
    { [DOMAIN]: HOST },
    3,
    'too_many_void_lookups: 3 lookups find nothing ("mx"), and receivers stop after 2',
  ],
  [
    'exists asks for A only',
    'exists:h.example.com exists:h.example.com exists:h.example.com -all',
    { 'h.example.com': { AAAA: ['2001:db8::1'] } },
    3,
    'too_many_void_lookups: 3 lookups find nothing ("exists:h.example.com"), and receivers stop after 2',
  ],
  [
    'an explanation that is not there is not void',
    'a:x.example.com a:y.example.com exp=z.example.com -all',
    {},
    2,
  ],
  ['ptr is never void', 'ptr ptr ptr:gone.example.com -all', {}, 3],
  // S5, S17, S18: include and redirect
  [
    'include of a name that is not there',
    'include:gone.example.com -all',
    {},
    1,
    'include_not_found: "include:gone.example.com" in the record of example.com: gone.example.com does not exist',
  ],
  [
    'include of a name without TXT',
    'include:h.example.com -all',
    { 'h.example.com': HOST },
    1,
    'include_not_found: "include:h.example.com" in the record of example.com: h.example.com has no SPF record',
  ],
  [
    'include of a name with other TXT',
    'include:h.example.com -all',
    { 'h.example.com': { TXT: ['v=spfl am not one'] } },
    1,
    'include_not_found: "include:h.example.com" in the record of example.com: h.example.com has no SPF record',
  ],
  [
    'include of two records',
    'include:i.example.com -all',
    { 'i.example.com': { TXT: ['v=spf1 -all', 'v=spf1 a'] } },
    1,
    'multiple_records: i.example.com has 2 SPF records',
  ],
  [
    'include of a record that does not parse',
    'include:i.example.com -all',
    { 'i.example.com': spf('include', '+all') },
    1,
    'syntax_error: in the record of i.example.com, "include" at character 8: include needs a domain',
  ],
  [
    'include of a failure',
    'include:i.example.com -all',
    { 'i.example.com': { fail: 'timeout' } },
    1,
    'dns_temporary_failure: i.example.com TXT timeout',
  ],
  [
    'an error deep in the tree',
    'include:i.example.com -all',
    { 'i.example.com': spf('include:gone.example.com') },
    2,
    'include_not_found: "include:gone.example.com" in the record of i.example.com: gone.example.com does not exist',
  ],
  [
    'a repeated error is reported once',
    'include:i.example.com include:i.example.com -all',
    { 'i.example.com': spf('moo') },
    2,
    'syntax_error: in the record of i.example.com, "moo" at character 8: "moo" is not a mechanism',
  ],
  [
    'redirect to a name without a record',
    'redirect=gone.example.com',
    {},
    1,
    'redirect_not_found: "redirect=gone.example.com" in the record of example.com: gone.example.com does not exist',
  ],
  [
    'a failing address',
    'a:h.example.com mx:h.example.com exists:h.example.com -all',
    { 'h.example.com': { fail: 'REFUSED' } },
    3,
    'dns_temporary_failure: h.example.com A REFUSED',
    'dns_temporary_failure: h.example.com MX REFUSED',
  ],
  [
    'a failing AAAA of a host without A',
    'a:h.example.com -all',
    { 'h.example.com': { fail: { AAAA: 'SERVFAIL' } } },
    1,
    'dns_temporary_failure: h.example.com AAAA SERVFAIL',
  ],
  [
    'a failing AAAA that is not asked',
    'a:h.example.com -all',
    { 'h.example.com': { ...HOST, fail: { AAAA: 'SERVFAIL' } } },
    1,
  ],
  // S23: loops
  [
    'an include of itself',
    'include:example.com -all',
    {},
    1,
    'loop: example.com > example.com (the record leads to itself)',
  ],
  [
    'a redirect to itself',
    'ip4:192.0.2.1 redirect=Example.Com',
    {},
    1,
    'loop: example.com > example.com (the record leads to itself)',
  ],
  [
    'a loop over two',
    'include:i.example.com',
    { 'i.example.com': spf('include:example.com') },
    2,
    'loop: example.com > i.example.com > example.com',
  ],
  [
    'a loop further down',
    'include:i.example.com',
    {
      'i.example.com': spf('redirect=j.example.com'),
      'j.example.com': spf('include:i.example.com'),
    },
    3,
    'loop: example.com > i.example.com > j.example.com > i.example.com',
  ],
  [
    'the same name beside, not above, is no loop',
    'include:i.example.com include:j.example.com',
    { 'i.example.com': spf('include:j.example.com'), 'j.example.com': spf('-all') },
    3,
  ],
  // S24, S28: macros
  [
    '%{d} is the domain of the record',
    'include:%{d}.spf.example.net -all',
    {
      'example.com.spf.example.net': spf('a:%{d1}.h.example.net', 'exists:%{d2}'),
      'net.h.example.net': HOST,
      'example.net': HOST,
    },
    3,
  ],
  [
    '%{o} stays the domain of the sender',
    'include:i.example.net -all',
    { 'i.example.net': spf('a:%{o}.h.example.net'), 'example.com.h.example.net': HOST },
    2,
  ],
  [
    'a macro that needs a mail costs one and is not asked',
    'exists:%{i}._spf.example.com a:%{h} mx:%{l}.example.com include:%{ir}.%{v}.example.com -all',
    {},
    4,
  ],
  ['a redirect that needs a mail', 'redirect=%{l}.example.com', {}, 1],
  [
    'a name over 253 characters loses labels',
    `a:${'%{d}.'.repeat(30)}h.example.net -all`,
    { [`${'example.com.'.repeat(20)}h.example.net`]: HOST },
    1,
  ],
  // names that cannot be asked
  [
    'an empty label',
    'a:mail.example...com -all',
    {},
    1,
    'syntax_error: "a:mail.example...com" in the record of example.com: mail.example...com is not a domain name',
  ],
  [
    'a label over 63',
    `a:${LABEL_64}.example.com -all`,
    {},
    1,
    `syntax_error: "a:${LABEL_64}.example.com" in the record of example.com: ${LABEL_64}.example.com is not a domain name`,
  ],
  [
    'an include of a name that is none',
    'include:i..example.com -all',
    {},
    1,
    'include_not_found: "include:i..example.com" in the record of example.com: i..example.com is not a domain name',
  ],
  [
    'a redirect to a single label',
    'redirect=%{d1}',
    {},
    1,
    'redirect_not_found: "redirect=%{d1}" in the record of example.com: com is not a domain name',
  ],
] as const satisfies readonly (readonly [string, string, ZoneRecords, number, ...string[]])[]) {
  test(`spf walk: ${behaviour}`, async () => {
    const own: ZoneRecords = others;
    const { report, tree, isUnverified } = await check({
      ...own,
      [DOMAIN]: { ...own[DOMAIN], ...spf(terms) },
    });
    assert.deepEqual(inWords(report).validation_errors, errors);
    assert.equal(report.dns_lookup_count, count);
    assert.equal(report.exceeds_lookups, count > 10);
    assert.equal(report.raw, `v=spf1 ${terms}`);
    assert.deepEqual(report.mechanisms, terms.split(' '));
    assert.equal(tree.lookups, count);
    assert.equal(
      isUnverified,
      errors.some((error) => error.startsWith('dns_temporary_failure')),
    );
  });
}

for (const [behaviour, records, qualifier, hasNoAll] of [
  ['its own all', { [DOMAIN]: spf('-all') }, '-', false],
  [
    'its own all, not that of a redirect',
    { [DOMAIN]: spf('redirect=r.example.com', '-all'), 'r.example.com': spf('+all') },
    '-',
    false,
  ],
  [
    'that of the redirect',
    { [DOMAIN]: spf('redirect=r.example.com'), 'r.example.com': spf('+all') },
    '+',
    false,
  ],
  [
    'that of the last redirect',
    {
      [DOMAIN]: spf('redirect=r.example.com'),
      'r.example.com': spf('redirect=s.example.com'),
      's.example.com': spf('~all'),
    },
    '~',
    false,
  ],
  [
    'never that of an include',
    { [DOMAIN]: spf('include:i.example.com'), 'i.example.com': spf('+all') },
    '?',
    true,
  ],
  ['neutral without all', { [DOMAIN]: spf('mx') }, '?', true],
  [
    'neutral if the redirect has none',
    { [DOMAIN]: spf('redirect=r.example.com'), 'r.example.com': spf('mx') },
    '?',
    true,
  ],
  ['?all is not the same as none', { [DOMAIN]: spf('?all') }, '?', false],
  ['unknown if the redirect is not there', { [DOMAIN]: spf('redirect=r.example.com') }, '', false],
  [
    'unknown if the redirect fails',
    { [DOMAIN]: spf('redirect=r.example.com'), 'r.example.com': { fail: 'timeout' } },
    '',
    false,
  ],
  [
    'unknown if the redirect depends on the mail',
    { [DOMAIN]: spf('redirect=%{l}.example.com') },
    '',
    false,
  ],
  ['unknown if the redirect is a loop', { [DOMAIN]: spf('redirect=example.com') }, '', false],
  ['unknown without a record', {}, '', false],
] as const satisfies readonly (readonly [string, ZoneRecords, string, boolean])[]) {
  test(`spf all: ${behaviour}`, async () => {
    const findings = await check(records);
    assert.equal(findings.report.all_qualifier, qualifier);
    assert.equal(findings.report.is_permissive, qualifier === '+');
    assert.equal(findings.hasNoAll, hasNoAll);
  });
}

for (const [behaviour, records, want] of [
  ['the mechanism', { [DOMAIN]: spf('ptr', '-all') }, true],
  ['the mechanism after all', { [DOMAIN]: spf('-all', '?ptr:example.com') }, true],
  ['the macro', { [DOMAIN]: spf('exists:%{p}.example.com', '-all') }, true],
  ['the macro in an explanation name', { [DOMAIN]: spf('-all', 'exp=%{p}.example.com') }, true],
  ['the macro in an unknown modifier', { [DOMAIN]: spf('-all', 'x=%{P}') }, true],
  [
    'the mechanism in a redirect',
    { [DOMAIN]: spf('redirect=r.example.com'), 'r.example.com': spf('ptr') },
    true,
  ],
  [
    'not the mechanism in an include',
    { [DOMAIN]: spf('include:i.example.com'), 'i.example.com': spf('ptr') },
    false,
  ],
  ['not other terms', { [DOMAIN]: spf('a', 'exists:%{i}.p.example.com', '-all') }, false],
] as const satisfies readonly (readonly [string, ZoneRecords, boolean])[]) {
  test(`spf ptr: ${behaviour}`, async () => assert.equal((await check(records)).usesPtr, want));
}

for (const [behaviour, terms, want] of [
  ['a valid record is not over', '-all', false],
  ['too many lookups', `${'ptr '.repeat(11)}-all`, true],
  ['too many void lookups', 'a a a -all', true],
  ['both', `${'a '.repeat(11)}-all`, true],
  ['with a syntax error too', `${'ptr '.repeat(11)}moo -all`, false],
  ['with a missing include too', 'a a include:gone.example.com -all', false],
] as const) {
  test(`spf only over limits: ${behaviour}`, async () =>
    assert.equal((await check({ [DOMAIN]: spf(terms) })).isOnlyOverLimits, want));
}

test('spf: void lookups and the bytes of the apex are counted', async () => {
  const { voidLookups, apexTxtBytes } = await check({
    [DOMAIN]: {
      TXT: ['v=spf1 a include:gone.example.com -all', 'x'.repeat(100), ['y'.repeat(200), 'z']],
    },
  });
  assert.equal(voidLookups, 2);
  assert.equal(apexTxtBytes, 38 + 100 + 201);
});

test('spf: the tree names every term that costs a lookup', async () => {
  const { tree } = await check({
    [DOMAIN]: spf(
      'include:_spf.example.net',
      'exists:%{i}.x.example.com',
      'redirect=r.example.com',
    ),
    '_spf.example.net': { ...spf('a', 'ptr', 'include:gone.example.net', '~all'), ...HOST },
    'r.example.com': spf('-all'),
  });
  assert.equal(
    print(tree),
    `
example.com (6)
  include:_spf.example.net > _spf.example.net (4)
    a > _spf.example.net (1)
    ptr > _spf.example.net (1)
    include:gone.example.net > gone.example.net (1) ! include_not_found
  exists:%{i}.x.example.com > %{i}.x.example.com (1)
  redirect=r.example.com > r.example.com (1)`,
  );
});

function print({ name, via, lookups, errors, children }: SpfNode, indent = '\n'): string {
  const label = via === '' ? name : `${via} > ${name}`;
  const faults = errors.map(({ code }) => ` ! ${code}`).join('');
  return `${indent}${label} (${lookups})${faults}${children.map((child) => print(child, `${indent}  `)).join('')}`;
}

test('spf: what can be asked at once is asked at once, and nothing else is asked', async () => {
  const { resolver, turns } = inTurns(
    zone({
      [DOMAIN]: {
        ...spf(
          'a',
          'mx',
          'ptr',
          'include:i.example.com',
          'include:j.example.com',
          'exp=e.example.com',
          '-all',
          'a:late.example.com',
        ),
      },
      'i.example.com': spf('include:k.example.com', 'exists:h.example.com'),
      'j.example.com': spf('redirect=l.example.com'),
      'k.example.com': spf('ip4:192.0.2.1'),
      'l.example.com': spf('exists:%{i}.example.com', '-all'),
      'h.example.com': HOST,
    }),
  );
  await checkSpf(DOMAIN, await resolver.txt(DOMAIN), resolver);
  assert.deepEqual(turns, [
    ['example.com TXT'],
    ['example.com A', 'example.com MX', 'i.example.com TXT', 'j.example.com TXT'],
    ['example.com AAAA', 'h.example.com A', 'k.example.com TXT', 'l.example.com TXT'],
  ]);
});

/** Answers all questions of a turn together, and records which were asked in which turn. */
function inTurns(resolver: Resolver): { resolver: Resolver; turns: string[][] } {
  const turns: string[][] = [];
  let turn: { questions: string[]; end: Promise<void> } | undefined;
  async function later<T>(question: string, answer: () => Promise<T>): Promise<T> {
    turn ??= {
      questions: [],
      end: new Promise((resolve) =>
        setImmediate(() => {
          if (turn !== undefined) turns.push(turn.questions.sort());
          turn = undefined;
          resolve();
        }),
      ),
    };
    turn.questions.push(question);
    await turn.end;
    return answer();
  }
  return {
    turns,
    resolver: {
      txt: (name) => later(`${name} TXT`, () => resolver.txt(name)),
      mx: (name) => later(`${name} MX`, () => resolver.mx(name)),
      a: (name) => later(`${name} A`, () => resolver.a(name)),
      aaaa: (name) => later(`${name} AAAA`, () => resolver.aaaa(name)),
      tlsa: (name) => later(`${name} TLSA`, () => resolver.tlsa(name)),
    },
  };
}

test('spf: a tree that doubles at every level is counted to 100', async () => {
  const names = times(30, (i) => `n${i}.example.com`);
  const records = Object.fromEntries(
    names.map((name, i) => [name, spf(`include:${names[i + 1]}`, `include:${names[i + 1]}`)]),
  );
  const resolver = zone({ ...records, [DOMAIN]: spf('include:n0.example.com') });
  const { report, isOnlyOverLimits } = await checkSpf(DOMAIN, await resolver.txt(DOMAIN), resolver);
  assert.equal(report.dns_lookup_count, 100);
  assert.deepEqual(inWords(report).validation_errors, [
    'too_many_lookups: the record needs at least 100 DNS lookups, and receivers stop at 10',
  ]);
  assert.equal(isOnlyOverLimits, true);
  assert.ok(resolver.queries < 20);
});

test('spf: dollar signs in a name are literal', async () => {
  const { report } = await check({
    [DOMAIN]: spf("include:$&$'.example.com", '-all'),
    "$&$'.example.com": spf('moo'),
  });
  assert.deepEqual(inWords(report).validation_errors, [
    'syntax_error: in the record of $&$\'.example.com, "moo" at character 8: "moo" is not a mechanism',
  ]);
});

test('spf: a chain is followed 20 deep', async () => {
  const records = Object.fromEntries(
    times(40, (i) => `n${i}.example.com`).map((name, i) => [
      name,
      spf(`include:n${i + 1}.example.com`),
    ]),
  );
  const resolver = zone({ ...records, [DOMAIN]: spf('include:n0.example.com') });
  const { report } = await checkSpf(DOMAIN, await resolver.txt(DOMAIN), resolver);
  assert.equal(report.dns_lookup_count, 21);
  assert.deepEqual(inWords(report).validation_errors, [
    'too_many_lookups: the record needs at least 21 DNS lookups, and receivers stop at 10',
  ]);
  assert.equal(resolver.asked.at(-1), 'n19.example.com TXT');
});

test('spf: a record of two thousand terms is counted to 100, one of more is not read', async () => {
  const { report } = await check({ [DOMAIN]: spf(...times(1_999, () => 'ptr')) });
  assert.equal(report.dns_lookup_count, 100);
  assert.equal(report.mechanisms.length, 1_999);
  const { report: longer } = await check({ [DOMAIN]: spf(...times(2_000, () => 'a')) });
  assert.deepEqual([longer.dns_lookup_count, longer.mechanisms], [0, []]);
  assert.deepEqual(
    longer.validation_errors.map(({ code }) => code),
    ['record_too_long'],
  );
});

const NAMES = [DOMAIN, 'a.example.com', 'b.example.com', 'c.example.com', 'd.example.net'] as const;
const anyTerm = fc.oneof(
  fc
    .tuple(
      fc.constantFrom('include:', 'redirect=', 'a:', 'mx:', 'exists:', 'ptr:', 'exp='),
      fc.constantFrom(
        ...NAMES,
        'gone.example.com',
        '%{d}',
        'x.%{o}',
        '%{i}.%{d2}',
        'a..b.example',
        'museum',
      ),
    )
    .map((parts) => parts.join('')),
  fc.constantFrom(
    'a',
    'mx',
    'ptr',
    'ip4:192.0.2.1',
    'ip6:2001:db8::1',
    'all',
    '-all',
    '~all',
    'moo',
    'x=%{p}',
    'a/24//64',
    '\xff',
  ),
);
const anyRecord = fc
  .array(anyTerm, { maxLength: 6 })
  .map((terms) => ['v=spf1', ...terms].join(' '));
const anyEntry: fc.Arbitrary<ZoneEntry> = fc.record(
  {
    TXT: fc.array(
      fc.oneof(
        { weight: 9, arbitrary: anyRecord },
        { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
      ),
      { minLength: 1, maxLength: 2 },
    ),
    MX: fc.constant([[10, 'a.example.com'] as const]),
    A: fc.constant(['192.0.2.1']),
    fail: fc.constantFrom({ TXT: 'timeout' }, { A: 'SERVFAIL' }, { MX: 'REFUSED' }, {}, {}, {}),
  },
  { requiredKeys: [] },
);

test('spf: reports on arbitrary zones are complete and consistent', async () => {
  await fc.assert(
    fc.asyncProperty(fc.tuple(...NAMES.map(() => anyEntry)), async (entries) => {
      const records = Object.fromEntries(NAMES.map((name, i) => [name, entries[i] ?? {}]));
      const { report, tree, isUnverified, isOnlyOverLimits, hasNoAll, voidLookups } =
        await check(records);
      const codes = report.validation_errors.map(({ code }) => code);
      assert.equal(report.is_valid, codes.length === 0);
      assert.equal(report.exceeds_lookups, report.dns_lookup_count > 10);
      assert.equal(report.exceeds_lookups, codes.includes('too_many_lookups'));
      assert.equal(voidLookups > 2, codes.includes('too_many_void_lookups'));
      assert.equal(report.is_permissive, report.all_qualifier === '+');
      assert.equal(isUnverified, codes.includes('dns_temporary_failure'));
      assert.ok(!isOnlyOverLimits || !report.is_valid);
      assert.ok(!hasNoAll || report.all_qualifier === '?');
      assert.equal(report.raw === '' && report.mechanisms.length > 0, false);
      assert.equal(report.dns_lookup_count, tree.lookups);
      assert.equal(countNodes(tree) - 1, tree.lookups);
      assert.ok(tree.lookups <= 100);
    }),
    { numRuns: 500 },
  );
});

function countNodes(node: SpfNode): number {
  return node.children.reduce((sum, child) => sum + countNodes(child), 1);
}
