import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { checkDmarc, type DomainState, discover, walkNames } from './dmarc-discovery.ts';
import type { Answer } from './dns.ts';
import { zone } from './zone.ts';
import type { ZoneRecords } from './zone-records.ts';

for (const [behaviour, domain, want] of [
  ['the domain and what is above it', 'a.example.com', ['a.example.com', 'example.com', 'com']],
  ['a top-level domain', 'com', ['com']],
  ['seven labels', 'a.b.c.d.e.f.g', ['a.b.c.d.e.f.g', 'b.c.d.e.f.g', 'c.d.e.f.g', 'd.e.f.g', 'e.f.g', 'f.g', 'g']],
  ['eight labels', '1.a.b.c.d.e.f.g', ['1.a.b.c.d.e.f.g', ...walkNames('a.b.c.d.e.f.g')]],
  ['more labels jump to seven', '4.3.2.1.a.b.c.d.e.f.g', ['4.3.2.1.a.b.c.d.e.f.g', ...walkNames('a.b.c.d.e.f.g')]],
] as const) {
  test(`dmarc discovery: D17 ${behaviour}`, () => assert.deepEqual(walkNames(domain), want));
}

const record = (...texts: string[]): Answer<string> => ({ kind: 'found', records: texts, aliases: [] });
const reject = record('v=DMARC1; p=reject');
const failure: Answer<string> = { kind: 'failure', reason: 'timeout' };

/** What is used, of which organization; `~` where older receivers disagree. */
for (const [behaviour, domain, answers, used, organization] of [
  ['an own record', 'example.com', { 'example.com': reject }, 'example.com', 'example.com'],
  ['a record of the parent', 'a.example.com', { 'example.com': reject }, 'example.com', 'example.com'],
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
  ['D21 only at a label between', 'a.b.example.com', { 'b.example.com': reject }, '~b.example.com', 'b.example.com'],
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
  ['D18 psd=y at the start is an organization', 'com', { com: record('v=DMARC1; p=none; psd=y') }, 'com', 'com'],
  ['D18 nothing anywhere: by the Public Suffix List', 'a.b.example.co.uk', {}, 'none', 'example.co.uk'],
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
    { 'a.example.com': failure, 'example.com': reject },
    'unverified a.example.com',
    'example.com',
  ],
  [
    'C.5 a failing parent does not matter to an own record',
    'a.example.com',
    { 'a.example.com': reject, 'example.com': failure },
    'a.example.com',
    'example.com',
  ],
  ['C.5 without one it does', 'a.example.com', { 'example.com': failure }, 'unverified example.com', 'example.com'],
  [
    'C.5 also when another was found below it',
    'a.b.example.com',
    { 'b.example.com': reject, 'example.com': failure },
    'unverified example.com',
    'example.com',
  ],
  [
    'C.5 also when another was found above it',
    'a.b.example.com',
    { 'b.example.com': failure, 'example.com': reject },
    'unverified b.example.com',
    'example.com',
  ],
  [
    'C.5 a failing public suffix does not matter when one was found',
    'a.example.com',
    { 'example.com': reject, com: failure },
    'example.com',
    'example.com',
  ],
  ['C.5 it does when none was', 'a.example.com', { com: failure }, 'unverified com', 'example.com'],
  [
    'a failure beyond the end of the walk is not seen',
    'a.b.example.com',
    { 'b.example.com': record('v=DMARC1; p=none; psd=n'), 'example.com': failure },
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
] as const satisfies readonly (readonly [string, string, Readonly<Record<string, Answer<string>>>, string, string])[]) {
  test(`dmarc discovery: ${behaviour}`, () => {
    const found = discover(domain, new Map(Object.entries<Answer<string>>(answers)));
    const shown = {
      record: () => found.kind === 'record' && `${found.modelsDisagree ? '~' : ''}${found.recordDomain}`,
      multiple: () => found.kind === 'multiple' && `multiple ${found.recordDomain}`,
      unverified: () => found.kind === 'unverified' && `unverified ${found.name}`,
      none: () => 'none',
    }[found.kind]();
    assert.deepEqual([shown, found.organizationalDomain], [used, organization]);
  });
}

