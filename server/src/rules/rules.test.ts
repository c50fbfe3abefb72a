import assert from 'node:assert/strict';
import test from 'node:test';
import { type Address, parseAddress } from '@whence/dataset/address';
import type { IpRecord } from '@whence/dataset/record';
import { Decider, factsOf } from './decide.ts';
import { type InvalidRules, parseRules } from './parse-rules.ts';
import { containsAddress, type PrefixFile, parsePrefixFile, rangesOf } from './prefix-file.ts';
import { normalizeHost, normalizePath } from './request-facts.ts';
import { reviewRules } from './review-rules.ts';
import type { RuleSet } from './rule-sets.ts';

const inSet = (rules: string, rest = 'default: allow') =>
  `sets: {default: {${rest}, rules: [${rules}]}}`;
const rule = (conditions: string, then = 'deny') => `{name: r, if: ${conditions}, then: ${then}}`;

for (const [behaviour, text, ...messages] of [
  ['an empty file', '', 'line 1, column 1: the file is a map of names and values'],
  [
    'a text that is not YAML',
    'sets:\n\ta: 1',
    'line 2, column 1: Tabs are not allowed as indentation',
  ],
  [
    'an alias of itself',
    'sets: &all {a: *all}',
    'line 1, column 13: set a has no "a": it has mode, default, rules',
  ],
  [
    'an alias without an anchor',
    inSet('*other, &other {name: a, then: deny}'),
    'line 1, column 42: *other has no anchor before it',
    'line 1, column 1: rule 1 is a map of names and values',
  ],
  [
    'aliases of aliases',
    `sets: {a: {default: allow, rules: [{name: a, then: deny, if: {countries: &a [NO${', SE'.repeat(2_000)}]}}, ${Array.from(
      { length: 30 },
      (_, i) => `{name: r${i}, then: deny, if: {countries: *a}}`,
    ).join()}]}}`,
    ...Array.from({ length: 10 }, () => 'line 1, column 77: more than 20000 values in one file'),
    'line 1, column 77: 12 more mistakes from here on',
  ],
  ['brackets', '['.repeat(20_000), 'line 1, column 1: the file is nested too deeply, or too long'],
  [
    'a long text that is not YAML',
    `a: b\n}\n${'x'.repeat(500)}`,
    'line 2, column 1: Unexpected flow-map-end token in YAML stream: "}"',
    `line 3, column 1: Unexpected scalar token in YAML stream: "${'x'.repeat(159)}…`,
  ],
  ['a name twice', 'sets: {}\nsets: {}', 'line 2, column 1: "sets" is there twice'],
  ['neither sets nor lists', '{}', 'line 1, column 1: neither sets nor lists'],
  [
    'a mistyped field',
    'sets:\n  a:\n    rule: []\n    default: deny',
    'line 3, column 5: set a has no "rule": did you mean rules?',
  ],
  [
    'too many sets',
    `sets: {${Array.from({ length: 3_000 }, (_, i) => `s${i}: {default: allow}`).join()}}`,
    'line 1, column 2198: more than 100 sets or lists',
  ],
  [
    'too many rules in all sets',
    `sets: {a0: {default: allow, rules: &r [${Array.from({ length: 1_000 }, (_, i) => `{name: r${i}, then: deny}`).join()}]}, ${Array.from({ length: 5 }, (_, i) => `a${i + 1}: {default: allow, rules: *r}`).join()}}`,
    'line 1, column 39: more than 5000 rules in one file',
  ],
  ['a set without a default', 'sets: {a: {rules: []}}', 'line 1, column 11: set a has no default'],
  [
    'an unknown mode',
    'sets: {a: {default: allow, mode: on}}',
    'line 1, column 34: "on" is not one of enforce, observe',
  ],
  [
    'a rule without a name and an action',
    inSet('{if: {announced: true}}'),
    'line 1, column 42: a rule needs a name',
    'line 1, column 42: a rule needs "then": allow, deny, tag',
  ],
  [
    'two rules of one name',
    inSet(`${rule('{private: true}')}, ${rule('{private: false}')}`),
    'line 1, column 86: rule "r" exists in line 1',
  ],
  [
    'a status of a rule that allows',
    inSet('{name: a, then: allow, status: 403}'),
    'line 1, column 42: only a rule that denies has a status and a text',
  ],
  [
    'a status below 400',
    inSet('{name: a, then: deny, status: 200}'),
    'line 1, column 72: "200" is not a whole number from 400 to 599',
  ],
  [
    'an empty list',
    inSet(rule('{asns: []}')),
    'line 1, column 63: an empty list never matches: leave the condition out',
  ],
  [
    'host bits',
    inSet(rule('{prefixes: 10.0.0.1/8}')),
    'line 1, column 67: "10.0.0.1/8" is not a prefix such as 192.0.2.0/24, without bits after its length',
  ],
  [
    'a country by its name',
    inSet(rule('{countries: [Norway]}')),
    'line 1, column 69: "Norway" is not a country code such as DE',
  ],
  [
    'a field that every object has',
    inSet('{name: a, then: deny, constructor: 1}'),
    'line 1, column 64: rule 1 has no "constructor": it has name, if, then, status, text',
  ],
  [
    'another one',
    'sets: {default: {default: allow, __proto__: 1}}',
    'line 1, column 34: set default has no "__proto__": it has mode, default, rules',
  ],
  [
    'a score of 0',
    inSet(rule('{min_score: 0}')),
    'line 1, column 68: "0" is not a whole number from 1 to 100',
  ],
  [
    'a list with a condition of the request',
    'lists: {a: {paths: /x}}',
    'line 1, column 12: a list has conditions of an address, not paths',
  ],
] as const)
  test(`rules file with a mistake: ${behaviour}`, () => {
    assert.throws(() => parseRules(text), { name: 'InvalidRules', message: messages.join('\n') });
  });

