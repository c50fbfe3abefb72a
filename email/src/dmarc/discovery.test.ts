import assert from 'node:assert/strict';
import test from 'node:test';
import { type Answer, failure } from '../dns/answer.ts';
import { discover, readStep, walkNames } from './discovery.ts';

for (const [behaviour, domain, want] of [
  ['the domain and what is above it', 'a.example.com', ['a.example.com', 'example.com', 'com']],
  ['a top-level domain', 'com', ['com']],
  [
    'seven labels',
    'a.b.c.d.e.f.g',
    ['a.b.c.d.e.f.g', 'b.c.d.e.f.g', 'c.d.e.f.g', 'd.e.f.g', 'e.f.g', 'f.g', 'g'],
  ],
  ['eight labels', '1.a.b.c.d.e.f.g', ['1.a.b.c.d.e.f.g', ...walkNames('a.b.c.d.e.f.g')]],
  [
    'more labels jump to seven',
    '4.3.2.1.a.b.c.d.e.f.g',
    ['4.3.2.1.a.b.c.d.e.f.g', ...walkNames('a.b.c.d.e.f.g')],
  ],
] as const) {
  test(`dmarc discovery: D17 ${behaviour}`, () => assert.deepEqual(walkNames(domain), want));
}

const record = (...texts: string[]): Answer<string> => ({
  kind: 'found',
  records: texts,
  aliases: [],
});
const reject = record('v=DMARC1; p=reject');
const failed = failure('timeout');

