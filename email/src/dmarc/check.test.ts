import assert from 'node:assert/strict';
import test from 'node:test';
import type { ZoneRecords } from '@whence/testing/servers/zone-literal';
import fc from 'fast-check';
import { formatFinding } from '../findings/finding.ts';
import { zone } from '../test/zone.ts';
import { checkDmarc } from './check.ts';
import type { DomainState } from './discovery.ts';

const at = (txt: string, domain = 'example.com'): ZoneRecords => ({
  [`_dmarc.${domain}`]: { TXT: [txt] },
});
const check = (domain: string, records: ZoneRecords, state: DomainState = 'exists') =>
  checkDmarc(domain, zone(records), Promise.resolve(state), zone(records).txt(domain));

test('dmarc: a full report', async () => {
  const raw =
    'v=DMARC1; p=reject; sp=quarantine; pct=50; rua=mailto:a@example.com!10m; ruf=mailto:f@example.com; adkim=s; aspf=s; fo=1; ri=3600';
  const { steps, domainState, misplaced, isOwnAliasMissing, ...judgement } = await check(
    'example.com',
    at(raw),
  );
  assert.deepEqual(
    [steps.length, domainState, misplaced, isOwnAliasMissing],
    [2, 'exists', undefined, false],
  );
  assert.deepEqual(judgement, {
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
    destinations: {
      rua: [
        { uri: 'mailto:a@example.com', host: 'example.com', arrival: { kind: 'no mail host' } },
      ],
      ruf: [
        { uri: 'mailto:f@example.com', host: 'example.com', arrival: { kind: 'no mail host' } },
      ],
    },
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
    {
      validation_errors: [
        'no_dmarc_record: "v=dmarc1; p=reject" at _dmarc.example.com does not begin with v=DMARC1',
      ],
    },
    false,
    false,
  ],
] as const) {
  test(`dmarc: ${behaviour}`, async () => {
    const found = await check('example.com', records);
    const errors = found.report.validation_errors.map(formatFinding);
    assert.deepEqual({ ...found.report, validation_errors: errors }, { ...NOTHING, ...want });
    assert.deepEqual(
      [found.isUnverified, found.isFatal, found.hasNonFatalErrors],
      [isUnverified, isFatal, false],
    );
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
  [
    'D19 inherited: sp',
    'a.example.com',
    'p=reject; sp=quarantine; np=none',
    'exists',
    'quarantine',
    true,
  ],
  ['D19 inherited without sp: p', 'a.example.com', 'p=reject; np=none', 'exists', 'reject', true],
  [
    'D19 not there: np',
    'a.example.com',
    'p=none; sp=quarantine; np=reject',
    'nxdomain',
    'reject',
    true,
  ],
  [
    'D19 not there, without np: sp',
    'a.example.com',
    'p=none; sp=quarantine',
    'nxdomain',
    'quarantine',
    true,
  ],
  ['D19 not there, with p alone', 'a.example.com', 'p=reject', 'nxdomain', 'reject', true],
  [
    'D19 not known whether it is there: sp',
    'a.example.com',
    'p=none; sp=quarantine; np=reject',
    'unknown',
    'quarantine',
    true,
  ],
  [
    'D8 a bad sp with rua: none',
    'example.com',
    'p=reject; sp=x; rua=mailto:a@example.com',
    'exists',
    'none',
    false,
  ],
  ['D8 a bad sp without: none', 'example.com', 'p=reject; sp=x', 'exists', 'none', false],
  [
    'D12 D13 not lowered by pct or t',
    'example.com',
    'p=reject; pct=0; t=y',
    'exists',
    'reject',
    false,
  ],
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
    ...at(
      'v=DMARC1; p=none; rua=mailto:a@example.net,mailto:b@example.org; ruf=mailto:c@example.edu',
    ),
    'example.com._report._dmarc.example.net': { TXT: ['v=DMARC1'] },
    'example.com._report._dmarc.example.edu': { fail: 'timeout' },
    'example.net': { MX: [[10, 'mx.example.net']] },
    'example.org': { MX: [[10, 'mx.example.org']] },
  });
  const found = await checkDmarc(
    'a.example.com',
    resolver,
    Promise.resolve('exists'),
    Promise.resolve({ kind: 'nodata' }),
  );
  const { rua, ruf } = found.destinations;
  assert.deepEqual(
    [...rua, ...ruf].map(({ arrival }) => arrival),
    [
      { kind: 'arrives' },
      { kind: 'not authorized', name: 'example.com._report._dmarc.example.org' },
      { kind: 'unknown' },
    ],
  );
  assert.equal(found.report.is_valid, true);
  assert.deepEqual(
    resolver.asked.slice(0, 3),
    ['a.example.com', 'example.com', 'com'].map((name) => `_dmarc.${name} TXT`),
  );
  assert.equal(resolver.asked.length, 8);
});