test('rules file that is something else: the first 50 mistakes, 10 of them in the message, and how many there are', () => {
  const values = Array.from({ length: 1_000 }, (_, i) => `x${i}`).join();
  assert.throws(
    () => parseRules(inSet(rule(`{countries: [${values}]}`))),
    ({ mistakes, message }: InvalidRules) =>
      mistakes.at(50)?.message === '950 more mistakes from here on' &&
      message.endsWith('\nline 1, column 99: 990 more mistakes from here on'),
  );
});

const RECORD: IpRecord = {
  ip: '5.5.5.5',
  prefix: '5.5.0.0/16',
  asn: 64_500,
  asn_name: 'Example',
  country: 'NO',
  rir: 'RIPE',
  connection_type: 'datacenter',
  detection: {
    is_datacenter: true,
    is_tor_exit: true,
    is_proxy: true,
    is_vpn: false,
    is_residential: false,
    is_mobile: false,
    is_ai_crawler: false,
    cloud_provider: 'Example Cloud',
  },
  threat: { score: 40, level: 'medium' },
};
const LOGIN = { host: 'www.Example.com.:443', path: '/login?x=1', method: 'post' };

function decideAbout(
  text: string,
  { ip = '5.5.5.5', record = RECORD as IpRecord | null, asked = LOGIN as object } = {},
) {
  const set = parseRules(text).sets.get('default');
  const address = parseAddress(ip);
  assert.ok(set && address);
  const decider = new Decider(set);
  const facts = factsOf({ address, ...asked }, record ?? undefined);
  const { decision, rule: decided } = decider.decide(facts);
  return [decision, decided?.name, decided && decider.explain(decided, facts)];
}

