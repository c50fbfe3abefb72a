import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { checkDomain, examineDomain } from './check.ts';
import type { EmailReport } from './report.ts';
import { KEYS } from './test/dkim-keys.ts';
import { zone } from './test/zone.ts';

const { strong, weak } = KEYS;

type Parts = { mx?: [number, string][]; spf?: string; dkim?: string; dmarc?: string };

/** A domain with working mail servers and the given records. */
function domainWith({ mx = [[10, 'mx.example.com']], spf, dkim, dmarc }: Parts) {
  return zone({
    'example.com': { MX: mx, TXT: spf === undefined ? [] : [spf], A: ['192.0.2.1'] },
    'mx.example.com': { A: ['192.0.2.25'] },
    ...(dkim === undefined ? {} : { 'google._domainkey.example.com': { TXT: [dkim] } }),
    ...(dmarc === undefined ? {} : { '_dmarc.example.com': { TXT: [dmarc] } }),
  });
}

const rua = 'rua=mailto:d@example.com';

for (const [behaviour, parts, score, grade] of [
  [
    'everything at its best',
    { spf: 'v=spf1 mx -all', dkim: strong, dmarc: `v=DMARC1; p=reject; ${rua}` },
    100,
    'A',
  ],
  [
    'the public example',
    { spf: 'v=spf1 mx ~all', dkim: strong, dmarc: `v=DMARC1; p=quarantine; ${rua}` },
    85,
    'B',
  ],
  [
    '~all and reject',
    { spf: 'v=spf1 mx ~all', dkim: strong, dmarc: `v=DMARC1; p=reject; ${rua}` },
    95,
    'A',
  ],
  [
    'monitoring',
    { spf: 'v=spf1 mx ~all', dkim: strong, dmarc: `v=DMARC1; p=none; ${rua}` },
    70,
    'C',
  ],
  ['no DMARC', { spf: 'v=spf1 mx ~all', dkim: strong }, 60, 'C'],
  [
    'no DKIM found, reject',
    { spf: 'v=spf1 mx -all', dmarc: `v=DMARC1; p=reject; ${rua}` },
    70,
    'C',
  ],
  [
    'a short key and quarantine',
    { spf: 'v=spf1 mx ~all', dkim: weak, dmarc: `v=DMARC1; p=quarantine; ${rua}` },
    75,
    'B',
  ],
  ['MX and ~all only', { spf: 'v=spf1 mx ~all' }, 30, 'F'],
  [
    'reject for half of the mail',
    { spf: 'v=spf1 mx -all', dkim: strong, dmarc: `v=DMARC1; p=reject; pct=50; ${rua}` },
    95,
    'A',
  ],
  [
    'reject in test mode',
    { spf: 'v=spf1 mx -all', dkim: strong, dmarc: `v=DMARC1; p=reject; t=y; ${rua}` },
    90,
    'A',
  ],
  [
    'quarantine for none of the mail',
    { spf: 'v=spf1 mx -all', dkim: strong, dmarc: `v=DMARC1; p=quarantine; pct=0; ${rua}` },
    75,
    'B',
  ],
  [
    'none without reports',
    { spf: 'v=spf1 mx -all', dkim: strong, dmarc: 'v=DMARC1; p=none' },
    70,
    'C',
  ],
  [
    'a bad tag in an otherwise good policy',
    { spf: 'v=spf1 mx -all', dkim: strong, dmarc: `v=DMARC1; p=reject; adkim=x; ${rua}` },
    95,
    'A',
  ],
  [
    'half of the address space may send',
    { spf: 'v=spf1 ip4:0.0.0.0/1 -all', dkim: strong, dmarc: `v=DMARC1; p=reject; ${rua}` },
    75,
    'B',
  ],
  ['+all', { spf: 'v=spf1 +all', dkim: strong, dmarc: `v=DMARC1; p=reject; ${rua}` }, 75, 'B'],
  [
    'a parked domain tops out at 70',
    { mx: [[0, '.']], spf: 'v=spf1 -all', dmarc: 'v=DMARC1; p=reject' },
    70,
    'C',
  ],
  ['only an address', { mx: [] }, 0, 'F'],
] as const satisfies readonly (readonly [string, Parts, number, string])[]) {
  test(`check: ${behaviour}: ${score} ${grade}`, async () => {
    const report = await checkDomain('example.com', { resolver: domainWith(parts) });
    assert.deepEqual([report.domain_auth_score, report.grade], [score, grade]);
    assertInvariants(report);
  });
}

test('check: a domain that does not exist has no records, and one recommendation', async () => {
  const report = await checkDomain('example.com', { resolver: zone({}) });
  assert.deepEqual([report.domain_auth_score, report.grade], [0, 'F']);
  assert.match(report.mx.errors[0] ?? '', /^domain_not_found: /);
  assert.match(report.spf.validation_errors[0] ?? '', /^domain_not_found: /);
  assert.deepEqual(report.recommendations, [
    'The domain example.com does not exist in DNS. Check the spelling, or register it.',
  ]);
});

test('check: named selectors are all reported, in order, found or not', async () => {
  const { dkim } = await checkDomain('example.com', {
    resolver: domainWith({ dkim: strong }),
    selectors: ['nope', 'google'],
  });
  assert.deepEqual(
    dkim.map(({ selector, found }) => [selector, found]),
    [
      ['nope', false],
      ['google', true],
    ],
  );
});