test('dmarc: D21 RFC 7489 receivers miss a record at a middle label', async () => {
  const { modelsDisagree, recordDomain } = await check(
    'a.b.example.com',
    at('v=DMARC1; p=none', 'b.example.com'),
  );
  assert.deepEqual([modelsDisagree, recordDomain], [true, 'b.example.com']);
});

test('dmarc: reports on arbitrary records are consistent', async () => {
  const tag = fc.constantFrom(
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
    'rua=mailto:a@example.com',
    'rua=mailto:a@example.net',
    'rua=x',
    '',
    'x',
  );
  const text = fc.oneof(
    fc.constant('x'),
    fc.array(tag, { maxLength: 5 }).map((tags) => ['v=DMARC1', ...tags].join(';')),
  );
  const entry = fc.oneof(
    fc.constant({ fail: 'SERVFAIL' }),
    fc.record({ TXT: fc.array(text, { maxLength: 2 }) }),
  );
  const state = fc.constantFrom('exists' as const, 'nxdomain' as const, 'unknown' as const);
  const names = ['a.b.example.com', 'b.example.com', 'example.com', 'com'].map(
    (name) => `_dmarc.${name}`,
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(entry, { minLength: 4, maxLength: 4 }),
      state,
      async (entries, domainState) => {
        const domain = 'a.b.example.com';
        const records = Object.fromEntries(entries.map((one, i) => [names[i], one]));
        const found = await check(domain, records, domainState);
        const { report } = found;
        assert.equal(report.is_valid, report.validation_errors.length === 0);
        assert.equal(report.partial_rollout, report.percentage < 100);
        assert.equal(report.no_visibility, report.aggregate_report_uris.length === 0);
        assert.equal(
          report.inherited,
          report.record_domain !== '' && report.record_domain !== domain,
        );
        assert.equal(report.record_domain, found.recordDomain);
        assert.notEqual(report.organizational_domain, '');
        if (found.isUnverified || found.isFatal)
          assert.deepEqual([report.effective_policy, report.is_valid], ['none', false]);
        if (found.isUnverified)
          assert.match(
            report.validation_errors.map(formatFinding).join(),
            /^dns_temporary_failure: _dmarc\.\S+ TXT SERVFAIL$/,
          );
      },
    ),
    { numRuns: 500 },
  );
});

for (const [behaviour, records, want] of [
  [
    'at the apex',
    { 'example.com': { TXT: ['x', 'v=DMARC1; p=reject'] } },
    'a DMARC record was found at example.com instead of _dmarc.example.com, where receivers look',
  ],
  [
    'under the doubled name',
    { '_dmarc.example.com.example.com': { TXT: ['v=DMARC1; p=reject'] } },
    'a DMARC record was found at _dmarc.example.com.example.com instead of _dmarc.example.com, where receivers look',
  ],
  [
    'without the semicolon',
    at('v=DMARC1 p=reject'),
    '"v=DMARC1 p=reject" at _dmarc.example.com lacks the semicolon after v=DMARC1',
  ],
  [
    'in lower case',
    at('v=dmarc1; p=reject'),
    '"v=dmarc1; p=reject" at _dmarc.example.com does not begin with v=DMARC1',
  ],
  ['nowhere', {}, 'there is none at _dmarc.example.com or above it'],
] as const satisfies readonly (readonly [string, ZoneRecords, string])[])
  test(`dmarc: a record that receivers do not find: ${behaviour}`, async () => {
    const { report } = await check('example.com', records);
    assert.deepEqual(report.validation_errors.map(formatFinding), [`no_dmarc_record: ${want}`]);
  });

test('dmarc: the doubled name is asked only if there is no record', async () => {
  for (const [records, isAsked] of [
    [at('v=DMARC1; p=none'), false],
    [{}, true],
  ] as const) {
    const resolver = zone(records);
    await checkDmarc(
      'example.com',
      resolver,
      Promise.resolve('exists'),
      resolver.txt('example.com'),
    );
    assert.equal(resolver.asked.includes('_dmarc.example.com.example.com TXT'), isAsked);
  }
});
