import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import test from 'node:test';
import type { ZoneRecords } from '@whence/testing/servers/zone-literal';
import fc from 'fast-check';
import type { Finding } from '../findings/finding.ts';
import { formatFinding } from '../findings/finding.ts';
import type { DkimReport } from '../report.ts';
import { rsaPublicKey } from '../test/dkim-keys.ts';
import { zone } from '../test/zone.ts';
import { checkDkim, parseDkimKey } from './dkim.ts';

const spki = (key: KeyObject) => key.export({ type: 'spki', format: 'der' });
const pkcs1 = (key: KeyObject) => key.export({ type: 'pkcs1', format: 'der' });

const RSA = rsaPublicKey(2048);
const P = spki(RSA).toString('base64');
const ED25519 = generateKeyPairSync('ed25519').publicKey;
const ED25519_RAW = Buffer.from(ED25519.export({ format: 'jwk' }).x ?? '', 'base64url').toString(
  'base64',
);
const ED25519_SPKI = spki(ED25519).toString('base64');
const UNPADDED = ED25519_RAW.replace(/=+$/, '');

const codes = ({ validation_errors }: DkimReport<Finding>) =>
  validation_errors.map(({ code }) => code);

for (const bits of [512, 1000, 1024, 2048, 4096]) {
  const key = rsaPublicKey(bits);
  for (const [form, der] of [
    ['SubjectPublicKeyInfo', spki],
    ['bare PKCS#1', pkcs1],
  ] as const) {
    test(`dkim: K7 K9 an RSA key of ${bits} bits as ${form}`, () => {
      const { report } = parseDkimKey('s1', [`v=DKIM1; k=rsa; p=${der(key).toString('base64')}`]);
      assert.deepEqual([report.found, report.key_type, report.key_bits], [true, 'rsa', bits]);
      assert.deepEqual(codes(report), bits < 1024 ? ['key_too_short'] : []);
    });
  }
}

