/** What is told as fact: risks, what DNS answered, and which servers a record lets send. */
import assert from 'node:assert/strict';
import test from 'node:test';
import type { ZoneRecords } from '@whence/testing/servers/zone-literal';
import { examineDomain } from '../check.ts';
import { hasCode } from '../findings/finding.ts';
import { verdictOf } from '../report/part-state.ts';
import { senderRules } from '../report/sender-rules.ts';
import { KEYS } from '../test/dkim-keys.ts';
import { zone } from '../test/zone.ts';
import { dmarc, HOST, hosted, key, mail, NONE, QUARANTINE, REJECT } from '../test/zones/world.ts';

const examine = (records: ZoneRecords) => examineDomain('example.com', { resolver: zone(records) });

for (const [behaviour, records, risk] of [
  [
    'an include',
    mail('v=spf1 mx include:spf.gone-esp.com -all', REJECT),
    /gone-esp\.com is not registered/,
  ],
  [
    'an include of an include',
    mail('v=spf1 mx include:_s.example.com -all', REJECT, {
      '_s.example.com': { TXT: ['v=spf1 include:gone-esp.com -all'] },
    }),
    /_s\.example\.com includes gone-esp\.com, which is not registered/,
  ],
  [
    'a host that SPF names',
    mail('v=spf1 mx a:out.gone-host.com -all', REJECT),
    /gone-host\.com is not registered/,
  ],
  [
    'an MX host',
    mail('v=spf1 mx -all', REJECT, { 'example.com': { MX: [[10, 'mx.gone-mail.com']] } }),
    /example\.com has the MX host mx\.gone-mail\.com, .*receives mail/,
  ],
  [
    'an MX host that is an alias',
    mail('v=spf1 ip4:192.0.2.1 -all', REJECT, { 'mx.example.com': { CNAME: 'mx.gone-mail.com' } }),
    /^mx\.example\.com is an alias of mx\.gone-mail\.com, .*receives mail/,
  ],
  [
    'an include that is an alias',
    mail('v=spf1 mx include:_s.example.com -all', REJECT, {
      '_s.example.com': { CNAME: 'spf.gone-esp.com' },
    }),
    /^_s\.example\.com is an alias of spf\.gone-esp\.com, .*may send mail/,
  ],
  [
    'a host that SPF names and that is an alias',
    mail('v=spf1 mx a:out.example.com -all', REJECT, {
      'out.example.com': { CNAME: 'out.gone-host.com' },
    }),
    /^out\.example\.com is an alias of out\.gone-host\.com, .*may send mail/,
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
    mail(
      'v=spf1 mx -all',
      dmarc('v=DMARC1; p=reject; rua=mailto:d@example.com; ruf=mailto:d@gone-reports.com'),
    ),
    /reads who sends/,
  ],
  ...(
    [
      ['exists', 'exists:%{i}._spf.gone-host.com'],
      ['exists without a macro', 'exists:ok.gone-host.com'],
      ['an include with a macro', 'include:%{l}-u.%{d2}.gone-host.com'],
      ['ptr', 'ptr:gone-host.com'],
      ['a host', 'a:out.gone-host.com/24'],
      ['mail hosts', '+mx:gone-host.com'],
      ['another record', 'redirect=_spf.gone-host.com'],
      ['an include of an include', 'include:_spf.gone-host.com'],
    ] as const
  ).map(
    ([behaviour, term]) =>
      [
        `${behaviour}, in an include`,
        mail('v=spf1 mx include:_spf.example.com include:esp.net -all', REJECT, {
          '_spf.example.com': { TXT: [`v=spf1 ip4:192.0.2.1 ${term}`] },
          'esp.net': {
            TXT: ['v=spf1 exists:%{i}.spf.esp.net include:%{ir}.%{v}._spf.esp.net -all'],
          },
        }),
        /gone-host\.com.* may send mail as this domain$/,
      ] as const,
  ),
  [
    'macros of a domain that is registered',
    mail('v=spf1 mx include:esp.net -all', REJECT, {
      'esp.net': {
        TXT: ['v=spf1 exists:%{i}.spf.esp.net include:%{ir}._spf.%{d} -exists:gone-host.com -all'],
      },
    }),
    /^$/,
  ],
  ['a name of the same owner', mail('v=spf1 mx include:gone.example.com -all', REJECT), /^$/],
  ['a term that lets no one send', mail('v=spf1 mx -a:out.gone-host.com -all', REJECT), /^$/],
] as const satisfies readonly (readonly [string, ZoneRecords, RegExp])[])
  test(`advice: what another owner can take over is the risk: ${behaviour}`, async () => {
    const { findings, report, advice } = await examine(records);
    assert.match(verdictOf(findings).risk, risk);
    if (risk.source !== '^$')
      assert.equal(advice[0]?.code, 'takeover', report.recommendations.join('\n'));
  });

