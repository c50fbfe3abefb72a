import assert from 'node:assert/strict';
import test from 'node:test';
import { type DmarcWish, rewriteDmarc } from './dmarc-record.ts';

const WISH: DmarcWish = { policy: 'quarantine', inForce: 'none', isFull: true };
const RUA = 'mailto:dmarc@example.com';

for (const [behaviour, raw, wish, want] of [
  ['the policy is changed', 'v=DMARC1; p=none', {}, 'v=DMARC1; p=quarantine'],
  [
    'tags that are right stay as written, in order',
    'v=DMARC1;p=none;aspf=s; FO=1:d;sp=Reject ; np=none; ruf=mailto:f@example.com!10m; psd=n; x=y',
    {},
    'v=DMARC1; p=quarantine; aspf=s; FO=1:d; sp=Reject; np=none; ruf=mailto:f@example.com!10m; psd=n; x=y',
  ],
  ['the policy comes second', 'v=DMARC1; sp=none; p=none', {}, 'v=DMARC1; p=quarantine; sp=none'],
  ['historic tags go', 'v=DMARC1; p=none; pct=100; ri=3600; rf=afrf', {}, 'v=DMARC1; p=quarantine'],
  [
    'a part of the mail becomes all',
    'v=DMARC1; p=quarantine; pct=20; t=y',
    {},
    'v=DMARC1; p=quarantine',
  ],
  [
    'a part of the mail stays one',
    'v=DMARC1; p=quarantine; pct=20; t=y',
    { isFull: false },
    'v=DMARC1; p=quarantine; pct=20; t=y',
  ],
  [
    'bad values go',
    'v=DMARC1; p=none; adkim=x; sp=all; fo=9; t=maybe',
    {},
    'v=DMARC1; p=quarantine',
  ],
  [
    'a repeated sp goes, another tag stays once',
    'v=DMARC1; p=none; sp=none; sp=reject; aspf=s; aspf=r',
    {},
    'v=DMARC1; p=quarantine; aspf=s',
  ],
  ['an address is added', 'v=DMARC1; p=none', { rua: RUA }, `v=DMARC1; p=quarantine; rua=${RUA}`],
  [
    'not if there is one',
    'v=DMARC1; p=none; rua=mailto:a@b.example',
    { rua: RUA },
    'v=DMARC1; p=quarantine; rua=mailto:a@b.example',
  ],
  [
    'an address without scheme is repaired',
    'v=DMARC1; p=none; rua=a@b.example',
    { rua: RUA },
    'v=DMARC1; p=quarantine; rua=mailto:a@b.example',
  ],
  [
    'addresses with other separators',
    'v=DMARC1; p=none; rua=mailto:a@b.example mailto:c@d.example; e@f.example',
    { rua: RUA },
    'v=DMARC1; p=quarantine; rua=mailto:a@b.example,mailto:c@d.example,mailto:e@f.example',
  ],
  [
    'an address in angle brackets',
    'v=DMARC1; p=none; rua=mailto:<a@b.example>',
    {},
    'v=DMARC1; p=quarantine; rua=mailto:a@b.example',
  ],
  [
    'what is no address goes',
    'v=DMARC1; p=none; rua=nonsense',
    { rua: RUA },
    `v=DMARC1; p=quarantine; rua=${RUA}`,
  ],
  [
    'no semicolon after the version',
    'v=DMARC1 p=none, rua=mailto:a@b.example',
    {},
    'v=DMARC1; p=quarantine; rua=mailto:a@b.example',
  ],
  ['quotation marks', '"v=DMARC1; p=none; aspf=s"', {}, 'v=DMARC1; p=quarantine; aspf=s'],
  ['the version in lower case', 'v=dmarc1; p=none', {}, 'v=DMARC1; p=quarantine'],
  [
    'an inherited record: what names below had stays, the rest of the parent goes',
    'v=DMARC1; p=reject; sp=none; np=reject; psd=y; adkim=s; rua=mailto:a@b.example',
    { below: { subdomains: 'none', nonexistent: 'reject', isReportingKept: false }, rua: RUA },
    `v=DMARC1; p=quarantine; adkim=s; sp=none; np=reject; rua=${RUA}`,
  ],
  [
    'an inherited record of the same organization keeps its reports',
    'v=DMARC1; p=reject; sp=quarantine; rua=mailto:a@b.example',
    {
      below: { subdomains: 'quarantine', nonexistent: 'quarantine', isReportingKept: true },
      rua: RUA,
    },
    'v=DMARC1; p=quarantine; rua=mailto:a@b.example',
  ],
  [
    'names below a public suffix',
    'v=DMARC1; p=none; psd=y',
    { subdomains: { policy: 'none', names: [] } },
    'v=DMARC1; p=quarantine; psd=y; sp=none',
  ],
] as const satisfies readonly (readonly [string, string, Partial<DmarcWish>, string])[])
  test(`dmarc record: ${behaviour}`, () =>
    assert.equal(rewriteDmarc(raw, { ...WISH, ...wish }).text, want));

test('dmarc record: every edit is listed', () => {
  const raw = 'v=DMARC1; p=none; pct=20; ri=1; adkim=x; rua=a@b.example; aspf=s; aspf=s; junk';
  assert.deepEqual(
    rewriteDmarc(raw, WISH).edits.map(({ kind }) => kind),
    [
      'policy',
      'repeated',
      'full',
      'dropped',
      'dropped',
      'repaired address',
      'subdomains too',
      'dropped',
    ],
  );
  assert.deepEqual(
    rewriteDmarc('v=DMARC1; p=quarantine; aspf=s', { ...WISH, inForce: 'quarantine' }).edits,
    [],
  );
});