const at = (txt: string, domain = 'example.com'): ZoneRecords => ({ [`_dmarc.${domain}`]: { TXT: [txt] } });
const check = (domain: string, records: ZoneRecords, state: DomainState = 'exists') =>
  checkDmarc(domain, zone(records), Promise.resolve(state));

test('dmarc: a full report', async () => {
  const raw =
    'v=DMARC1; p=reject; sp=quarantine; pct=50; rua=mailto:a@example.com!10m; ruf=mailto:f@example.com; adkim=s; aspf=s; fo=1; ri=3600';
  assert.deepEqual(await check('example.com', at(raw)), {
    report: {
      raw,
      version: 'DMARC1',
      policy: 'reject',
      subdomain_policy: 'quarantine',
      effective_policy: 'reject',
      percentage: 50,
      aggregate_report_uris: ['mailto:a@example.com'],
      forensic_report_uris: ['mailto:f@example.com'],
      dkim_alignment: 's',
      spf_alignment: 's',
      failure_options: '1',
      report_interval: 3600,
      organizational_domain: 'example.com',
      record_domain: 'example.com',
      inherited: false,
      partial_rollout: true,
      no_visibility: false,
      strength_rating: 'moderate',
      is_valid: true,
      validation_errors: [],
    },
    isUnverified: false,
    isFatal: false,
    hasNonFatalErrors: false,
    isTestMode: false,
    historicTags: ['pct', 'ri'],
    unauthorizedDestinations: [],
    unverifiedDestinations: [],
    modelsDisagree: false,
    subdomainPolicyIsWeaker: true,
    recordDomain: 'example.com',
  });
});

const NOTHING = {
  raw: '',
  version: '',
  policy: '',
  subdomain_policy: '',
  effective_policy: 'none',
  percentage: 100,
  aggregate_report_uris: [],
  forensic_report_uris: [],
  dkim_alignment: 'r',
  spf_alignment: 'r',
  failure_options: '0',
  report_interval: 86400,
  organizational_domain: 'example.com',
  record_domain: '',
  inherited: false,
  partial_rollout: false,
  no_visibility: true,
  strength_rating: 'weak',
  is_valid: false,
};

for (const [behaviour, records, want, isUnverified, isFatal] of [
  [
    'no record',
    {},
    { validation_errors: ['no_dmarc_record: there is none at _dmarc.example.com or above it'] },
    false,
    false,
  ],
  [
    'C.5 a failure is not absence',
    { '_dmarc.example.com': { fail: 'SERVFAIL' } },
    { validation_errors: ['dns_temporary_failure: _dmarc.example.com TXT SERVFAIL'] },
    true,
    false,
  ],
  [
    'D4 several records',
    { '_dmarc.example.com': { TXT: ['v=DMARC1; p=reject', 'v=DMARC1; p=none', 'x'] } },
    {
      raw: 'v=DMARC1; p=reject',
      version: 'DMARC1',
      record_domain: 'example.com',
      validation_errors: ['multiple_records: _dmarc.example.com has 2 DMARC records, not one'],
    },
    false,
    true,
  ],
  [
    'D2 a record that was meant for one is named',
    at('v=dmarc1; p=reject'),
    { validation_errors: ['no_dmarc_record: "v=dmarc1; p=reject" at _dmarc.example.com does not begin with v=DMARC1'] },
    false,
    false,
  ],
] as const) {
  test(`dmarc: ${behaviour}`, async () => {
    const found = await check('example.com', records);
    assert.deepEqual(found.report, { ...NOTHING, ...want });
    assert.deepEqual([found.isUnverified, found.isFatal, found.hasNonFatalErrors], [isUnverified, isFatal, false]);
  });
}