/** Found, with type and bits, and these codes. */
for (const [behaviour, record, type, bits, ...want] of [
  ['K2 blanks and a last semicolon', ` v = DKIM1 ;\tk = rsa ; p = ${P} ; `, 'rsa', 2048],
  ['K2 a duplicate tag', `v=DKIM1; k=rsa; k=rsa; p=${P}`, 'rsa', 2048, 'duplicate_tag'],
  ['K2 an unknown tag', `v=DKIM1; future=1; p=${P}`, 'rsa', 2048],
  ['K2 a part that is no tag', `v=DKIM1; rubbish; p=${P}`, 'rsa', 2048, 'malformed_tag'],
  ['K2 nothing between semicolons', `v=DKIM1;; p=${P}`, 'rsa', 2048, 'malformed_tag'],
  ['K2 tag names are case-sensitive', `v=DKIM1; P=; p=${P}`, 'rsa', 2048],
  ['K3 no version', `p=${P}`, 'rsa', 2048],
  ['K3 the version not first', `k=rsa; v=DKIM1; p=${P}`, 'rsa', 2048, 'bad_version'],
  ['K3 a version that only begins like ours', `v=DKIM10; p=${P}`, 'rsa', 2048, 'bad_version'],
  ['K3 a version in lower case', `v=dkim1; p=${P}`, 'rsa', 2048, 'bad_version'],
  ['K3 escaped semicolons', `v=DKIM1\\; k=rsa\\; p=${P}`, '', 0, 'bad_version', 'unknown_key_type'],
  ['K4 no p', 'v=DKIM1; k=rsa', 'rsa', 0, 'bad_key_data'],
  ['K4 a revoked key', 'v=DKIM1; p=', 'rsa', 0, 'key_revoked'],
  ['K4 a revoked key without a version', 'p=;', 'rsa', 0, 'key_revoked'],
  ['K5 white space inside p', `p=${P.replace(/(.{70})/g, '$1 \t')}`, 'rsa', 2048],
  ['K5 a character that is not base64', `p=${P.replace('A', '*')}`, 'rsa', 0, 'bad_base64'],
  ['K5 the URL alphabet is another', `p=${P.slice(0, 10)}-_${P.slice(12)}`, 'rsa', 0, 'bad_base64'],
  ['K5 padding inside', `p=AA==${P}`, 'rsa', 0, 'bad_base64'],
  ['K5 too much padding', `k=ed25519; p=${UNPADDED}==`, 'ed25519', 0, 'bad_base64'],
  ['K5 a digit that stands alone', 'p=AAAAA', 'rsa', 0, 'bad_base64'],
  ['K5 only padding', 'p===', 'rsa', 0, 'bad_base64'],
  ['K6 rsa by default', `v=DKIM1; p=${P}`, 'rsa', 2048],
  ['K6 an unknown type', `v=DKIM1; k=dsa; p=${P}`, '', 0, 'unknown_key_type'],
  ['K6 an empty type', `v=DKIM1; k=; p=${P}`, '', 0, 'unknown_key_type'],
  ['K6 types are case-sensitive', `v=DKIM1; k=RSA; p=${P}`, '', 0, 'unknown_key_type'],
  ['K6 an unknown type, revoked', 'v=DKIM1; k=dsa; p=', '', 0, 'unknown_key_type', 'key_revoked'],
  ['K7 something else in base64', 'v=DKIM1; p=aGVsbG8gd29ybGQ=', 'rsa', 0, 'bad_key_data'],
  ['K7 a key cut off', `v=DKIM1; p=${P.slice(0, 200)}`, 'rsa', 0, 'bad_key_data'],
  ['K8 Ed25519', `v=DKIM1; k=ed25519; p=${ED25519_RAW}`, 'ed25519', 256],
  ['K8 Ed25519 wrapped', `v=DKIM1; k=ed25519; p=${ED25519_SPKI}`, 'ed25519', 0, 'bad_key_data'],
  ['K8 an Ed25519 key under rsa', `v=DKIM1; k=rsa; p=${ED25519_RAW}`, 'rsa', 0, 'bad_key_data'],
  ['K8 an RSA key under ed25519', `v=DKIM1; k=ed25519; p=${P}`, 'ed25519', 0, 'bad_key_data'],
  ['K10 sha256 among the hashes', `h=sha1 : sha256; p=${P}`, 'rsa', 2048],
  ['K10 only sha1', `h=sha1; p=${P}`, 'rsa', 2048, 'hash_not_sha256'],
  ['K10 no hash', `h=; p=${P}`, 'rsa', 2048, 'hash_not_sha256'],
  ['K11 for mail', `s=other:email; p=${P}`, 'rsa', 2048],
  ['K11 for everything', `s=*; p=${P}`, 'rsa', 2048],
  ['K11 for something else', `s=tlsrpt; p=${P}`, 'rsa', 2048, 'service_not_email'],
  ['K12 unknown flags', `t=x:q; p=${P}`, 'rsa', 2048],
  ['K16 tags of DomainKeys', `g=; o=~; k=rsa; p=${P}`, 'rsa', 2048],
  [
    'every error is reported',
    'k=rsa; v=DKIM1; h=sha1; s=x; p=; p=',
    'rsa',
    0,
    'duplicate_tag',
    'bad_version',
    'key_revoked',
    'hash_not_sha256',
    'service_not_email',
  ],
] as const) {
  test(`dkim: ${behaviour}`, () => {
    const { report } = parseDkimKey('s1', [record]);
    assert.deepEqual(
      [report.found, report.raw, report.key_type, report.key_bits],
      [true, record, type, bits],
    );
    assert.deepEqual(codes(report), want);
    assert.equal(report.is_valid, want.length === 0);
  });
}

for (const [behaviour, txt, code] of [
  ['nothing there', [], 'selector_not_found'],
  ['K14 SPF at the name', ['v=spf1 -all'], 'txt_not_dkim'],
  ['K14 DMARC at the name, which has p= too', ['v=DMARC1; p=none'], 'txt_not_dkim'],
  ['K14 a DomainKeys policy', ['o=~; r=postmaster@example.com'], 'txt_not_dkim'],
  ['K3 another version', [`v=DKIM2; p=${P}`], 'txt_not_dkim'],
  ['any text', ['hello'], 'txt_not_dkim'],
  ['empty text', [''], 'txt_not_dkim'],
] as const) {
  test(`dkim: not found: ${behaviour}`, () => {
    const { report } = parseDkimKey('s1', txt);
    assert.deepEqual(codes(report), [code]);
    assert.deepEqual(
      { ...report, validation_errors: [] },
      {
        selector: 's1',
        found: false,
        raw: '',
        key_type: '',
        key_bits: 0,
        is_valid: false,
        validation_errors: [],
      },
    );
  });
}