test('advice: the host of an MTA-STS policy can be taken over', async () => {
  const records = mail('v=spf1 mx -all', REJECT, {
    '_mta-sts.example.com': { TXT: ['v=STSv1; id=1;'] },
    'mta-sts.example.com': { CNAME: 'sts.gone-host.com' },
  });
  const transport = {
    fetchPolicy: async () => ({ kind: 'failed', reason: 'not reached' }) as const,
  };
  const { findings } = await examineDomain('example.com', { resolver: zone(records), transport });
  assert.match(
    verdictOf(findings).risk,
    /^mta-sts\.example\.com is an alias of sts\.gone-host\.com/,
  );
});

const GOOGLE = 'aspmx.l.google.com';
const STRICT = [REJECT, key('google')] as const;
const at = (mx: string, spf: string, ...more: readonly ZoneRecords[]) =>
  hosted(mx, { TXT: [spf] }, ...STRICT, ...more);

for (const [behaviour, records, code, sentence] of [
  [
    'a provider that is not named',
    at(GOOGLE, 'v=spf1 ip4:192.0.2.1 -all'),
    'spf_provider_missing',
    /include:_spf\.google\.com/,
  ],
  ['all of its addresses in one range', at(GOOGLE, 'v=spf1 ip4:203.0.0.0/25 -all'), undefined, /^/],
  [
    'all of its addresses in two ranges',
    at(GOOGLE, 'v=spf1 ip4:203.0.0.0/27 ip4:203.0.0.32/27 -all'),
    undefined,
    /^/,
  ],
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
  [
    'no term that lets a server send',
    mail('v=spf1 ?ip4:192.0.2.1 ~all', REJECT),
    'spf_lists_none',
    /lists no server/,
  ],
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

const TENANT = 'fabrikam-com.mail.protection.outlook.com';
const selectorOf = (number: 1 | 2, tail: string, target?: string): ZoneRecords => {
  const alias = `selector${number}-fabrikam-com._domainkey.${tail}`;
  return {
    [`selector${number}._domainkey.example.com`]: { CNAME: alias },
    ...(target && { [alias]: { TXT: [target] } }),
  };
};
const atMicrosoft = (...more: readonly ZoneRecords[]) =>
  hosted(
    TENANT,
    { TXT: ['v=spf1 include:spf.protection.outlook.com -all'] },
    REJECT,
    {
      [TENANT]: { A: ['203.0.1.9'] },
    },
    ...more,
  );
const NEW = 'fabrikam.k-v1.dkim.mail.microsoft';

for (const [behaviour, records, said, unsaid] of [
  [
    'Google',
    at(GOOGLE, 'v=spf1 include:_spf.google.com -all', { 'google._domainkey.example.com': {} }),
    /at Google in the Admin console under Apps > Google Workspace > Gmail > Authenticate email/,
    /your mail server/,
  ],
  [
    'Microsoft 365',
    atMicrosoft(),
    /at Microsoft 365 in the Defender portal under Email & collaboration/,
    /your mail server/,
  ],
  [
    'aliases at Microsoft 365 before signing is switched on',
    atMicrosoft(selectorOf(1, NEW), selectorOf(2, NEW)),
    /which has no key.* at Microsoft 365 in the Defender portal/,
    /Remove|not registered/,
  ],
  [
    'Microsoft 365 before the first rotation',
    atMicrosoft(selectorOf(1, NEW, KEYS.strong), selectorOf(2, NEW)),
    /^$/,
    /selector/,
  ],
  [
    'Microsoft 365 before the first rotation, with names of older tenants',
    atMicrosoft(
      selectorOf(1, 'fabrikam.onmicrosoft.com', KEYS.strong),
      selectorOf(2, 'fabrikam.onmicrosoft.com'),
    ),
    /^$/,
    /selector/,
  ],
  [
    'Microsoft 365 after a rotation',
    atMicrosoft(selectorOf(2, NEW, KEYS.strong), selectorOf(1, NEW)),
    /^$/,
    /selector/,
  ],
  [
    'aliases at Microsoft 365 beside the key of another',
    atMicrosoft(selectorOf(1, NEW), selectorOf(2, NEW), key('s1')),
    /If Microsoft 365 sends for you, switch signing on: in the Defender portal/,
    /Remove/,
  ],
  [
    'an alias at a provider that is not known, beside a key',
    at(GOOGLE, 'v=spf1 include:_spf.google.com -all', {
      'k9._domainkey.example.com': {},
      's2._domainkey.example.com': { CNAME: 's2.strict.example.net' },
    }),
    /s2\.strict\.example\.net, which has no key\. Remove it/,
    /your mail server/,
  ],
  [
    'Amazon SES',
    hosted(
      'inbound-smtp.eu-west-1.amazonaws.com',
      { TXT: ['v=spf1 include:amazonses.com -all'] },
      NONE,
    ),
    /at Amazon SES in the SES console under Configuration > Identities.*three selectors are random/,
    /your mail server/,
  ],
  [
    'a mailbox behind a gateway',
    hosted(
      'eu-smtp-inbound-1.mimecast.com',
      { TXT: ['v=spf1 include:spf.protection.outlook.com -all'] },
      NONE,
      {
        'eu-smtp-inbound-1.mimecast.com': { A: ['203.0.113.77'] },
      },
    ),
    /at Mimecast \(EU\) in the Administration Console.*at Microsoft 365 in the Defender portal/,
    /your mail server/,
  ],
  [
    'an own server',
    { ...mail('v=spf1 mx -all', NONE), 's1._domainkey.example.com': {} },
    /Have your mail server sign/,
    /Admin|portal/,
  ],
] as const satisfies readonly (readonly [string, ZoneRecords, RegExp, RegExp])[])
  test(`advice: where DKIM is switched on: ${behaviour}`, async () => {
    const { advice, report } = await examine(records);
    const text = report.recommendations
      .filter((_, i) => advice[i]?.code.startsWith('dkim_'))
      .join('\n');
    assert.match(text, said);
    assert.doesNotMatch(text, unsaid);
    assert.doesNotMatch(report.recommendations.join('\n'), /not registered/);
  });

const google = (spf: string, ...more: readonly ZoneRecords[]) =>
  at(GOOGLE, `v=spf1 include:_spf.google.com ${spf}`, ...more);
const K1_FAILS = { 'k1._domainkey.example.com': { fail: 'SERVFAIL' } };

for (const [behaviour, records, code, service] of [
  [
    'a key of it is absent',
    google('include:servers.mcsv.net -all'),
    'mail_refused_now',
    /Mailchimp/,
  ],
  [
    'the policy is quarantine',
    google('include:mail.zendesk.com -all', dmarc('v=DMARC1; p=quarantine')),
    'mail_refused_now',
    /treat as spam what Zendesk/,
  ],
  [
    'the policy holds for a half',
    google('include:spf.brevo.com ~all', dmarc('v=DMARC1; p=reject; pct=50')),
    'mail_refused_now',
    /Brevo/,
  ],
  [
    'the number of the account is in SPF',
    google('include:1234567.spf04.hubspotemail.net -all'),
    'mail_refused_now',
    /HubSpot.*hs1-1234567, hs2-1234567/,
  ],
  [
    'an include of its own names it',
    google('include:_s.example.com -all', {
      '_s.example.com': { TXT: ['v=spf1 include:servers.mcsv.net -all'] },
    }),
    'mail_refused_now',
    /Mailchimp/,
  ],
  [
    'its key is revoked',
    google('include:spf.mailjet.com -all', key('mailjet', 'v=DKIM1; p=')),
    'mail_refused_now',
    /Mailjet/,
  ],
  [
    'its alias has no key',
    google('include:servers.mcsv.net -all', {
      'k2._domainkey.example.com': { CNAME: 'dkim2.mcsv.net' },
    }),
    'mail_refused_now',
    /Mailchimp/,
  ],
  [
    'the policy is in test mode',
    google('include:servers.mcsv.net -all', dmarc('v=DMARC1; p=reject; t=y')),
    'mail_refused_now',
    /treat as spam/,
  ],
  [
    'quarantine in test mode refuses none',
    google('include:servers.mcsv.net -all', dmarc('v=DMARC1; p=quarantine; t=y')),
    undefined,
    /^$/,
  ],
  [
    'quarantine of no mail',
    google('include:servers.mcsv.net -all', dmarc('v=DMARC1; p=quarantine; pct=0')),
    undefined,
    /^$/,
  ],
  ['the policy is none', google('include:servers.mcsv.net -all', NONE), undefined, /^$/],
  ['its key is there', google('include:servers.mcsv.net -all', key('k3')), undefined, /^$/],
  ['SPF lets it not send', google('?include:servers.mcsv.net -all'), undefined, /^$/],
  [
    'one of its selectors is not answered for',
    google('include:servers.mcsv.net -all', K1_FAILS),
    'sender_not_proven',
    /Mailchimp/,
  ],
  [
    'its selector can be changed',
    google('include:sendgrid.net -all'),
    'sender_not_proven',
    /SendGrid/,
  ],
  [
    'its selectors are chosen',
    google('include:_spf.salesforce.com -all'),
    'sender_not_proven',
    /Salesforce/,
  ],
  [
    'its selectors are random',
    google('include:amazonses.com -all'),
    'sender_not_proven',
    /Amazon SES/,
  ],
  [
    'it is not known',
    google('include:sender.example.net include:strict.example.net -all'),
    'sender_not_proven',
    /not known here: sender\.example\.net; strict\.example\.net\./,
  ],
  [
    'it is not known, before a policy',
    google('include:sender.example.net -all', NONE),
    'sender_not_proven',
    /before the policy becomes stricter/,
  ],
  [
    'a name of its own is known',
    google('include:_s.example.com -all', {
      '_s.example.com': { TXT: ['v=spf1 ip4:192.0.2.9 -all'] },
    }),
    undefined,
    /^$/,
  ],
  [
    'what a provider includes is its own',
    google('-all', {
      '_spf.google.com': { TXT: ['v=spf1 include:sendgrid.net include:sender.example.net -all'] },
    }),
    undefined,
    /^$/,
  ],
] as const satisfies readonly (readonly [string, ZoneRecords, string | undefined, RegExp])[])
  test(`advice: a sender in SPF and the policy in force: ${behaviour}`, async () => {
    const { advice, findings, report, score: before } = await examine(records);
    const found = advice.findIndex(
      (one) => one.code === 'mail_refused_now' || one.code === 'sender_not_proven',
    );
    assert.equal(advice[found]?.code, code, report.recommendations.join('\n'));
    assert.match(report.recommendations[found] ?? '', service);
    const isRefused = code === 'mail_refused_now';
    const { risk } = verdictOf(findings);
    if (isRefused) assert.equal(found, 0, report.recommendations.join('\n'));
    if (isRefused) assert.match(risk, service);
    else assert.equal(risk, '');
    const rules = senderRules(findings);
    assert.equal(rules.google, isRefused ? 'not_met' : 'met');
    assert.deepEqual(hasCode(rules.validation_errors, 'mail_refused_now'), isRefused);
    assert.equal(before.dkim, 30, 'the score is not about it');
  });

test('advice: an inherited policy refuses too', async () => {
  const sub = {
    'news.example.com': { MX: [[10, GOOGLE]], TXT: ['v=spf1 include:spf.mandrillapp.com -all'] },
  } as const;
  const records = google('-all', sub, key('s1', KEYS.strong, 'news.example.com'));
  const { advice } = await examineDomain('news.example.com', { resolver: zone(records) });
  assert.equal(advice[0]?.code, 'mail_refused_now');
});

const latin1 = (text: string) => Buffer.from(text, 'utf8').toString('latin1');
const MIMECAST = (spf: string): ZoneRecords =>
  hosted('eu-smtp-inbound-2.mimecast.com', { TXT: [spf] }, REJECT, key('s1'), {
    'eu-smtp-inbound-2.mimecast.com': { A: ['203.0.113.77'] },
    'eu._netblocks.mimecast.com': { TXT: ['v=spf1 ip4:198.51.100.0/24 ~all'] },
  });
const seven = (letter: string) =>
  Array.from({ length: 7 }, (_, i) => `${letter}${i}.spf.example.com`);
const SEVENS: ZoneRecords = Object.fromEntries(
  [...seven('x'), ...seven('y')].map((name, i) => [
    name,
    { TXT: [`v=spf1 ip4:192.0.2.${i} -all`] },
  ]),
);
const without = (records: ZoneRecords, name: string): ZoneRecords => ({ ...records, [name]: {} });
const NO_KEY = (...more: readonly ZoneRecords[]) =>
  without(mail('v=spf1 mx -all', ...more), 's1._domainkey.example.com');
const SUB = {
  'shop.example.com': { MX: [[10, 'mx.example.com']], TXT: ['v=spf1 mx -all'] },
  ...key('s1', KEYS.strong, 'shop.example.com'),
} as const satisfies ZoneRecords;
const BANK = {
  '_dmarc.bank': {
    TXT: ['v=DMARC1; p=reject; sp=reject; psd=y; rua=mailto:reports@registry.bank'],
  },
  bank: { A: ['192.0.2.80'] },
  'registry.bank': { A: ['192.0.2.81'] },
} as const;
const AT_BANK = { ...HOST, ...BANK, ...key('s1', KEYS.strong, 'lender.bank') };

for (const [behaviour, records, code, said, domain, unsaid] of [
  [
    'SPF with private ranges',
    mail('v=spf1 mx ip4:172.20.0.0/16 ip6:fd00:12::/32 -all', REJECT),
    'spf_private',
    /"ip4:172\.20\.0\.0\/16", "ip6:fd00:12::\/32"/,
  ],
  [
    'SPF with a private range that it denies',
    mail('v=spf1 mx -ip4:172.20.0.0/16 -all', REJECT),
    undefined,
    /^$/,
  ],
  [
    'SPF whose terms all deny',
    mail('v=spf1 -a:mx.example.com -mx -all', REJECT),
    'spf_lists_none',
    /lists no server/,
  ],
  [
    'SPF whose terms are all neutral',
    mail('v=spf1 ?mx ?include:sender.example.net -all', NONE),
    'spf_lists_none',
    /lists no server/,
  ],
  [
    'reject by SPF alone',
    NO_KEY(REJECT),
    'dmarc_spf_alone',
    /forwards it breaks SPF, and receivers then refuse it/,
  ],
  ['quarantine by SPF alone', NO_KEY(QUARANTINE), 'dmarc_spf_alone', /then treat it as spam/],
  [
    'quarantine in test mode by SPF alone',
    NO_KEY(dmarc('v=DMARC1; p=quarantine; t=y')),
    undefined,
    /^$/,
  ],
  [
    'a gateway that SPF does not name',
    MIMECAST('v=spf1 ip4:192.0.2.1 -all'),
    'spf_provider_missing',
    /include:eu\._netblocks\.mimecast\.com/,
  ],
  [
    'a gateway before mailboxes that SPF names',
    MIMECAST('v=spf1 include:spf.protection.outlook.com -all'),
    undefined,
    /^$/,
  ],
  [
    'a small tilde',
    mail(latin1('v=spf1 mx \u02dcall'), NONE),
    'spf_faults',
    /It has a typographic tilde: .* "v=spf1 mx ~all"$/,
  ],
  [
    'a tilde operator',
    mail(latin1('v=spf1 mx \u223call'), NONE),
    'spf_faults',
    /a typographic tilde/,
  ],
  ['a wave dash', mail(latin1('v=spf1 mx \u301call'), NONE), 'spf_faults', /a typographic tilde/],
  [
    'a full-width tilde',
    mail(latin1('v=spf1 mx \uff5eall'), NONE),
    'spf_faults',
    /"v=spf1 mx ~all"$/,
  ],
  [
    'a record that is weaker than the inherited one',
    mail('v=spf1 mx -all', REJECT, SUB, dmarc('v=DMARC1; p=none', 'shop.example.com')),
    'dmarc_weaker_than_parent',
    /p=none, which protects it less than reject/,
    'shop.example.com',
  ],
  [
    'a record that is as strict as the inherited one',
    mail(
      'v=spf1 mx -all',
      dmarc('v=DMARC1; p=reject; sp=quarantine'),
      SUB,
      dmarc('v=DMARC1; p=quarantine', 'shop.example.com'),
    ),
    undefined,
    /^$/,
    'shop.example.com',
  ],
  [
    'MX at localhost',
    mail([], NONE, { 'example.com': { MX: [[5, 'localhost']] } }),
    'mx_localhost',
    /own machine/,
    'example.com',
    /can be reached|belong to others|very many/,
  ],
  [
    'no SPF, and MX that fails',
    mail([], NONE, { 'example.com': { fail: { MX: 'REFUSED' } } }),
    'spf_publish',
    /has no SPF record\. Publish/,
    'example.com',
    /belong to others/,
  ],
  [
    'no SPF, and MX of others',
    hosted('filter.example.org', {}),
    'spf_publish',
    /its MX hosts belong to others/,
  ],
  [
    'a weaker np',
    mail('v=spf1 mx -all', dmarc('v=DMARC1; p=reject; np=quarantine')),
    'dmarc_nonexistent',
    /np=quarantine protects names/,
  ],
  [
    'two SPF records that have too many lookups together',
    mail(
      [
        `v=spf1 include:${seven('x').join(' include:')} -all`,
        `v=spf1 include:${seven('y').join(' include:')} ~all`,
      ],
      NONE,
      SEVENS,
    ),
    'spf_merge',
    /Together they need 14 DNS lookups \(10 are allowed\)/,
  ],
  [
    'two SPF records that fit into one',
    mail(['v=spf1 mx -all', 'v=spf1 include:sender.example.net -all'], NONE),
    'spf_merge',
    /several: .*"v=spf1 mx include:sender\.example\.net ~all"$/,
  ],
  [
    'an unused name below a strict policy',
    mail('v=spf1 mx -all', REJECT, { 'old.example.com': { A: ['192.0.2.4'] } }),
    'no_mail',
    /the DMARC policy reject protects it/,
    'old.example.com',
    /Anyone can send/,
  ],
  [
    'an unused name below a policy of none',
    mail('v=spf1 mx -all', NONE, { 'old.example.com': { A: ['192.0.2.4'] } }),
    'no_mail',
    /Anyone can send mail as old/,
    'old.example.com',
  ],
  [
    'a policy that is delegated',
    mail('v=spf1 mx -all', { '_dmarc.example.com': { NS: ['ns1.reports.example.net'] } }),
    'dmarc_delegated',
    /is delegated to ns1\.reports\.example\.net: publish its TXT record in that zone/,
  ],
  [
    'a policy that is delegated, with a record',
    mail('v=spf1 mx -all', {
      '_dmarc.example.com': {
        NS: ['ns1.reports.example.net'],
        TXT: ['v=DMARC1; p=none; rua=mailto:d@example.com'],
      },
    }),
    'dmarc_delegated',
    /hidden/,
  ],
  [
    'a subdomain that does not exist',
    mail('v=spf1 mx -all', REJECT),
    'domain_missing',
    /or create it/,
    'gone.example.com',
    /register/,
  ],
  ['a domain that does not exist', {}, 'domain_missing', /or register it/, 'example.org'],
  [
    'an inherited reject of a public suffix',
    { ...AT_BANK, 'lender.bank': { MX: [[10, 'mx.example.com']], TXT: ['v=spf1 mx -all'] } },
    'dmarc_own',
    /inherits the DMARC policy reject from bank\..*p=reject; .*rua=mailto:dmarc@lender\.bank/,
    'lender.bank',
    /p=none|registry\.bank/,
  ],
  [
    'an unused name below a public suffix with reject',
    { ...BANK, 'lender.bank': { A: ['192.0.2.4'] } },
    'no_mail',
    /the DMARC policy reject protects it/,
    'lender.bank',
    /Anyone can send/,
  ],
  [
    'a parked domain whose keys a wildcard revokes',
    {
      'example.com': { MX: [[0, '.']], TXT: ['v=spf1 -all'] },
      '*._domainkey.example.com': { TXT: ['v=DKIM1; p='] },
      ...dmarc('v=DMARC1; p=reject; sp=reject'),
    },
    'no_mail_finished',
    /nothing to fix/,
    'example.com',
    /wildcard|revoked/,
  ],
] as readonly (readonly [string, ZoneRecords, string | undefined, RegExp, string?, RegExp?])[])
  test(`advice: what an administrator overlooks: ${behaviour}`, async () => {
    const { advice, report } = await examineDomain(domain ?? 'example.com', {
      resolver: zone(records),
    });
    const text = report.recommendations.join('\n');
    const found = advice.findIndex(
      (one) => one.code === code || (code === undefined && OVERLOOKED.test(one.code)),
    );
    assert.equal(advice[found]?.code, code, text);
    assert.match(report.recommendations[found] ?? '', said);
    if (unsaid !== undefined) assert.doesNotMatch(text, unsaid);
  });

const OVERLOOKED = /^(?:spf_private|spf_lists_none|spf_provider|dmarc_spf_alone|dmarc_weaker)/;

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
    mail('v=spf1 ip4:192.0.2.1 -all', dmarc('v=DMARC1; p=none'), {
      'mx.example.com': { fail: 'SERVFAIL' },
    }),
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
    const records = mail('v=spf1 mx -all', {
      '_dmarc.example.com': { CNAME: target },
      [target]: { TXT: [own] },
    });
    const { report } = await examine(records);
    assert.match(report.recommendations.join('\n'), want);
  });
