/** SPF and DMARC read alone: what a check finds, with the questions of these two. */
import assert from 'node:assert/strict';
import test from 'node:test';
import type { ZoneRecords } from '@whence/testing/servers/zone-literal';
import { examineDomain } from '../check.ts';
import { zone } from '../test/zone.ts';
import { mail, REJECT } from '../test/zones/world.ts';
import { findPolicies, ownDmarcRecord, publishedPolicy } from './find-policies.ts';

const SPF = 'v=spf1 mx include:_s.example.com -all';
const INCLUDED = { '_s.example.com': { TXT: ['v=spf1 ip4:192.0.2.1 -all'] } };

for (const [behaviour, records, raw, policy, asked] of [
  [
    'SPF with what it includes, and DMARC',
    mail(SPF, REJECT, INCLUDED),
    /^v=DMARC1; p=reject/,
    'reject',
    [
      'example.com TXT',
      '_dmarc.example.com TXT',
      '_dmarc.com TXT',
      'example.com MX',
      '_s.example.com TXT',
    ],
  ],
  [
    'the record of a parent is not the own one',
    { ...mail(SPF, {}, INCLUDED), '_dmarc.com': { TXT: ['v=DMARC1; p=quarantine; psd=y'] } },
    /^$/,
    'quarantine',
  ],
  [
    'several records',
    mail(SPF, {
      '_dmarc.example.com': { TXT: ['v=DMARC1; p=none', 'v=DMARC1; p=reject'] },
    }),
    /p=none/,
    'none',
  ],
  ['no record at all', {}, /^$/, 'none'],
  ['DNS that does not answer', { 'example.com': { fail: 'SERVFAIL' } }, /^$/, 'none'],
  [
    'an alias of another name',
    mail(SPF, {
      '_dmarc.example.com': { CNAME: 'policy.example.net' },
      'policy.example.net': { TXT: ['v=DMARC1; p=reject'] },
    }),
    /p=reject/,
    'reject',
  ],
  [
    'an alias that a wildcard gives to every name',
    mail(SPF, {
      '*.example.com': { CNAME: 'policy.example.net' },
      'policy.example.net': { TXT: ['v=DMARC1; p=reject'] },
    }),
    /p=reject/,
    'reject',
  ],
] as const satisfies readonly (readonly [string, ZoneRecords, RegExp, string, string[]?])[])
  test(`policies: read without the rest of a check: ${behaviour}`, async () => {
    const resolver = zone(records);
    const policies = await findPolicies('example.com', resolver);
    if (asked !== undefined) assert.deepEqual(resolver.asked.toSorted(), asked.toSorted());
    assert.match(ownDmarcRecord(policies), raw);
    assert.equal(publishedPolicy('example.com', policies), policy);
    const { findings } = await examineDomain('example.com', { resolver: zone(records) });
    assert.deepEqual(policies.spf, {
      tree: findings.spf.tree,
      isUnverified: findings.spf.isUnverified,
    });
    assert.deepEqual(policies.dmarc.steps, findings.dmarc.steps);
    assert.deepEqual(structuredClone(policies), policies);
  });