for (const [conditions, matched] of [
  ['{hosts: [www.example.com]}', { hosts: 'www.example.com' }],
  ['{hosts: ["*.example.com"]}', { hosts: '*.example.com' }],
  ['{hosts: ["*.www.example.com"]}', undefined],
  ['{paths: [/log]}', { paths: '/log' }],
  ['{paths: [/login/x]}', undefined],
  ['{methods: [get, post]}', { methods: 'POST' }],
  ['{prefixes: [5.5.5.0/24]}', { prefixes: '5.5.5.0/24' }],
  ['{prefixes: [5.5.6.0/24, "2001:db8::/32"]}', undefined],
  ['{countries: [NO, SE]}', { countries: 'NO' }],
  ['{asns: [AS64500]}', { asns: 64_500 }],
  ['{connection_types: [business]}', undefined],
  ['{flags: [vpn, tor_exit]}', { flags: ['tor_exit'] }],
  ['{flags: [proxy]}', { flags: ['proxy'] }],
  ['{cloud_providers: [example cloud]}', { cloud_providers: 'example cloud' }],
  ['{ai_companies: [OpenAI]}', undefined],
  ['{min_score: 40}', { min_score: 40 }],
  ['{min_score: 41}', undefined],
  ['{announced: true, private: false}', { private: false, announced: true }],
  ['{announced: false}', undefined],
  ['{countries: NO, methods: GET}', undefined],
  ['{}', {}],
] as const)
  test(`rules: ${conditions} ${matched === undefined ? 'does not match' : 'matches'}`, () => {
    const expected =
      matched === undefined ? ['allow', undefined, undefined] : ['deny', 'r', matched];
    assert.deepEqual(decideAbout(inSet(rule(conditions))), expected);
  });

const UNANNOUNCED = { ip: '5.6.5.5', record: null };
const PRIVATE = { ip: '10.1.2.3', record: null };
for (const [behaviour, text, given, expected] of [
  [
    'the first rule that matches decides',
    inSet(`{name: a, if: {asns: 64500}, then: allow}, ${rule('{asns: 64500}')}`),
    {},
    ['allow', 'a'],
  ],
  [
    'a rule that tags lets the request pass and is named',
    inSet(rule('{asns: 64500}', 'tag')),
    {},
    ['allow', 'r'],
  ],
  ['otherwise the default', inSet('', 'default: deny'), {}, ['deny', undefined]],
  [
    'a set that observes refuses nothing',
    inSet(rule('{asns: 64500}'), 'default: allow, mode: observe'),
    {},
    ['observe', 'r'],
  ],
  [
    'the default of a set that observes',
    inSet('', 'default: deny, mode: observe'),
    {},
    ['observe', undefined],
  ],
  [
    'an address that no network announces',
    inSet(rule('{announced: false}')),
    UNANNOUNCED,
    ['deny', 'r'],
  ],
  [
    'such an address has no country',
    inSet(rule('{countries: NO}')),
    UNANNOUNCED,
    ['allow', undefined],
  ],
  [
    'a private address passes',
    inSet(rule('{announced: false}'), 'default: deny'),
    PRIVATE,
    ['allow', undefined],
  ],
  ['unless a rule says private', inSet(rule('{private: true}')), PRIVATE, ['deny', 'r']],
  ['or names its prefix', inSet(rule('{prefixes: 10.0.0.0/8}')), PRIVATE, ['deny', 'r']],
  [
    'a 6to4 address comes from the internet',
    inSet('', 'default: deny'),
    { ip: '2002:505:505::1', record: null },
    ['deny', undefined],
  ],
  [
    'a Teredo address is not announced',
    inSet(rule('{announced: false}')),
    { ip: '2001:0:505:505::1', record: null },
    ['deny', 'r'],
  ],
  [
    'an AS112 address is not private',
    inSet(rule('{private: true}')),
    { ip: '192.31.196.1', record: null },
    ['allow', undefined],
  ],
  [
    'a request without a host meets no condition on hosts',
    inSet(rule('{hosts: "*.com"}')),
    { asked: {} },
    ['allow', undefined],
  ],
] as const)
  test(`rules: ${behaviour}`, () => {
    assert.deepEqual(decideAbout(text, given).slice(0, 2), expected);
  });