test('dmarc: D1 a record behind an alias, in several strings', async () => {
  const { report } = await check('example.com', {
    '_dmarc.example.com': { CNAME: 'dmarc.example.net' },
    'dmarc.example.net': { TXT: [['v=DMARC1; ', 'p=rej', 'ect']] },
  });
  assert.deepEqual([report.raw, report.record_domain], ['v=DMARC1; p=reject', 'example.com']);
});

for (const [behaviour, domain, tags, state, effective, inherited] of [
  ['D19 own: p', 'example.com', 'p=reject; sp=none; np=none', 'exists', 'reject', false],
  ['D19 inherited: sp', 'a.example.com', 'p=reject; sp=quarantine; np=none', 'exists', 'quarantine', true],
  ['D19 inherited without sp: p', 'a.example.com', 'p=reject; np=none', 'exists', 'reject', true],
  ['D19 not there: np', 'a.example.com', 'p=none; sp=quarantine; np=reject', 'nxdomain', 'reject', true],
  ['D19 not there, without np: sp', 'a.example.com', 'p=none; sp=quarantine', 'nxdomain', 'quarantine', true],
  ['D19 not there, with p alone', 'a.example.com', 'p=reject', 'nxdomain', 'reject', true],
  [
    'D19 not known whether it is there: sp',
    'a.example.com',
    'p=none; sp=quarantine; np=reject',
    'unknown',
    'quarantine',
    true,
  ],
  ['D8 a bad sp with rua: none', 'example.com', 'p=reject; sp=x; rua=mailto:a@example.com', 'exists', 'none', false],
  ['D8 a bad sp without: none', 'example.com', 'p=reject; sp=x', 'exists', 'none', false],
  ['D12 D13 not lowered by pct or t', 'example.com', 'p=reject; pct=0; t=y', 'exists', 'reject', false],
] as const) {
  test(`dmarc: ${behaviour}`, async () => {
    const { report } = await check(domain, at(`v=DMARC1; ${tags}`), state);
    assert.deepEqual([report.effective_policy, report.inherited], [effective, inherited]);
  });
}

for (const [tags, want] of [
  ['p=reject', 'strong'],
  ['p=reject; pct=100', 'strong'],
  ['p=reject; aspf=x', 'strong'],
  ['p=reject; pct=99', 'moderate'],
  ['p=reject; pct=0', 'moderate'],
  ['p=reject; t=y', 'moderate'],
  ['p=quarantine', 'moderate'],
  ['p=quarantine; pct=1', 'moderate'],
  ['p=quarantine; pct=0', 'weak'],
  ['p=quarantine; t=y', 'weak'],
  ['p=none', 'weak'],
  ['p=reject; sp=x', 'weak'],
  ['sp=reject', 'weak'],
] as const) {
  test(`dmarc: C.4 ${tags} is ${want}`, async () => {
    const { report, isTestMode } = await check('example.com', at(`v=DMARC1; ${tags}`));
    assert.deepEqual([report.strength_rating, isTestMode], [want, tags.includes('t=y')]);
  });
}

for (const [behaviour, tags, isFatal, hasNonFatalErrors] of [
  ['a good record', 'p=none', false, false],
  ['D8 without rua', 'sp=none', true, false],
  ['D8 with rua', 'rua=mailto:a@example.com', false, false],
  ['a bad tag', 'p=none; aspf=x', false, true],
] as const) {
  test(`dmarc: errors: ${behaviour}`, async () => {
    const found = await check('example.com', at(`v=DMARC1; ${tags}`));
    assert.deepEqual([found.isFatal, found.hasNonFatalErrors], [isFatal, hasNonFatalErrors]);
  });
}

for (const [behaviour, domain, records, want] of [
  ['sp weaker than p', 'example.com', at('v=DMARC1; p=reject; sp=none'), true],
  ['also where it is inherited', 'a.example.com', at('v=DMARC1; p=reject; sp=none'), true],
  ['sp stronger than p', 'example.com', at('v=DMARC1; p=none; sp=reject'), false],
  ['sp absent', 'example.com', at('v=DMARC1; p=reject'), false],
  [
    'D20 sp of a subdomain does nothing',
    'a.example.com',
    { ...at('v=DMARC1; p=reject; sp=none', 'a.example.com'), ...at('v=DMARC1; p=none') },
    false,
  ],
] as const) {
  test(`dmarc: weaker for subdomains: ${behaviour}`, async () =>
    assert.equal((await check(domain, records)).subdomainPolicyIsWeaker, want));
}

