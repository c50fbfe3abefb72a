/** What is told as fact: risks, what DNS answered, and which servers a record lets send. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { examineDomain } from '../check.ts';
import { zone } from '../dns/zone.ts';
import type { ZoneRecords } from '../dns/zone-records.ts';
import { verdictOf } from '../report/part-state.ts';
import { dmarc, hosted, key, mail, NONE, REJECT } from '../test/zones/world.ts';

const examine = (records: ZoneRecords) => examineDomain('example.com', { resolver: zone(records) });

for (const [behaviour, records, risk] of [
  ['an include', mail('v=spf1 mx include:spf.gone-esp.com -all', REJECT), /gone-esp\.com is not registered/],
  [
    'an include of an include',
    mail('v=spf1 mx include:_s.example.com -all', REJECT, {
      '_s.example.com': { TXT: ['v=spf1 include:gone-esp.com -all'] },
    }),
    /_s\.example\.com includes gone-esp\.com, which is not registered/,
  ],
  ['a host that SPF names', mail('v=spf1 mx a:out.gone-host.com -all', REJECT), /gone-host\.com is not registered/],
  [
    'an MX host',
    mail('v=spf1 mx -all', REJECT, { 'example.com': { MX: [[10, 'mx.gone-mail.com']] } }),
    /receives mail/,
  ],
  [
    'a selector',
    mail('v=spf1 mx -all', REJECT, { 'k2._domainkey.example.com': { CNAME: 'k2.gone-esp.com' } }),
    /can publish a key and sign as this domain$/,
  ],
  [
    'the policy',
    mail('v=spf1 mx -all', { '_dmarc.example.com': { CNAME: '_dmarc.gone-esp.com' } }),
    /decides on the DMARC policy/,
  ],
  [
    'an address for reports',
    mail('v=spf1 mx -all', dmarc('v=DMARC1; p=reject; rua=mailto:d@gone-reports.com')),
    /reads who sends/,
  ],
  [
    'an address for reports of failures',
    mail('v=spf1 mx -all', dmarc('v=DMARC1; p=reject; rua=mailto:d@example.com; ruf=mailto:d@gone-reports.com')),
    /reads who sends/,
  ],
  ['a name of the same owner', mail('v=spf1 mx include:gone.example.com -all', REJECT), /^$/],
  ['a term that lets no one send', mail('v=spf1 mx -a:out.gone-host.com -all', REJECT), /^$/],
] as const satisfies readonly (readonly [string, ZoneRecords, RegExp])[])
  test(`advice: what another owner can take over is the risk: ${behaviour}`, async () => {
    const { findings, report, advice } = await examine(records);
    assert.match(verdictOf(findings).risk, risk);
    if (risk.source !== '^$') assert.equal(advice[0]?.code, 'takeover', report.recommendations.join('\n'));
  });

test('advice: the host of an MTA-STS policy can be taken over', async () => {
  const records = mail('v=spf1 mx -all', REJECT, {
    '_mta-sts.example.com': { TXT: ['v=STSv1; id=1;'] },
    'mta-sts.example.com': { CNAME: 'sts.gone-host.com' },
  });
  const transport = { fetchPolicy: async () => ({ kind: 'failed', reason: 'not reached' }) as const };
  const { findings } = await examineDomain('example.com', { resolver: zone(records), transport });
  assert.match(verdictOf(findings).risk, /^mta-sts\.example\.com is an alias of sts\.gone-host\.com/);
});

const GOOGLE = 'aspmx.l.google.com';
const STRICT = [REJECT, key('google')] as const;
const at = (mx: string, spf: string, ...more: readonly ZoneRecords[]) => hosted(mx, { TXT: [spf] }, ...STRICT, ...more);

for (const [behaviour, records, code, sentence] of [
  [
    'a provider that is not named',
    at(GOOGLE, 'v=spf1 ip4:192.0.2.1 -all'),
    'spf_provider_missing',
    /include:_spf\.google\.com/,
  ],
  ['all of its addresses in one range', at(GOOGLE, 'v=spf1 ip4:203.0.0.0/25 -all'), undefined, /^/],
  ['all of its addresses in two ranges', at(GOOGLE, 'v=spf1 ip4:203.0.0.0/27 ip4:203.0.0.32/27 -all'), undefined, /^/],
  [
    'a part of its addresses',
    at(GOOGLE, 'v=spf1 ip4:203.0.0.0/27 -all'),
    'spf_provider_missing',
    /lists all of its addresses/,
  ],
  [
    'its addresses with another qualifier',
    at(GOOGLE, 'v=spf1 ?ip4:203.0.0.0/25 mx -all'),
    'spf_provider_missing',
    /Google/,
  ],
  [
    'a provider that is refused',
    at(GOOGLE, 'v=spf1 -include:_spf.google.com mx -all'),
    'spf_provider_refused',
    /"-include:_spf/,
  ],
  [
    'a provider that is only marked',
    at(GOOGLE, 'v=spf1 ~include:_spf.google.com mx ~all'),
    'spf_provider_refused',
    /"~include:_spf/,
  ],
  [
    'a provider whose record does not answer',
    at(GOOGLE, 'v=spf1 mx -all', { '_spf.google.com': { fail: 'SERVFAIL' } }),
    undefined,
    /^/,
  ],
  [
    'a provider in Europe',
    at('mx00.ionos.de', 'v=spf1 ip4:192.0.2.1 -all'),
    'spf_provider_missing',
    /_spf-eu\.ionos\.com/,
  ],
  [
    'the same provider in America',
    at('mx00.ionos.com', 'v=spf1 ip4:192.0.2.1 -all', {
      'mx00.ionos.com': { A: ['192.0.2.3'] },
      '_spf-us.ionos.com': { TXT: ['v=spf1 ip4:198.51.100.0/24 -all'] },
    }),
    'spf_provider_missing',
    /_spf-us\.ionos\.com/,
  ],
  ['no term that lets a server send', mail('v=spf1 ?ip4:192.0.2.1 ~all', REJECT), 'spf_lists_none', /lists no server/],
  [
    'a broad term',
    mail('v=spf1 ip4:20.0.0.0/8 ip4:12.0.0.0/7 -all', REJECT),
    'spf_broad',
    /"ip4:20\.0\.0\.0\/8" lets 16,777,216 IPv4/,
  ],
  [
    'broad terms',
    mail('v=spf1 ip4:8.0.0.0/6 ip4:192.0.2.0/24 -all', REJECT),
    'spf_broad',
    /67,108,864 of them by "ip4:8\.0\.0\.0\/6"/,
  ],
] as const satisfies readonly (readonly [string, ZoneRecords, string | undefined, RegExp])[])
  test(`advice: who may send: ${behaviour}`, async () => {
    const { advice, report } = await examine(records);
    const found = advice.findIndex((one) => /^spf_(?:provider|lists|broad)/.test(one.code));
    assert.equal(advice[found]?.code, code, report.recommendations.join('\n'));
    assert.match(report.recommendations[found] ?? '', sentence);
  });

const DOWN = { fail: { MX: 'SERVFAIL' }, TXT: ['v=spf1 ip4:192.0.2.1 ~all'] } as const;

for (const [behaviour, records, said, unsaid] of [
  [
    'no mail host is missing because MX failed',
    mail([], { 'example.com': DOWN }),
    /MX could not be verified/,
    /cannot receive mail/,
  ],
  [
    'nor because an MX host failed',
    mail('v=spf1 ip4:192.0.2.1 -all', dmarc('v=DMARC1; p=none'), { 'mx.example.com': { fail: 'SERVFAIL' } }),
    /MX could not be verified/,
    /cannot receive mail|has no host/,
  ],
  [
    'DNSSEC is not blamed where the question fails without it too',
    mail([], NONE, { 'example.com': DOWN }),
    /name servers of the zone do not answer/,
    /DNSSEC/,
  ],
  [
    'DNSSEC is blamed by the question that failed',
    mail('v=spf1 mx -all', { '_dmarc.example.com': { TXT: ['v=DMARC1; p=none'], isBogus: true } }),
    /DNSSEC signatures of the zone do not validate/,
    /name servers of the zone do not answer/,
  ],
] as const satisfies readonly (readonly [string, ZoneRecords, RegExp, RegExp])[])
  test(`advice: only what was seen: ${behaviour}`, async () => {
    const text = (await examine(records)).report.recommendations.join('\n');
    assert.match(text, said);
    assert.doesNotMatch(text, unsaid);
  });

for (const [behaviour, target, own, want] of [
  [
    'repaired at the target, if that is ours',
    '_dmarc.corp.example.com',
    'v=DMARC1; p=none',
    /: _dmarc\.corp\.example\.com\. IN TXT "v=DMARC1; p=none; rua=/,
  ],
  [
    'not made stricter there',
    '_dmarc.corp.example.com',
    'v=DMARC1; p=none; rua=mailto:d@example.com',
    /corp\.example\.com and all domains with the same alias share: .* in place of the alias\.$/m,
  ],
  [
    'never changed elsewhere',
    '_dmarc.parent.net',
    'v=DMARC1; p=none',
    /parent\.net and all domains with the same alias share: .* in place of the alias\./,
  ],
] as const)
  test(`advice: a shared policy is ${behaviour}`, async () => {
    const records = mail('v=spf1 mx -all', { '_dmarc.example.com': { CNAME: target }, [target]: { TXT: [own] } });
    const { report } = await examine(records);
    assert.match(report.recommendations.join('\n'), want);
  });
