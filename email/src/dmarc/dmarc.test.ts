import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { formatFinding } from '../findings/finding.ts';
import { type DmarcRecord, parseDmarc, selectDmarc } from './dmarc.ts';

const RUA = 'rua=mailto:dmarc@example.com';
const codes = ({ errors }: DmarcRecord) => errors.map(({ code }) => code);

for (const [behaviour, text, want] of [
  ['the version alone', 'v=DMARC1', true],
  ['the version and more', 'v=DMARC1; p=none', true],
  ['no blank after the semicolon', 'v=DMARC1;p=none', true],
  ['blanks around =', 'v \t= DMARC1 ; p=none', true],
  ['the name of the tag in upper case', 'V=DMARC1; p=none', true],
  ['the value in lower case', 'v=dmarc1; p=none', false],
  ['a longer version', 'v=DMARC10; p=none', false],
  ['no semicolon', 'v=DMARC1 p=none', false],
  ['a blank in front', ' v=DMARC1; p=none', false],
  ['another tag in front', 'p=none; v=DMARC1', false],
  ['no version', 'p=none', false],
  ['another record', 'v=spf1 -all', false],
  ['nothing', '', false],
] as const) {
  test(`dmarc: D2 ${behaviour} ${want ? 'counts' : 'does not count'}`, () =>
    assert.equal(selectDmarc([text]).kind, want ? 'one' : 'none'));
}

test('dmarc: D3 other text is dropped', () => {
  assert.deepEqual(selectDmarc(['hello', 'v=DMARC1; p=none', 'v=dmarc1; p=reject']), {
    kind: 'one',
    raw: 'v=DMARC1; p=none',
  });
  assert.deepEqual(selectDmarc(['hello']), { kind: 'none' });
  assert.deepEqual(selectDmarc([]), { kind: 'none' });
});

test('dmarc: D3 of several records none counts, the same twice neither', () => {
  assert.deepEqual(selectDmarc(['v=DMARC1', 'x', 'v=DMARC1']), {
    kind: 'multiple',
    raws: ['v=DMARC1', 'v=DMARC1'],
  });
});

for (const text of [
  ' v=DMARC1; p=none',
  'v=dmarc1; p=none',
  '"v=DMARC1; p=none"',
  'v=DMARC1 p=none',
  'v=DMARC2',
]) {
  test(`dmarc: ${text} was meant for a record`, () =>
    assert.deepEqual(selectDmarc(['x', text]), { kind: 'none', lookalike: text }));
}

test('dmarc: the defaults', () => {
  const record = parseDmarc('v=DMARC1; p=reject');
  assert.deepEqual(record, {
    raw: 'v=DMARC1; p=reject',
    policy: 'reject',
    subdomainPolicy: 'reject',
    nonexistentPolicy: 'reject',
    standing: 'as published',
    percentage: 100,
    aggregateUris: [],
    forensicUris: [],
    dkimAlignment: 'r',
    spfAlignment: 'r',
    failureOptions: '0',
    reportInterval: 86400,
    isTestMode: false,
    psd: 'u',
    historicTags: [],
    errors: [],
    hasNonFatalErrors: false,
  });
});

