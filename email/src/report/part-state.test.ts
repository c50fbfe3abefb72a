import assert from 'node:assert/strict';
import test from 'node:test';
import type { ZoneRecords } from '@whence/testing/servers/zone-literal';
import { examineDomain } from '../check.ts';
import { KEYS } from '../test/dkim-keys.ts';
import { zone } from '../test/zone.ts';
import { dmarc, key, MX, mail, PARKED, REJECT } from '../test/zones/world.ts';
import { gradeText, PARTS, partViews, verdictOf } from './part-state.ts';

async function viewsOf(records: ZoneRecords) {
  const { report, findings } = await examineDomain('example.com', { resolver: zone(records) });
  const verdict = verdictOf(findings);
  return { views: partViews(report, verdict), verdict, grade: gradeText(report, verdict) };
}

for (const [behaviour, records, cells] of [
  ['everything in place', mail('v=spf1 mx -all', REJECT), ['ok', '-all 1/10', '2048', 'reject']],
  ['nothing at all', { 'example.com': {} }, ['missing', 'missing', 'missing', 'missing']],
  [
    'set up to send no mail',
    { 'example.com': PARKED, ...dmarc('v=DMARC1; p=reject') },
    ['null', '-all 0/10', 'n/a', 'reject'],
  ],
  [
    'a policy for a half',
    mail('v=spf1 mx ~all', dmarc('v=DMARC1; p=reject; pct=50')),
    ['ok', '~all 1/10', '2048', 'reject 50%'],
  ],
  ['open to everyone', mail('v=spf1 +all', REJECT), ['ok', 'open', '2048', 'reject']],
  [
    'errors',
    {
      'example.com': { ...MX, TXT: ['v=spf1 moo'] },
      ...key('s1', KEYS.strong.slice(0, 255)),
      ...dmarc('v=DMARC1; p=x'),
    },
    ['errors', 'errors 0/10', 'errors', 'errors'],
  ],
  [
    'a policy that is not known',
    mail('v=spf1 mx -all', { '_dmarc.example.com': { fail: 'SERVFAIL' } }),
    ['ok', '-all 1/10', '2048', '?'],
  ],
  [
    'keys that are not known',
    { ...mail('v=spf1 mx -all', REJECT), 's1._domainkey.example.com': { fail: 'timeout' } },
    ['ok', '-all 1/10', '?', 'reject'],
  ],
  [
    'an include that is not known',
    mail('v=spf1 include:down.example.net -all', REJECT, {
      'down.example.net': { fail: 'timeout' },
    }),
    ['ok', '?', '2048', 'reject'],
  ],
  [
    'a host that is not known',
    mail('v=spf1 a:h.example.com -all', REJECT, {
      'mx.example.com': { fail: 'timeout' },
      'h.example.com': { A: ['192.0.2.1'] },
    }),
    ['?', '-all 1/10', '2048', 'reject'],
  ],
] as const satisfies readonly (readonly [string, ZoneRecords, readonly string[]])[])
  test(`part states: ${behaviour}`, async () => {
    const { views, grade } = await viewsOf(records);
    assert.deepEqual(
      PARTS.map((part) => views[part].cell),
      cells,
    );
    const isUnknown = cells.some((cell) => cell === '?');
    assert.equal(grade.endsWith('?'), isUnknown, grade);
    for (const part of PARTS) {
      assert.equal(views[part].state === 'unverified', views[part].cell === '?');
      if (views[part].state === 'unverified')
        assert.doesNotMatch(views[part].words, /none|missing|not found/);
    }
  });

for (const [behaviour, records, risk, isFinished] of [
  ['open SPF', mail('v=spf1 +all', REJECT), /SPF record lets everyone send/, false],
  ['no policy', mail('v=spf1 mx -all'), /no DMARC policy/, false],
  [
    'a policy that no receiver uses',
    mail('v=spf1 mx -all', dmarc('v=DMARC1; p=x')),
    /no DMARC policy/,
    false,
  ],
  [
    'a policy that is not known',
    mail('v=spf1 mx -all', { '_dmarc.example.com': { fail: 'SERVFAIL' } }),
    /^$/,
    false,
  ],
  ['a policy of none', mail('v=spf1 mx -all', dmarc('v=DMARC1; p=none')), /^$/, false],
  ['set up to send no mail', { 'example.com': PARKED, ...dmarc('v=DMARC1; p=reject') }, /^$/, true],
  [
    'a null MX beside a key',
    { 'example.com': PARKED, ...key(), ...dmarc('v=DMARC1; p=reject') },
    /^$/,
    false,
  ],
  [
    'reject in test mode',
    { 'example.com': PARKED, ...dmarc('v=DMARC1; p=reject; t=y') },
    /^$/,
    false,
  ],
  ['no such domain', {}, /^$/, false],
] as const satisfies readonly (readonly [string, ZoneRecords, RegExp, boolean])[])
  test(`verdict: ${behaviour}`, async () => {
    const { verdict } = await viewsOf(records);
    assert.match(verdict.risk, risk);
    assert.equal(verdict.isFinished, isFinished);
  });