for (const [path, normal] of [
  ['/admin?x=/y', '/admin'],
  ['//x/../%61dmin/./', '/admin/'],
  ['/caf%C3%A9', '/café'],
  ['/../..', '/'],
] as const)
  test(`rules: the path ${path} of a rule is compared as ${normal}`, () =>
    assert.equal(normalizePath(path), normal));

/** As a proxy sends them: one character per byte. */
for (const [path, ...protectedPaths] of [
  ['/admin', '/admin'],
  ['/ADMIN/x', '/admin'],
  ['//admin', '/admin'],
  ['/./admin/', '/admin/'],
  ['/x/../admin', '/admin'],
  ['/../../admin', '/admin'],
  ['/%61dmin', '/admin'],
  ['/%2561dmin', '/admin'],
  ['/%252561dmin', '/admin'],
  ['/x/%2e%2e/admin', '/admin'],
  ['/x%2f..%2fadmin', '/admin'],
  // Programs that decode and do not resolve, or resolve before they decode.
  ['/%61dmin/%2e%2e/', '/admin', '/'],
  ['/./%61dmin/%2e%2e/', '/admin'],
  // More readings than are compared.
  [`/${'%5c..;%252f//'.repeat(80)}`, '/other'],
  ['/%FF%2f..%2fadmin/x.txt', '/admin'],
  ['/%zz/../admin', '/admin'],
  ['/\\admin', '/admin'],
  ['/x\\..\\admin', '/admin'],
  // A backslash that is a character.
  ['/a\\b/../admin', '/admin'],
  ['/;x=1/admin', '/admin'],
  ['/admin;x/y', '/admin/y'],
  ['/x;/..;/admin', '/admin'],
  // Parameters that end before, or after, the path is decoded.
  ['/a;b%2fadmin', '/a/admin'],
  // Empty segments that are segments, as in WHATWG URLs.
  ['/x/../admin//..', '/admin'],
  ['/x#/../admin', '/admin', '/x'],
  ['http://host/admin', '/admin'],
  // WHATWG URLs, to which a program gives a request target.
  ['//host/admin', '/admin'],
  ['/\\host/admin', '/admin'],
  ['\\\\/host\\admin', '/admin'],
  ['/ad\tmin', '/admin'],
  // More than three times encoded, too many bytes for a character, and what IIS decodes.
  ['/%25252561dmin', '/admin'],
  ['/x/%c0%ae%c0%ae/admin', '/admin'],
  ['/%e0%80%afadmin', '/admin'],
  ['/%f0%80%80%afadmin', '/admin'],
  ['/%u0061dmin', '/admin'],
  ['/%25u0061dmin', '/admin'],
  ['/x/%0d%0aadmin', '/admin'],
  ['/admin?/public', '/admin'],
  ['/caf%C3%A9', '/café'],
  ['/caf\xC3\xA9', '/café'],
  ['/CAF%C3%89', '/café'],
  ['/cafe%CC%81', '/café'],
  ['/my%20files', '/my files'],
  ['/%00/admin', '/admin', '/other'],
  ['/x%2500', '/other'],
  [`/${'%2e'.repeat(2_000)}`, '/other'],
  ['', '/'],
] as const)
  for (const start of protectedPaths)
    test(`rules: the path ${JSON.stringify(path.slice(0, 40))} is denied by a rule for ${start}`, () => {
      const text = inSet(rule(`{paths: [${JSON.stringify(start)}]}`));
      assert.equal(decideAbout(text, { asked: { path } })[0], 'deny');
    });