/** Tags after the version, and what they change. */
for (const [behaviour, tags, want] of [
  ['D5 any order', `${RUA}; sp=none; p=reject`, { policy: 'reject', subdomainPolicy: 'none' }],
  ['D6 an unknown tag', 'p=reject; x=1', { policy: 'reject' }],
  [
    'D7 case does not matter',
    'P=Reject; SP=QUARANTINE',
    { policy: 'reject', subdomainPolicy: 'quarantine' },
  ],
  [
    'D7 np without sp',
    'p=reject; np=none',
    { subdomainPolicy: 'reject', nonexistentPolicy: 'none' },
  ],
  ['D19 a missing np is sp', 'p=reject; sp=none', { nonexistentPolicy: 'none' }],
  ['D9 strict', 'p=none; adkim=s; aspf=S', { dkimAlignment: 's', spfAlignment: 's' }],
  ['D9 relaxed', 'p=none; adkim=r; aspf=r', { dkimAlignment: 'r', spfAlignment: 'r' }],
  ['D10 fo as published', 'p=none; fo=1:d:s', { failureOptions: '1:d:s' }],
  ['D10 only d', 'p=none; fo=d', { failureOptions: 'd' }],
  ['D10 the number last', 'p=none; fo=s:0', { failureOptions: 's:0' }],
  [
    'D11 pct and ri',
    'p=none; pct=0; ri=3600',
    { percentage: 0, reportInterval: 3600, historicTags: ['pct', 'ri'] },
  ],
  ['D11 the largest ri', 'p=none; ri=4294967295', { reportInterval: 4294967295 }],
  ['D11 rf', 'p=none; rf=afrf', { historicTags: ['rf'] }],
  ['D13 t=y', 'p=reject; t=y', { isTestMode: true, policy: 'reject' }],
  ['D13 t=n', 'p=reject; t=N', { isTestMode: false }],
  ['D14 psd', 'p=reject; psd=y', { psd: 'y' }],
  ['a last semicolon', 'p=reject;', { policy: 'reject' }],
] as const) {
  test(`dmarc: ${behaviour}`, () => {
    const record = parseDmarc(`v=DMARC1; ${tags}`);
    assert.deepEqual({ ...record, ...want }, record);
    assert.deepEqual(record.errors, []);
  });
}

/** Malformed tags that leave the policy in force, and the default that takes their place. */
for (const [behaviour, tags, code, want] of [
  ['D6 a part that is no tag', 'rubbish', 'malformed_tag', {}],
  ['D6 nothing between semicolons', '', 'malformed_tag', {}],
  ['D9 adkim', 'adkim=x', 'bad_tag_value', { dkimAlignment: 'r' }],
  ['D9 aspf', 'aspf=', 'bad_tag_value', { spfAlignment: 'r' }],
  ['D10 an unknown option', 'fo=2', 'bad_tag_value', { failureOptions: '0' }],
  ['D10 0 and 1', 'fo=0:1', 'bad_tag_value', { failureOptions: '0' }],
  ['D10 an option twice', 'fo=1:d:d', 'bad_tag_value', { failureOptions: '0' }],
  ['D10 another separator', 'fo=1,d', 'bad_tag_value', { failureOptions: '0' }],
  ['D11 pct over 100', 'pct=101', 'bad_tag_value', { percentage: 100, historicTags: ['pct'] }],
  ['D11 pct with a sign', 'pct=50%', 'bad_tag_value', { percentage: 100 }],
  ['D11 a negative pct', 'pct=-1', 'bad_tag_value', { percentage: 100 }],
  ['D11 an empty pct', 'pct=', 'bad_tag_value', { percentage: 100 }],
  ['D11 ri over 32 bits', 'ri=4294967296', 'bad_tag_value', { reportInterval: 86400 }],
  ['D11 ri in words', 'ri=daily', 'bad_tag_value', { reportInterval: 86400 }],
  ['D13 t', 't=yes', 'bad_tag_value', { isTestMode: false }],
  ['D14 psd', 'psd=x', 'bad_tag_value', { psd: 'u' }],
  ['D15 rua without a scheme', 'rua=dmarc@example.com', 'bad_report_uri', { aggregateUris: [] }],
  ['D15 an empty rua', 'rua=', 'bad_report_uri', { aggregateUris: [] }],
  ['D15 ruf', 'ruf=dmarc@example.com', 'bad_report_uri', { forensicUris: [] }],
  ['a duplicate: the first counts', 'aspf=s; aspf=r', 'duplicate_tag', { spfAlignment: 's' }],
  ['the version twice', 'v=DMARC1', 'duplicate_tag', {}],
] as const) {
  test(`dmarc: not fatal: ${behaviour}`, () => {
    const record = parseDmarc(`v=DMARC1; ${tags}; p=reject`);
    assert.deepEqual({ ...record, ...want }, record);
    assert.deepEqual(codes(record), [code]);
    assert.deepEqual(
      [record.policy, record.standing, record.hasNonFatalErrors],
      ['reject', 'as published', true],
    );
  });
}

