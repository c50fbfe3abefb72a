import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EmailReport, EmailTrial } from '@whence/client/wire';
import { changeOf, editedRecords, isOfCheck, parseTried } from './trial.ts';

/** The fields that matter here. */
const report = {
  domain_auth_score: 55,
  domain: 'example.com',
  mx: { records: ['mx.example.com'] },
  spf: { raw: 'v=spf1 -all' },
  dmarc: { raw: 'v=DMARC1; p=none', record_domain: 'example.com' },
  dkim: [{ selector: 's1', raw: 'v=DKIM1; p=abc' }],
} as unknown as EmailReport;
const MX = '10 mx.example.com';
const checkOf = (of: EmailReport) => ({
  report: of,
  mx_hosts: [{ host: 'mx.example.com', preference: 10, addresses: [] }],
});
const inherited = { ...report, dmarc: { ...report.dmarc, record_domain: 'com' } } as EmailReport;

for (const [behaviour, edited, want, of] of [
  ['published texts are no change', { spf: 'v=spf1 -all', dmarc: 'v=DMARC1; p=none' }, {}, report],
  [
    'another host is tried',
    { mx: '5 mx2.example.com', spf: 'v=spf1 -all', dmarc: 'v=DMARC1; p=none' },
    { mx: '5 mx2.example.com' },
    report,
  ],
  ['an empty text removes a record', { spf: '', dmarc: 'v=DMARC1; p=none' }, { spf: '' }, report],
  [
    'a line break is a blank',
    { spf: ' v=spf1\n-all ', dmarc: 'v=DMARC1;\r\n p=reject' },
    { dmarc: 'v=DMARC1; p=reject' },
    report,
  ],
  [
    'a policy from above is no record of the domain',
    { spf: 'v=spf1 -all', dmarc: '' },
    {},
    inherited,
  ],
  [
    'a key that is published is no change',
    {
      spf: 'v=spf1 -all',
      dmarc: 'v=DMARC1; p=none',
      dkim: { selector: 'S1', text: 'v=DKIM1; p=abc' },
    },
    {},
    report,
  ],
  [
    'a key without a selector is not tried',
    { spf: 'v=spf1 -all', dmarc: 'v=DMARC1; p=none', dkim: { selector: ' ', text: 'p=x' } },
    {},
    report,
  ],
  [
    'a new key is tried',
    { spf: 'v=spf1 -all', dmarc: 'v=DMARC1; p=none', dkim: { selector: 's2', text: 'p=x' } },
    { dkim: { selector: 's2', text: 'p=x' } },
    report,
  ],
] as const)
  test(`trying records: ${behaviour}`, () =>
    assert.deepEqual(changeOf(checkOf(of), { mx: MX, ...edited }), want));

test('trying records: the address bar has what differs, and nothing else', () => {
  assert.deepEqual(editedRecords(checkOf(report), { dmarc: '' }), {
    mx: MX,
    spf: 'v=spf1 -all',
    dmarc: '',
  });
  assert.deepEqual(parseTried({ spf: 'v=spf1 ~all', zone: 'x', dkim: { selector: 1 } }), {
    spf: 'v=spf1 ~all',
  });
  for (const other of [undefined, 'yes', 7, null]) assert.equal(parseTried(other), undefined);
});

test('trying records: a trial of other records than the page shows is noticed', () => {
  const shown = {
    mx: ['mx.example.com'],
    spf: 'v=spf1 -all',
    dmarc: 'v=DMARC1; p=none',
    score: 55,
  };
  const others = [{}, { mx: [] }, { spf: 'v=spf1 mx -all' }, { dmarc: '' }, { score: 54 }];
  assert.deepEqual(
    others.map((other) =>
      isOfCheck(checkOf(report), { ...shown, ...other } as unknown as EmailTrial['before']),
    ),
    [true, false, false, false, false],
  );
});