for (const [path, start, decision] of [
  ['/public/x', '/public', 'allow'],
  ['/public/x?y=/../admin', '/public', 'allow'],
  ['/public/%41', '/public', 'allow'],
  ['/caf%C3%A9/%20x', '/café', 'allow'],
  ['/Public/x', '/public', 'deny'],
  ['/public/../admin', '/public', 'deny'],
  ['/admin/..%2fpublic', '/public', 'deny'],
  ['/public%2f..%2fadmin', '/public', 'deny'],
  ['/public/%252e%252e/admin', '/public', 'deny'],
  ['/public/..;/admin', '/public', 'deny'],
  // A parser of URLs resolves the dots, and keeps `%2f`.
  ['/public%2fx/%2e%2e/', '/public', 'deny'],
  ['/public\\..\\admin', '/public', 'deny'],
  ['//public', '/public', 'deny'],
  ['/%70ublic', '/public', 'deny'],
  ['/public/%00', '/public', 'deny'],
  ['/public/%c0%ae%c0%ae/admin', '/public', 'deny'],
  ['/public/%2525252e./admin', '/public', 'deny'],
  ['/public/%C1rbol/%E0%A4%85/%F0%9F%98%80', '/public', 'allow'],
  ['/public/%25252fx', '/public', 'allow'],
] as const)
  test(`rules: the path ${path} ${decision === 'allow' ? 'is' : 'is not'} allowed by a rule for ${start}`, () => {
    const text = inSet(rule(`{paths: [${start}]}`, 'allow'), 'default: deny');
    assert.equal(decideAbout(text, { asked: { path } })[0], decision);
  });

for (const [host, normal] of [
  ['WWW.Example.com:8443', 'www.example.com'],
  ['www.example.com:', 'www.example.com'],
  ['www.example.com:000019161', 'www.example.com'],
  ['example.com.', 'example.com'],
  ['example.com.:443', 'example.com'],
  ['b\xC3\xBCcher.example', 'xn--bcher-kva.example'],
  ['XN--BCHER-KVA.example', 'xn--bcher-kva.example'],
  ['[2001:DB8:0::1]:443', '[2001:db8::1]'],
  ['127.0.0.1:80', '127.0.0.1'],
  ['fa\xC3\x9F.example', 'xn--fa-hia.example'],
  ['b\x75\xCC\x88cher.example', 'xn--bcher-kva.example'],
  ['_dmarc.example.com', '_dmarc.example.com'],
  ['127.0.0.1.', '127.0.0.1'],
  ['1.example', '1.example'],
  ['', undefined],
  ['.', undefined],
  ['a b', undefined],
  ['example.com..', undefined],
  ['a.example, b.example', undefined],
  ['user@example.com', undefined],
  ['example.com:1:2', undefined],
  ['a@www.example.com', undefined],
  ['www.example.com@a', undefined],
  ['a:b@www.example.com', undefined],
  ['[::1', undefined],
  ['::1', undefined],
  ['[::1]x', undefined],
  ['[::1].', undefined],
  ['[fe80::1%25eth0]', undefined],
  ['[::ffff:127.0.0.1]', undefined],
  ['[127.0.0.1]', undefined],
  ['[www.example.com]', undefined],
  ['127.1', undefined],
  ['0x7f.1', undefined],
  ['2130706433', undefined],
  ['127.0.0.01', undefined],
  ['127.0.0.256', undefined],
  ['www.example.com.0x', undefined],
  ['xn--www-.example.com', undefined],
  ['xn--.example.com', undefined],
  ['xn--a.example.com', undefined],
  ['www.example.com;x', undefined],
  ['www.example.com&x', undefined],
  ['www.example.com*', undefined],
  ['*.example.com', undefined],
  ['http://www.example.com', undefined],
  ['www.example.com:http', undefined],
  ['www.example.com:80#x', undefined],
  ['www.example.com#x', undefined],
  ['www.example.com?x', undefined],
  ['www.example.com/x', undefined],
  ['www.example.com\\x', undefined],
  ['www.exam\tple.com', undefined],
  ['www.example.com\n', undefined],
  [' www.example.com', undefined],
  ['www.example.com\0', undefined],
  ['%77ww.example.com', undefined],
  ['www%2eexample.com', undefined],
  ['www..example.com', undefined],
  ['www.example.com\r', undefined],
  ['\twww.example.com', undefined],
  ['www.example.com%00', undefined],
  ['www.example.com\x7f', undefined],
  // U+FF57, U+00AD, U+200D, U+3002, U+FF0E, U+FF61, U+FF03, U+FF11, U+212A, U+0130 and U+017F in
  // UTF-8.
  ['www\xEF\xBC\x8Eexample.com', undefined],
  ['www\xEF\xBD\xA1example.com', undefined],
  ['\xEF\xBC\x911.example.com', undefined],
  ['boo\xE2\x84\xAA.example.com', undefined],
  ['www.example.com\xC4\xB0', undefined],
  ['www.example.com\xC5\xBF', undefined],
  ['\xEF\xBD\x97ww.example.com', undefined],
  ['www.exam\xC2\xADple.com', undefined],
  ['www.exam\xE2\x80\x8Dple.com', undefined],
  ['www\xE3\x80\x82example.com', undefined],
  ['www.example.com\xEF\xBC\x83x', undefined],
  ['b\xFCcher.example', undefined],
] as const)
  test(`rules: the host ${JSON.stringify(host)} is compared as ${normal}`, () => {
    assert.equal(normalizeHost(host), normal);
    if (normal !== undefined) return;
    // An unusable host could mean any host: it is denied by every rule on hosts and allowed by
    // none.
    const text = (then: string, rest: string) =>
      inSet(rule('{hosts: [www.example.com, "*.com"]}', then), rest);
    assert.equal(decideAbout(text('deny', 'default: allow'), { asked: { host } })[0], 'deny');
    assert.equal(decideAbout(text('allow', 'default: deny'), { asked: { host } })[0], 'deny');
  });