test('dmarc: D15 the good ones of a list are kept', () => {
  const { aggregateUris, errors } = parseDmarc(
    'v=DMARC1; p=none; rua=mailto:a@example.com!10m, b@example.com,https://example.com/r',
  );
  assert.deepEqual(
    aggregateUris.map(({ uri }) => uri),
    ['mailto:a@example.com', 'https://example.com/r'],
  );
  assert.deepEqual(errors.map(formatFinding), [
    'bad_report_uri: "b@example.com" in rua= has no scheme; write mailto: before it',
  ]);
});

/** D8, without and with a usable rua: the policies as they stand, and the codes. */
for (const [behaviour, tags, without, withRua, ...want] of [
  ['no p', '', [''], ['none'], 'missing_policy'],
  ['an empty p', 'p=', [''], ['none'], 'bad_policy'],
  ['a misspelt p', 'p=rejct', [''], ['none'], 'bad_policy'],
  ['p twice', 'p=reject; p=reject', [''], ['none'], 'duplicate_tag'],
  ['a bad sp', 'p=reject; sp=x', ['reject', ''], ['reject', 'none'], 'bad_subdomain_policy'],
  ['sp twice', 'p=reject; sp=none; sp=none', ['reject', ''], ['reject', 'none'], 'duplicate_tag'],
  [
    'a bad np',
    'p=reject; np=x',
    ['reject', 'reject', ''],
    ['reject', 'reject', 'none'],
    'bad_tag_value',
  ],
  [
    'all of them',
    'sp=x; np=y',
    [''],
    ['none'],
    'missing_policy',
    'bad_subdomain_policy',
    'bad_tag_value',
  ],
] as const) {
  const policies = ({ policy, subdomainPolicy, nonexistentPolicy }: DmarcRecord) => [
    policy,
    subdomainPolicy,
    nonexistentPolicy,
  ];
  const filled = (list: readonly string[]) => [
    list[0],
    list[1] ?? list[0],
    list[2] ?? list[1] ?? list[0],
  ];
  const join = (...parts: string[]) => parts.filter((part) => part !== '').join('; ');

  test(`dmarc: D8 ${behaviour}: no policy applies`, () => {
    const record = parseDmarc(join('v=DMARC1', tags));
    assert.deepEqual([record.standing, policies(record)], ['void', filled(without)]);
    assert.deepEqual([codes(record), record.hasNonFatalErrors], [want, false]);
  });

  test(`dmarc: D8 ${behaviour}: with rua it stands as none`, () => {
    const record = parseDmarc(join('v=DMARC1', tags, RUA));
    assert.deepEqual([record.standing, policies(record)], ['as none', filled(withRua)]);
    assert.deepEqual([codes(record), record.hasNonFatalErrors], [want, false]);
  });
}

test('dmarc: D8 a rua that is no URI does not save the record', () => {
  const record = parseDmarc('v=DMARC1; rua=dmarc@example.com');
  assert.deepEqual(
    [record.standing, codes(record)],
    ['void', ['missing_policy', 'bad_report_uri']],
  );
  assert.equal(record.hasNonFatalErrors, true);
});

test('dmarc: any text is read', () => {
  const part = fc.constantFrom(
    'v=DMARC1',
    'p=',
    'sp=',
    'np=',
    'none',
    'reject',
    ';',
    ' ',
    'pct=',
    '50',
    'rua=',
    'mailto:a@example.com',
    'fo=1',
    ':',
    'é',
  );
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(part).map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(text, (raw) => {
      selectDmarc([raw]);
      const record = parseDmarc(raw);
      assert.ok(
        record.errors
          .map(formatFinding)
          .every((error) => /^[a-z_]+: ./.test(error) && error.length < 200),
      );
      assert.ok(record.percentage >= 0 && record.percentage <= 100);
      assert.equal(
        record.standing === 'void',
        record.policy === '' || record.subdomainPolicy === '' || record.nonexistentPolicy === '',
      );
    }),
    { numRuns: 1_000 },
  );
});