for (const [behaviour, record, want] of [
  ['K12 testing', `t=y; p=${P}`, { isTesting: true }],
  ['K12 strict identity', `t=s; p=${P}`, {}],
  ['K12 both', `t=y : s; p=${P}`, { isTesting: true }],
  ['K4 revoked', 'p=', { isRevoked: true }],
  ['K5 padding left out', `k=ed25519; p=${UNPADDED}`, { hasMissingPadding: true }],
  ['none of it', `p=${P}`, {}],
] as const) {
  test(`dkim: ${behaviour}`, () => {
    const { report, ...flags } = parseDkimKey('s1', [record]);
    const nothing = { isTesting: false, isRevoked: false, hasMissingPadding: false };
    assert.deepEqual(flags, { ...nothing, hasExtraTxt: false, ...want });
    assert.equal(report.is_valid, !flags.isRevoked);
  });
}

test('dkim: K13 two keys at a name are an error', () => {
  const { report, hasExtraTxt } = parseDkimKey('s1', [`p=${P}`, 'v=DKIM1; p=']);
  assert.deepEqual(
    [report.raw, codes(report), hasExtraTxt],
    [`p=${P}`, ['multiple_records'], false],
  );
});

test('dkim: K13 other TXT at the name is ignored', () => {
  const { report, hasExtraTxt } = parseDkimKey('s1', ['hello', `p=${P}`]);
  assert.deepEqual([report.raw, report.is_valid, hasExtraTxt], [`p=${P}`, true, true]);
});

test('dkim: any text is read, and valid means without errors', () => {
  const part = fc.constantFrom(
    'v',
    'p',
    'k',
    'h',
    's',
    't',
    '=',
    ';',
    ' ',
    'DKIM1',
    'rsa',
    'ed25519',
    'sha256',
    P,
    'é',
  );
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(part).map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(fc.array(text, { maxLength: 3 }), (txt) => {
      const { report } = parseDkimKey('s1', txt);
      assert.equal(report.is_valid, report.validation_errors.length === 0);
      const errors = report.validation_errors.map(formatFinding);
      assert.ok(errors.every((error) => /^[a-z0-9_]+: ./.test(error) && error.length < 200));
      assert.ok(report.found || (report.raw === '' && report.key_bits === 0));
    }),
    { numRuns: 1_000 },
  );
});

const KEY = { TXT: [`v=DKIM1; p=${P}`] };
const FAILS = { fail: 'SERVFAIL' };
const at = (selector: string) => `${selector}._domainkey.example.com`;
const check = (records: ZoneRecords, requested?: readonly string[]) =>
  checkDkim('example.com', zone(records), { requested, sentinel: 'sentinel' });
const selectors = (report: readonly DkimReport<Finding>[]) =>
  report.map(({ selector }) => selector);

test('dkim: by default the common selectors are tried, and those found reported in their order', async () => {
  const resolver = zone({
    [at('zoho')]: KEY,
    [at('google')]: KEY,
    [at('mine')]: KEY,
    [at('s1')]: { TXT: ['hello'] },
  });
  const found = await checkDkim('example.com', resolver, { sentinel: 'sentinel' });
  assert.deepEqual(selectors(found.report), ['google', 'zoho']);
  assert.deepEqual(
    found.keys.map(({ report }) => report),
    found.report,
  );
  assert.equal(resolver.asked.length, 41);
  assert.deepEqual(
    [found.isDefaultMode, found.isUnverified, found.isWildcard, found.failures],
    [true, false, false, []],
  );
});

test('dkim: with none found there is nothing to report', async () => {
  const { report, isUnverified } = await check({ 'example.com': {} });
  assert.deepEqual([report, isUnverified], [[], false]);
});

test('dkim: K1 a key behind an alias, in several strings, under a selector with dots', async () => {
  const { report } = await check(
    {
      [at('a.b')]: { CNAME: 'key.example.net' },
      'key.example.net': { TXT: [['v=DKIM1; p=', P.slice(0, 200), P.slice(200)]] },
    },
    ['a.b'],
  );
  assert.deepEqual([report[0]?.raw, report[0]?.is_valid], [`v=DKIM1; p=${P}`, true]);
});