const FILES: Record<string, PrefixFile> = {
  'empty.txt': parsePrefixFile('empty.txt', Buffer.from('# none yet\n'), 1),
  'one.txt': parsePrefixFile('one.txt', Buffer.from('5.0.0.0/8'), 1),
};

for (const [behaviour, rules, ...warnings] of [
  ['rules that are all used', `${rule('{asns: 1}')}, {name: s, if: {asns: [1, 2]}, then: deny}`],
  [
    'a rule that matches everything',
    `${rule('{}', 'allow')}, {name: s, if: {asns: 1}, then: deny}`,
    'rule r of set default matches every request: the rules after it are never used',
    'rule s of set default never matches: rule r before it matches all that it does',
  ],
  [
    'a last rule that allows everything',
    `{name: s, if: {asns: 1}, then: deny}, ${rule('{}', 'allow')}`,
  ],
  [
    'a last rule that denies everything',
    `{name: s, if: {asns: 1}, then: allow}, ${rule('{}')}`,
    'rule r of set default has no conditions: it refuses every request that is not private',
  ],
  [
    'codes that no country has',
    rule('{countries: [UK, NO, EU, QQ, XK]}'),
    'rule r of set default matches only by its other countries: no country has the code UK, EU, QQ',
  ],
  [
    'a method that does not exist',
    rule('{methods: [PSOT]}'),
    'rule r of set default never matches: HTTP has no method PSOT',
  ],
  [
    'a path that looks like a pattern',
    rule('{paths: [/api/*, /x]}'),
    'rule r of set default matches only by its other paths: a path is a beginning, in which * is a character: /api/*',
  ],
  [
    'a country of a private address',
    rule('{private: true, countries: NO}'),
    'rule r of set default never matches: a private address has no countries, except in your overrides',
  ],
  [
    'a cloud provider that the dataset does not know',
    rule('{cloud_providers: [Example Clod, example cloud]}'),
    'rule r of set default matches only by its other cloud_providers: no address of this dataset belongs to example clod',
  ],
  [
    'a company that the dataset does not know',
    rule('{ai_companies: [Example Labs]}'),
    'rule r of set default never matches: no address of this dataset belongs to example labs',
  ],
  [
    'a file without prefixes',
    rule('{prefixes_file: empty.txt}'),
    'rule r of set default never matches: empty.txt has no prefixes',
  ],
  [
    'a file after prefixes, which may have others',
    `${rule('{prefixes: 10.0.0.0/8}')}, {name: s, if: {prefixes: 10.0.0.0/8, prefixes_file: one.txt}, then: allow}`,
  ],
  [
    'the same file twice',
    `${rule('{prefixes_file: one.txt}')}, {name: s, if: {prefixes_file: one.txt, asns: 1}, then: allow}`,
    'rule s of set default never matches: rule r before it matches all that it does',
  ],
  [
    'a narrower rule after a wider one',
    `${rule('{prefixes: 10.0.0.0/8}')}, {name: s, if: {prefixes: [10.1.0.0/16], asns: 1}, then: allow}`,
    'rule s of set default never matches: rule r before it matches all that it does',
  ],
  [
    'a higher score after a lower one',
    `${rule('{min_score: 25}')}, {name: s, if: {min_score: 75}, then: deny, status: 451}`,
    'rule s of set default never matches: rule r before it matches all that it does',
  ],
  [
    'a rule for private addresses after one for all',
    `${rule('{methods: GET}')}, {name: s, if: {methods: GET, private: true}, then: deny}`,
  ],
  [
    'a country of an address that is not announced',
    rule('{announced: false, countries: NO}'),
    'rule r of set default never matches: an address that is not announced has no countries',
  ],
  [
    'a flag that the dataset does not know',
    rule('{flags: proxy}'),
    'rule r of set default matches only lasting rows: no current list of this dataset knows proxy',
  ],
] as const)
  test(`review of rules: ${behaviour}`, () => {
    assert.deepEqual(
      reviewRules(
        parseRules(inSet(rules), (path) => FILES[path] ?? 'does not exist'),
        {
          unknownFlags: new Set(['is_proxy']),
          names: () => ({ cloud_providers: ['example cloud'], ai_companies: ['example'] }),
        },
      ).map(({ message }) => message),
      warnings,
    );
  });