/** The record used and its organizational domain; `~` where RFC 7489 receivers disagree. */
for (const [behaviour, domain, answers, used, organization] of [
  ['an own record', 'example.com', { 'example.com': reject }, 'example.com', 'example.com'],
  [
    'a record of the parent',
    'a.example.com',
    { 'example.com': reject },
    'example.com',
    'example.com',
  ],
  [
    'of two, the own is used and the higher decides',
    'a.example.com',
    { 'a.example.com': reject, 'example.com': reject },
    'a.example.com',
    'example.com',
  ],
  [
    'of two above, the higher is used',
    'a.b.example.com',
    { 'b.example.com': reject, 'example.com': reject },
    'example.com',
    'example.com',
  ],
  [
    'D21 only at a label between',
    'a.b.example.com',
    { 'b.example.com': reject },
    '~b.example.com',
    'b.example.com',
  ],
  [
    'an own record below a name without',
    'a.example.com',
    { 'a.example.com': reject },
    'a.example.com',
    'a.example.com',
  ],
  [
    'D18 psd=n is the organization, whatever is above',
    'a.b.example.com',
    { 'b.example.com': record('v=DMARC1; p=none; psd=n'), 'example.com': reject },
    '~b.example.com',
    'b.example.com',
  ],
  [
    'D18 psd=n at the domain itself',
    'a.example.com',
    { 'a.example.com': record('v=DMARC1; p=none; psd=n'), 'example.com': reject },
    'a.example.com',
    'a.example.com',
  ],
  [
    'D18 psd=y: one label below',
    'a.b.example.com',
    { com: record('v=DMARC1; p=none; psd=y'), 'example.com': reject },
    'example.com',
    'example.com',
  ],
  [
    'D18 psd=y: the suffix is used where the organization has none',
    'a.example.com',
    { com: record('v=DMARC1; p=none; psd=y') },
    '~com',
    'example.com',
  ],
  [
    'D18 psd=y: not what is between the two',
    'a.b.example.com',
    { com: record('v=DMARC1; p=none; psd=y'), 'b.example.com': reject },
    '~com',
    'example.com',
  ],
  [
    'D18 psd=y at the start is an organization',
    'com',
    { com: record('v=DMARC1; p=none; psd=y') },
    'com',
    'com',
  ],
  [
    'D18 nothing anywhere: by the Public Suffix List',
    'a.b.example.co.uk',
    {},
    'none',
    'example.co.uk',
  ],
  ['nothing anywhere, private section', 'a.b.github.io', {}, 'none', 'b.github.io'],
  ['nothing anywhere above a public suffix', 'co.uk', {}, 'none', 'co.uk'],
  [
    'D3 other text is dropped',
    'example.com',
    { 'example.com': record('x', 'v=DMARC1; p=none') },
    'example.com',
    'example.com',
  ],
  [
    'D4 several at the domain end it',
    'a.example.com',
    { 'a.example.com': record('v=DMARC1', 'v=DMARC1'), 'example.com': reject },
    'multiple a.example.com',
    'example.com',
  ],
  [
    'D3 several above are discarded',
    'a.b.example.com',
    { 'b.example.com': record('v=DMARC1', 'v=DMARC1'), 'example.com': reject },
    'example.com',
    'example.com',
  ],
  [
    'D21 several where older receivers look',
    'a.b.example.com',
    { 'b.example.com': reject, 'example.com': record('v=DMARC1', 'v=DMARC1') },
    '~b.example.com',
    'b.example.com',
  ],
  [
    'several above and nothing else',
    'a.example.com',
    { 'example.com': record('v=DMARC1', 'v=DMARC1') },
    'multiple example.com',
    'example.com',
  ],
  [
    'C.5 a failure at the domain: nothing is inherited',
    'a.example.com',
    { 'a.example.com': failed, 'example.com': reject },
    'unverified a.example.com',
    'example.com',
  ],
  [
    'C.5 a failing parent does not matter to an own record',
    'a.example.com',
    { 'a.example.com': reject, 'example.com': failed },
    'a.example.com',
    'example.com',
  ],
  [
    'C.5 without one it does',
    'a.example.com',
    { 'example.com': failed },
    'unverified example.com',
    'example.com',
  ],
  [
    'C.5 also when another was found below it',
    'a.b.example.com',
    { 'b.example.com': reject, 'example.com': failed },
    'unverified example.com',
    'example.com',
  ],
  [
    'C.5 also when another was found above it',
    'a.b.example.com',
    { 'b.example.com': failed, 'example.com': reject },
    'unverified b.example.com',
    'example.com',
  ],
  [
    'C.5 a failing public suffix does not matter when one was found',
    'a.example.com',
    { 'example.com': reject, com: failed },
    'example.com',
    'example.com',
  ],
  ['C.5 it does when none was', 'a.example.com', { com: failed }, 'unverified com', 'example.com'],
  [
    'a failure beyond the end of the walk is not seen',
    'a.b.example.com',
    { 'b.example.com': record('v=DMARC1; p=none; psd=n'), 'example.com': failed },
    '~b.example.com',
    'b.example.com',
  ],
  [
    'D17 what the jump leaves out is not used',
    '1.2.a.b.c.d.e.example.com',
    { '2.a.b.c.d.e.example.com': reject },
    'none',
    'example.com',
  ],
  [
    'D17 what it reaches is',
    '1.2.a.b.c.d.e.example.com',
    { 'a.b.c.d.e.example.com': reject },
    '~a.b.c.d.e.example.com',
    'a.b.c.d.e.example.com',
  ],
] as const satisfies readonly (readonly [
  string,
  string,
  Readonly<Record<string, Answer<string>>>,
  string,
  string,
])[]) {
  test(`dmarc discovery: ${behaviour}`, () => {
    const byName = new Map(Object.entries<Answer<string>>(answers));
    const steps = walkNames(domain).map((name) =>
      readStep(name, byName.get(name) ?? { kind: 'nxdomain' }),
    );
    const found = discover(domain, steps);
    const shown = {
      record: () =>
        found.kind === 'record' && `${found.modelsDisagree ? '~' : ''}${found.recordDomain}`,
      multiple: () => found.kind === 'multiple' && `multiple ${found.recordDomain}`,
      'too long': () => found.kind === 'too long' && `too long ${found.recordDomain}`,
      unverified: () => found.kind === 'unverified' && `unverified ${found.name}`,
      none: () => 'none',
    }[found.kind]();
    assert.deepEqual([shown, found.organizationalDomain], [used, organization]);
  });
}