test('dkim: named selectors are reported in the order of the request, found or not', async () => {
  const found = await check(
    { [at('b')]: KEY, [at('c')]: { TXT: ['hello'] }, [at('d')]: FAILS, [at('google')]: KEY },
    [' B ', '', 'a', 'b', 'A', 'c', 'd', 'not a name'],
  );
  assert.deepEqual(selectors(found.report), ['B', 'a', 'c', 'd', 'not a name']);
  assert.deepEqual(found.report.map(codes), [
    [],
    ['selector_not_found'],
    ['txt_not_dkim'],
    ['dns_temporary_failure'],
    ['selector_not_found'],
  ]);
  assert.deepEqual(found.report[3]?.validation_errors.map(formatFinding), [
    'dns_temporary_failure: d._domainkey.example.com TXT SERVFAIL',
  ]);
  assert.deepEqual(
    [found.isDefaultMode, found.isUnverified, found.failures.length],
    [false, true, 1],
  );
});

test('dkim: an empty list means the default', async () => {
  const { report, isDefaultMode } = await check({ [at('google')]: KEY }, ['', ' ']);
  assert.deepEqual([selectors(report), isDefaultMode], [['google'], true]);
});

for (const [behaviour, records, requested, isUnverified, failures] of [
  ['nothing found and one question failed', { [at('s1')]: FAILS }, undefined, true, 1],
  ['a valid key makes up for it', { [at('s1')]: FAILS, [at('s2')]: KEY }, undefined, false, 1],
  [
    'a revoked key does not',
    { [at('s1')]: FAILS, [at('s2')]: { TXT: ['p='] } },
    undefined,
    true,
    1,
  ],
  ['only the sentinel failed', { [at('sentinel')]: FAILS }, undefined, false, 0],
  ['named: any failure counts', { [at('s1')]: FAILS, [at('s2')]: KEY }, ['s1', 's2'], true, 1],
  ['named: all answered', { [at('s2')]: KEY }, ['s1', 's2'], false, 0],
] as const) {
  test(`dkim: unverified: ${behaviour}`, async () => {
    const found = await check(records, requested);
    assert.deepEqual([found.isUnverified, found.failures.length], [isUnverified, failures]);
    if (requested === undefined) assert.ok(found.report.every((entry) => entry.found));
  });
}

test('dkim: K14 a wildcard that is not a key is ignored', async () => {
  const { report, isWildcard } = await check({
    '*._domainkey.example.com': { TXT: ['v=spf1 -all'] },
    [at('s1')]: KEY,
  });
  assert.deepEqual([selectors(report), isWildcard], [['s1'], true]);
});

test('dkim: K14 a wildcard that is a key is one entry', async () => {
  const { report } = await check({
    '*._domainkey.example.com': { TXT: ['v=DKIM1; p=', 'x'] },
    [at('s1')]: KEY,
  });
  assert.deepEqual(
    [selectors(report), report.map(codes)],
    [
      ['s1', '*'],
      [[], ['key_revoked']],
    ],
  );
});

test('dkim: K14 a wildcard answers for selectors that were named', async () => {
  const { report, isWildcard } = await check({ '*._domainkey.example.com': KEY }, ['a', 'b']);
  assert.deepEqual([report.map(({ found }) => found), isWildcard], [[true, true], true]);
});

test('dkim: K14 records of a wildcard may come in any order', async () => {
  const texts = ['v=DKIM1; p=', 'x'];
  let turn = 0;
  const resolver = zone({});
  const txt = async () =>
    ({ kind: 'found', records: turn++ % 2 ? texts : texts.toReversed(), aliases: [] }) as const;
  const { report } = await checkDkim('example.com', { ...resolver, txt }, { sentinel: 'sentinel' });
  assert.deepEqual(selectors(report), ['*']);
});

for (const [behaviour, records, requested, want] of [
  [
    'a common selector',
    { [`${at('google')}.example.com`]: KEY },
    undefined,
    [`${at('google')}.example.com`],
  ],
  [
    'a named selector',
    { [`${at('mine')}.example.com`]: KEY },
    ['mine'],
    [`${at('mine')}.example.com`],
  ],
  [
    'not if there is a key',
    { [`${at('google')}.example.com`]: KEY, [at('s1')]: KEY },
    undefined,
    [],
  ],
  ['not a wildcard', { '*.example.com': KEY, '_domainkey.example.com': {} }, undefined, []],
  ['nothing', {}, undefined, []],
] as const satisfies readonly (readonly [
  string,
  ZoneRecords,
  readonly string[] | undefined,
  readonly string[],
])[])
  test(`dkim: keys under the doubled name: ${behaviour}`, async () =>
    assert.deepEqual((await check(records, requested)).doubledNames, want));