const NO_RELAYS =
  'refuses people behind privacy relays, whose addresses are those of datacenters: no current list of this dataset knows relays; run wh dataset update, or allow their prefixes before it';
for (const [behaviour, rules, unknownFlags, warnings] of [
  [
    'a rule that denies datacenters',
    '{name: r, if: {flags: datacenter}, then: deny}',
    ['relay'],
    [`rule r of set default ${NO_RELAYS}`],
  ],
  [
    'the same with a current list of relays',
    '{name: r, if: {flags: datacenter}, then: deny}',
    [],
    [],
  ],
  [
    'the same by connection type',
    '{name: r, if: {connection_types: datacenter}, then: deny}',
    ['relay'],
    [`rule r of set default ${NO_RELAYS}`],
  ],
  ['a rule that only tags them', '{name: r, if: {flags: datacenter}, then: tag}', ['relay'], []],
  [
    'after a rule that allows networks of relays',
    '{name: s, if: {asns: 36183}, then: allow}, {name: r, if: {flags: datacenter}, then: deny}',
    ['relay'],
    [],
  ],
] as const)
  test(`review of rules: relays that are unknown: ${behaviour}`, () => {
    const knowledge = {
      unknownFlags: new Set<string>(unknownFlags),
      names: () => ({ cloud_providers: [], ai_companies: [] }),
    };
    assert.deepEqual(
      reviewRules(parseRules(inSet(rules)), knowledge).map(({ message }) => message),
      warnings,
    );
  });