test('dmarc: D16 consent is asked for the name the record is at, in one round after the walk', async () => {
  const resolver = zone({
    ...at('v=DMARC1; p=none; rua=mailto:a@example.net,mailto:b@example.org; ruf=mailto:c@example.edu'),
    'example.com._report._dmarc.example.net': { TXT: ['v=DMARC1'] },
    'example.com._report._dmarc.example.edu': { fail: 'timeout' },
  });
  const found = await checkDmarc('a.example.com', resolver, Promise.resolve('exists'));
  assert.deepEqual(found.unauthorizedDestinations, [
    { uri: 'mailto:b@example.org', host: 'example.org', name: 'example.com._report._dmarc.example.org' },
  ]);
  assert.deepEqual(found.unverifiedDestinations, ['mailto:c@example.edu']);
  assert.equal(found.report.is_valid, true);
  assert.deepEqual(
    resolver.asked.slice(0, 3),
    ['a.example.com', 'example.com', 'com'].map((name) => `_dmarc.${name} TXT`),
  );
  assert.equal(resolver.asked.length, 6);
});

test('dmarc: D21 older receivers miss a record between', async () => {
  const { modelsDisagree, recordDomain } = await check('a.b.example.com', at('v=DMARC1; p=none', 'b.example.com'));
  assert.deepEqual([modelsDisagree, recordDomain], [true, 'b.example.com']);
});

test('dmarc: whatever is published, the parts of a report agree', async () => {
  const tag = fc.constantFrom(
    ...[
      'p=none',
      'p=reject',
      'p=x',
      'sp=none',
      'sp=x',
      'np=reject',
      'pct=0',
      'pct=50',
      'pct=x',
      't=y',
      'psd=n',
      'psd=y',
    ],
    ...['rua=mailto:a@example.com', 'rua=mailto:a@example.net', 'rua=x', '', 'x'],
  );
  const text = fc.oneof(
    fc.constant('x'),
    fc.array(tag, { maxLength: 5 }).map((tags) => ['v=DMARC1', ...tags].join(';')),
  );
  const entry = fc.oneof(fc.constant({ fail: 'SERVFAIL' }), fc.record({ TXT: fc.array(text, { maxLength: 2 }) }));
  const state = fc.constantFrom('exists' as const, 'nxdomain' as const, 'unknown' as const);
  const names = ['a.b.example.com', 'b.example.com', 'example.com', 'com'].map((name) => `_dmarc.${name}`);
  await fc.assert(
    fc.asyncProperty(fc.array(entry, { minLength: 4, maxLength: 4 }), state, async (entries, domainState) => {
      const domain = 'a.b.example.com';
      const records = Object.fromEntries(entries.map((one, i) => [names[i], one]));
      const found = await check(domain, records, domainState);
      const { report } = found;
      assert.equal(report.is_valid, report.validation_errors.length === 0);
      assert.equal(report.partial_rollout, report.percentage < 100);
      assert.equal(report.no_visibility, report.aggregate_report_uris.length === 0);
      assert.equal(report.inherited, report.record_domain !== '' && report.record_domain !== domain);
      assert.equal(report.record_domain, found.recordDomain);
      assert.notEqual(report.organizational_domain, '');
      if (found.isUnverified || found.isFatal)
        assert.deepEqual([report.effective_policy, report.is_valid], ['none', false]);
      if (found.isUnverified)
        assert.match(report.validation_errors.join(), /^dns_temporary_failure: _dmarc\.\S+ TXT SERVFAIL$/);
    }),
    { numRuns: 2_000 },
  );
});