test('check: without selectors only found keys are reported', async () => {
  const { dkim } = await checkDomain('example.com', { resolver: domainWith({ dkim: strong }) });
  assert.deepEqual(
    dkim.map(({ selector }) => selector),
    ['google'],
  );
});

test('check: no question is asked twice, and the common selectors stay within sixty', async () => {
  const resolver = domainWith({
    spf: 'v=spf1 mx a include:example.com -all',
    dkim: strong,
    dmarc: `v=DMARC1; p=none; ${rua}`,
  });
  await checkDomain('example.com', { resolver });
  assert.equal(new Set(resolver.asked).size, resolver.asked.length);
  assert.ok(resolver.asked.length <= 60, `${resolver.asked.length} questions`);
});

for (const [behaviour, records, unverified] of [
  [
    'MX',
    { 'example.com': { fail: { MX: 'SERVFAIL' }, TXT: ['v=spf1 -all'] } },
    'MX could not be verified',
  ],
  [
    'the apex TXT',
    {
      'example.com': { fail: { TXT: 'timeout' }, MX: [[10, 'mx.example.com']] },
      'mx.example.com': { A: ['192.0.2.25'] },
    },
    'SPF could not be verified',
  ],
  [
    '_dmarc',
    { 'example.com': { A: ['192.0.2.1'] }, '_dmarc.example.com': { fail: 'REFUSED' } },
    'DMARC could not be verified',
  ],
  [
    'an include',
    {
      'example.com': { TXT: ['v=spf1 include:a.example -all'] },
      'a.example': { fail: 'SERVFAIL' },
    },
    'SPF could not be verified',
  ],
] as const) {
  test(`check: a failure at ${behaviour} is never reported as a missing record`, async () => {
    const { report, isDnsUnavailable } = await examineDomain('example.com', {
      resolver: zone(records as Parameters<typeof zone>[0]),
    });
    assert.equal(isDnsUnavailable, false);
    const advice = report.recommendations.filter((text) => text.includes('could not be verified'));
    assert.equal(advice.length, 1);
    assert.ok(advice[0]?.startsWith(unverified), advice[0]);
    assertInvariants(report);
  });
}

test('check: when MX, TXT and _dmarc all fail, DNS is unavailable', async () => {
  const resolver = zone({
    'example.com': { fail: 'SERVFAIL' },
    '_dmarc.example.com': { fail: 'SERVFAIL' },
  });
  assert.equal((await examineDomain('example.com', { resolver })).isDnsUnavailable, true);
});

test('check: reports on arbitrary records keep every invariant', async () => {
  const word = fc.constantFrom(
    'v=spf1',
    'v=DMARC1',
    'v=DKIM1',
    ';',
    'p=',
    'p=reject',
    'include:b.example',
    'all',
    '-all',
    '%{d}',
    'redirect=a.example',
    '"',
    '\u00ff',
    'rua=mailto:',
    ',',
    ' ',
  );
  const text = fc.oneof(
    fc.array(word, { maxLength: 8 }).map((words) => words.join(' ')),
    fc.string({ maxLength: 40 }),
  );
  const txt = fc.array(text, { maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(txt, txt, txt, async (apex, dmarc, dkim) => {
      const resolver = zone({
        'example.com': { TXT: apex, MX: [[10, 'example.com']] },
        '_dmarc.example.com': { TXT: dmarc },
        'google._domainkey.example.com': { TXT: dkim },
        'b.example': { TXT: apex },
      });
      assertInvariants(await checkDomain('example.com', { resolver }));
    }),
    { numRuns: 100 },
  );
});

/** Holds in every response, whatever the records are (docs/email-score.md). */
function assertInvariants(report: EmailReport): void {
  const { mx, spf, dkim, dmarc, domain, domain_auth_score, grade } = report;
  assert.equal(mx.is_valid, mx.errors.length === 0);
  assert.equal(spf.is_valid, spf.validation_errors.length === 0);
  assert.equal(spf.exceeds_lookups, spf.dns_lookup_count > 10);
  assert.equal(spf.is_permissive, spf.all_qualifier === '+');
  for (const key of dkim) assert.equal(key.is_valid, key.validation_errors.length === 0);
  assert.equal(dmarc.is_valid, dmarc.validation_errors.length === 0);
  assert.equal(dmarc.partial_rollout, dmarc.percentage < 100);
  assert.equal(dmarc.no_visibility, dmarc.aggregate_report_uris.length === 0);
  assert.equal(dmarc.inherited, dmarc.record_domain !== '' && dmarc.record_domain !== domain);
  assert.ok(
    domain_auth_score >= 0 && domain_auth_score <= 100 && Number.isInteger(domain_auth_score),
  );
  const bounds = { A: 90, B: 75, C: 55, D: 35, F: 0 };
  assert.ok(domain_auth_score >= bounds[grade]);
  for (const errors of [
    mx.errors,
    spf.validation_errors,
    dmarc.validation_errors,
    ...dkim.map((key) => key.validation_errors),
  ]) {
    for (const error of errors) assert.match(error, /^[a-z0-9_]+: ./);
  }
}