// Minutes if every prefix were compared with every other.
test('review of rules: long lists of prefixes, hosts and paths', () => {
  const many = (text: (i: number) => string) =>
    `[${Array.from({ length: 1_000 }, (_, i) => text(i)).join()}]`;
  for (const conditions of [
    [
      many((i) => `10.${i >> 8}.${i & 255}.0/24`),
      many((i) => `10.${i >> 8}.${i & 255}.7/32`),
      'prefixes',
    ],
    [many((i) => `"*.h${i}.example"`), many((i) => `www.h${i}.example`), 'hosts'],
    [many((i) => `/p${i}/`), many((i) => `/p${i}/x`), 'paths'],
  ] as const) {
    const [wide, narrow, name] = conditions;
    const review = (first: string, second: string) =>
      reviewRules(
        parseRules(
          inSet(`${rule(`{${name}: ${first}}`)}, {name: s, if: {${name}: ${second}}, then: deny}`),
        ),
        undefined,
      );
    assert.match(
      review(wide, narrow)[0]?.message ?? '',
      /^rule s of set default never matches: rule r before it/,
    );
    assert.deepEqual(review(narrow, wide), []);
  }
});

const LISTED = `\ufeff# a list\r
10.0.0.0/8\r

10.1.0.0/16   # inside the first
192.0.2.7
11.0.0.0/8
0.0.0.0/32
255.255.255.255
2001:db8::/32
2001:db8::1
::/128
ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff
`;
test('a file of prefixes: comments, blank lines, addresses, ranges inside ranges and at the ends', () => {
  const file = parsePrefixFile('a', Buffer.from(LISTED), 10);
  assert.deepEqual([file.count, file.ranges[4].length / 2, file.ranges[6].length / 8], [10, 5, 3]);
  for (const [text, isListed] of [
    ['9.255.255.255', false] as const,
    ['10.0.0.0', true] as const,
    ['10.1.2.3', true] as const,
    ['11.255.255.255', true] as const,
    ['12.0.0.0', false] as const,
    ['192.0.2.6', false] as const,
    ['192.0.2.7', true] as const,
    ['0.0.0.0', true] as const,
    ['0.0.0.1', false] as const,
    ['255.255.255.255', true] as const,
    ['255.255.255.254', false] as const,
    ['::', true] as const,
    ['::1', false] as const,
    ['2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', true] as const,
    ['2001:db9::', false] as const,
    ['2001:db7:ffff:ffff:ffff:ffff:ffff:ffff', false] as const,
    ['ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', true] as const,
    ['::ffff:10.0.0.1', true] as const,
  ]) {
    const address = parseAddress(text);
    assert.equal(address && containsAddress(file, address), isListed, text);
  }
  assert.deepEqual(
    [...rangesOf(file)]
      .filter(({ version }) => version === 4)
      .map(({ start, end }) => [start, end].join()),
    [
      '0,0',
      '167772160,184549375',
      '184549376,201326591',
      '3221225991,3221225991',
      '4294967295,4294967295',
    ],
  );
});

for (const [behaviour, text, message] of [
  [
    'a mistake',
    '10.0.0.0/8\n\nnonsense # x\n',
    'line 3: "nonsense" is neither a prefix nor an address',
  ],
  ['host bits', '10.0.0.1/8', 'line 1: "10.0.0.1/8" is neither a prefix nor an address'],
  ['too many', '10.0.0.1\n10.0.0.2\n10.0.0.3', 'line 3: more than 1000000 prefixes in all files'],
] as const)
  test(`a file of prefixes with ${behaviour}`, () => {
    assert.throws(() => parsePrefixFile('a', Buffer.from(text), 2), { message });
  });

test('a condition on prefixes: those of the rule and those of a file are one list', () => {
  const set = parseRules(
    inSet(rule('{prefixes: 10.0.0.0/8, prefixes_file: one.txt}')),
    (path) => FILES[path] ?? '',
  ).sets;
  const decider = new Decider(set.get('default') as RuleSet);
  const decisions = ['10.1.1.1', '5.5.5.5', '6.6.6.6'].map((ip) => {
    const facts = factsOf({ address: parseAddress(ip) as Address }, RECORD);
    const { decision, rule: decided } = decider.decide(facts);
    return [decision, decided && decider.explain(decided, facts).prefixes];
  });
  assert.deepEqual(decisions, [
    ['deny', '10.0.0.0/8'],
    ['deny', 'one.txt'],
    ['allow', undefined],
  ]);
});
