/** What stands in the way of a stricter step, and that none is offered then. */
import assert from 'node:assert/strict';
import test from 'node:test';
import type { ZoneRecords } from '@whence/testing/servers/zone-literal';
import { examineDomain } from '../check.ts';
import { KEYS } from '../test/dkim-keys.ts';
import { zone } from '../test/zone.ts';
import { dmarc, key, mail, NONE } from '../test/zones/world.ts';
import { sendsNoMail } from './mail-role.ts';
import { explainObstacle, readinessOf } from './readiness.ts';

const examine = (records: ZoneRecords) => examineDomain('example.com', { resolver: zone(records) });
const AGREED = { '*._report._dmarc.reports.example.org': { TXT: ['v=DMARC1'] } };
const OUTSIDE = dmarc('v=DMARC1; p=none; rua=mailto:d@reports.example.org');
const POLICY = /p=(?:quarantine|reject)|-all"/;

for (const [behaviour, records, want] of [
  ['nothing', mail('v=spf1 mx ~all', NONE), []],
  [
    'a service without a key, beside a good key',
    mail('v=spf1 mx include:servers.mcsv.net ~all', NONE),
    ['Mailchimp signs as you (there: authenticate the domain under Website > Domains)'],
  ],
  [
    'two services, one of which has a key',
    mail('v=spf1 include:sendgrid.net include:mail.zendesk.com ~all', NONE),
    [
      'Zendesk signs as you (there: enable DKIM in Admin Center under Channels > Talk and email > Email)',
    ],
  ],
  [
    'a service that an include of an include names',
    mail('v=spf1 mx include:_spf.example.com ~all', NONE, {
      '_spf.example.com': { TXT: ['v=spf1 include:_spf.salesforce.com -all'] },
    }),
    [
      'Salesforce signs as you (there: create and activate a key under Setup > DKIM Keys; then check again with the name of its selector)',
    ],
  ],
  ['a service that may not send', mail('v=spf1 mx -include:servers.mcsv.net ~all', NONE), []],
  [
    'the key of another service under a selector that both use',
    mail('v=spf1 include:servers.mcsv.net ~all', NONE, {
      'k1._domainkey.example.com': { CNAME: 'k1.dkim.mailgun.org' },
      'k1.dkim.mailgun.org': { TXT: [KEYS.strong] },
    }),
    ['Mailchimp signs as you (there: authenticate the domain under Website > Domains)'],
  ],
  ['a service with its key', mail('v=spf1 include:servers.mcsv.net ~all', NONE, key('k2')), []],
  [
    'a mailbox provider, whose bounces are aligned',
    mail('v=spf1 include:_spf.google.com ~all', NONE),
    [],
  ],
  [
    'no rua',
    mail('v=spf1 mx ~all', dmarc('v=DMARC1; p=none')),
    ['reports arrive at a mailbox of yours, named in rua='],
  ],
  [
    'a report host that does not exist',
    mail('v=spf1 mx ~all', OUTSIDE),
    ['reports arrive at d@reports.example.org (reports.example.org does not exist)'],
  ],
  [
    'a report host that takes no mail',
    mail('v=spf1 mx ~all', OUTSIDE, AGREED, { 'reports.example.org': { MX: [[0, '.']] } }),
    [
      'reports arrive at d@reports.example.org (reports.example.org publishes a null MX, which says that it takes no mail)',
    ],
  ],
  [
    'a report host that has not agreed',
    mail('v=spf1 mx ~all', OUTSIDE, { 'reports.example.org': { A: ['192.0.2.1'] } }),
    [
      'reports arrive at d@reports.example.org (reports.example.org has not agreed to receive them, with a TXT record v=DMARC1 at example.com._report._dmarc.reports.example.org)',
    ],
  ],
  [
    'the default of a registrar',
    mail(
      'v=spf1 mx ~all',
      dmarc('v=DMARC1; p=quarantine; rua=mailto:dmarc_rua@onsecureserver.net'),
      {
        '*._report._dmarc.onsecureserver.net': { TXT: ['v=DMARC1'] },
        'onsecureserver.net': { MX: [[0, 'mx.example.com']] },
      },
    ),
    ['reports arrive at a mailbox of yours (dmarc_rua@onsecureserver.net is that of GoDaddy)'],
  ],
  [
    'reports to the domain itself, whose only MX host is dead',
    mail('v=spf1 ip4:192.0.2.1 ~all', NONE, { 'mx.example.com': {} }),
    ['reports arrive at d@example.com (example.com has no host that takes mail)'],
  ],
  [
    'a report host that DNS does not answer for',
    mail('v=spf1 mx ~all', OUTSIDE, AGREED, { 'reports.example.org': { fail: 'SERVFAIL' } }),
    ['the address for reports can be verified'],
  ],
  [
    'a good address beside a lost one',
    mail(
      'v=spf1 mx ~all',
      dmarc('v=DMARC1; p=none; rua=mailto:d@example.com,mailto:d@gone.example'),
    ),
    [],
  ],
  [
    'neither SPF nor DKIM',
    { ...mail('v=spf1 mx nonsense', NONE), 's1._domainkey.example.com': {} },
    ['there is a valid SPF record', 'a DKIM key is found'],
  ],
  ['everyone passes', mail('v=spf1 +all', NONE), ['SPF no longer lets everyone pass']],
] as const satisfies readonly (readonly [string, ZoneRecords, readonly string[]])[])
  test(`readiness: ${behaviour}`, async () => {
    const { findings, report } = await examine(records);
    assert.deepEqual(readinessOf('example.com', findings).obstacles.map(explainObstacle), want);
    const offered = report.recommendations.filter(
      (text) => / IN TXT /.test(text) && POLICY.test(text),
    );
    if (want.length > 0) {
      // What is stricter already may stay so.
      const isKept = (text: string) =>
        report.dmarc.policy === 'quarantine' && /p=quarantine/.test(text);
      assert.deepEqual(
        offered.filter((text) => !isKept(text)),
        [],
      );
    } else assert.ok(offered.length > 0, report.recommendations.join('\n'));
  });

for (const [behaviour, policy, more, steps, sentence] of [
  [
    't=y',
    'p=quarantine; t=y',
    {},
    ['p=quarantine without t=y'],
    /without t=y, so that the policy holds for all mail, when the reports show that your mail passes; it also holds for every subdomain/,
  ],
  [
    'pct',
    'p=reject; pct=40',
    {},
    ['p=reject without pct'],
    /without pct.*, when the reports show that your mail passes; it also holds for every subdomain/,
  ],
  [
    't=y with a subdomain that sends',
    'p=reject; t=y',
    { 'mg.example.com': { TXT: ['v=spf1 ip4:192.0.2.7 -all'] } },
    ['p=reject without t=y'],
    /with sp=quarantine, so that nothing changes for mg\.example\.com/,
  ],
  [
    't=y with a service that does not sign',
    'p=quarantine; t=y',
    {
      'example.com': {
        MX: [[10, 'mx.example.com']],
        TXT: ['v=spf1 mx include:mail.zendesk.com -all'],
      },
    },
    ['p=quarantine without t=y'],
    /^p=quarantine without t=y would be safe when Zendesk signs as you/m,
  ],
] as const)
  test(`readiness: removing ${behaviour} is a step`, async () => {
    const { findings, report } = await examine(
      mail('v=spf1 mx -all', dmarc(`v=DMARC1; ${policy}; rua=mailto:d@example.com`), more),
    );
    assert.deepEqual(readinessOf('example.com', findings).steps, steps);
    assert.match(report.recommendations.join('\n'), sentence);
    const isOffered = report.recommendations.some(
      (text) =>
        /IN TXT "v=DMARC1/.test(text) && !/t=y|pct/.test(text.slice(text.indexOf(' IN TXT '))),
    );
    assert.equal(isOffered, readinessOf('example.com', findings).obstacles.length === 0);
  });

test('readiness: an address for reports that does not work stays, and one that works is added', async () => {
  const { report } = await examine(mail('v=spf1 mx ~all', OUTSIDE));
  assert.ok(
    report.recommendations.some((text) =>
      text.endsWith('rua=mailto:d@reports.example.org,mailto:dmarc@example.com"'),
    ),
    report.recommendations.join('\n'),
  );
  assert.match(
    report.recommendations[0] ?? '',
    /^_dmarc\.example\.com sends reports to|^Reports to mailto:d@reports/,
  );
});

for (const [behaviour, more, policy, sentence] of [
  [
    'with SPF',
    { 'news.example.com': { TXT: ['v=spf1 ip4:192.0.2.7 -all'] } },
    'v=DMARC1; p=quarantine; rua=mailto:d@example.com; sp=none',
    /with sp=none, so that nothing changes for news\.example\.com, which may send/,
  ],
  [
    'with MX',
    { 'mail.example.com': { MX: [[10, 'mx.example.com']] } },
    'v=DMARC1; p=quarantine; rua=mailto:d@example.com; sp=none',
    /nothing changes for mail\.example\.com/,
  ],
  [
    'that say they do not send',
    { 'mail.example.com': { MX: [[0, '.']], TXT: ['v=spf1 -all'] } },
    'v=DMARC1; p=quarantine; rua=mailto:d@example.com',
    /it also holds for every subdomain without a record of its own/,
  ],
  [
    'with a policy of their own',
    {
      'news.example.com': { TXT: ['v=spf1 mx -all'] },
      ...dmarc('v=DMARC1; p=none', 'news.example.com'),
    },
    'v=DMARC1; p=quarantine; rua=mailto:d@example.com',
    /it also holds for every subdomain without a record of its own/,
  ],
] as const)
  test(`readiness: a stricter policy and subdomains ${behaviour}`, async () => {
    const { report } = await examine(mail('v=spf1 mx -all', NONE, more));
    const text = report.recommendations.find((one) => one.includes('p=quarantine')) ?? '';
    assert.ok(text.endsWith(`"${policy}"`), text);
    assert.match(text, sentence);
  });

test('readiness: declaring that a domain sends no mail leaves subdomains that send as they are', async () => {
  const records = {
    'example.com': { A: ['192.0.2.1'] },
    'news.example.com': { TXT: ['v=spf1 ip4:192.0.2.7 -all'] },
  };
  const { report } = await examine(records);
  assert.ok(
    report.recommendations.some((text) => text.endsWith('"v=DMARC1; p=reject; sp=none"')),
    report.recommendations.join('\n'),
  );
});

for (const [service, include] of [
  ['Atlassian', '_spf.atlassian.net'],
  ['KnowBe4', '_spf.psm.knowbe4.com'],
] as const)
  test(`readiness: ${service} in SPF, whose bounce domain is not known to align, needs a key`, async () => {
    const resolver = zone({
      'example.com': { TXT: [`v=spf1 include:${include} -all`], MX: [[10, 'mx.example.com']] },
      'mx.example.com': { A: ['192.0.2.1'] },
      [include]: { TXT: ['v=spf1 ip4:198.51.100.1 -all'] },
      '_dmarc.example.com': { TXT: ['v=DMARC1; p=none; rua=mailto:d@example.com'] },
    });
    const { findings } = await examineDomain('example.com', { resolver });
    const { obstacles } = readinessOf('example.com', findings);
    assert.ok(obstacles.some((one) => 'service' in one && one.service === service));
  });

test('readiness: MX localhost and -all alone send no mail', async () => {
  const resolver = zone({
    'example.com': { TXT: ['v=spf1 -all'], MX: [[0, 'localhost']] },
  });
  const { findings } = await examineDomain('example.com', { resolver });
  assert.ok(sendsNoMail(findings));
});

test('readiness: where reports exist, their verdict decides alone', async () => {
  const resolver = zone({
    'example.com': { TXT: ['v=spf1 ip4:192.0.2.1 -all'], MX: [[10, 'mx.example.com']] },
    'mx.example.com': { A: ['192.0.2.1'] },
    '_dmarc.example.com': { TXT: ['v=DMARC1; p=none; rua=mailto:d@example.com'] },
  });
  const examination = await examineDomain('example.com', { resolver });
  const reported = { policy: 'reject', text: '', reasons: ['because'] } as const;
  const records = async (answer: 'yes' | 'no' | 'not_enough') => {
    const { findings, advice } = await examination.withReports({ ...reported, answer });
    const stricter = advice.flatMap(({ change }) =>
      change?.record.type === 'TXT' ? [change.record.text] : [],
    );
    return [
      readinessOf('example.com', findings).obstacles.map(({ code }) => code),
      stricter.filter((text) => /p=(?:quarantine|reject)/.test(text)),
    ];
  };
  assert.deepEqual(await records('yes'), [[], ['v=DMARC1; p=reject; rua=mailto:d@example.com']]);
  assert.deepEqual(await records('no'), [['mail_refused'], []]);
  assert.deepEqual(await records('not_enough'), [['reports_not_enough'], []]);
  assert.equal('reported' in examination.findings, false);
});

for (const [tags, policy, steps, record] of [
  ['p=none', 'quarantine', ['p=quarantine'], 'p=quarantine'],
  ['p=quarantine; pct=20', 'reject', ['p=reject'], 'p=reject'],
  ['p=quarantine; t=y', 'reject', ['p=reject'], 'p=reject'],
  ['p=quarantine; pct=20', 'quarantine', ['p=quarantine without pct'], 'p=quarantine'],
  ['p=reject; pct=20', 'reject', ['p=reject without pct'], 'p=reject'],
  ['p=quarantine', 'quarantine', [], undefined],
] as const)
  test(`readiness: reports that allow ${policy} to ${tags}: ${steps[0] ?? 'no step'}`, async () => {
    const dmarc = (text: string) => `v=DMARC1; ${text}; rua=mailto:d@example.com`;
    const resolver = zone({
      'example.com': { TXT: ['v=spf1 ip4:192.0.2.1 -all'], MX: [[10, 'mx.example.com']] },
      'mx.example.com': { A: ['192.0.2.1'] },
      '_dmarc.example.com': { TXT: [dmarc(tags)] },
    });
    const examination = await examineDomain('example.com', { resolver });
    const reported = { policy, answer: 'yes', text: '', reasons: [] } as const;
    const { findings, advice } = await examination.withReports(reported);
    const records = advice.flatMap(({ code, change }) =>
      code === 'dmarc_change' && change?.record.type === 'TXT' ? [change.record.text] : [],
    );
    assert.deepEqual(
      [readinessOf('example.com', findings).steps, records],
      [steps, record === undefined ? [] : [dmarc(record)]],
    );
  });

test('readiness: a domain that seems to send nothing has its recipe, unless reports show otherwise', async () => {
  const resolver = zone({
    'example.com': { TXT: ['v=spf1 -all'], MX: [[0, '.']] },
    '_dmarc.example.com': { TXT: ['v=DMARC1; p=none; rua=mailto:d@example.net'] },
  });
  const examination = await examineDomain('example.com', { resolver });
  const hasPolicy = async (answer: 'yes' | 'no' | 'not_enough') => {
    const reported = { policy: 'reject', text: '', reasons: ['because'], answer } as const;
    const { advice } = await examination.withReports(reported);
    return advice.some(({ change }) => change?.record.name === '_dmarc.example.com');
  };
  assert.ok(examination.advice.some(({ change }) => change?.record.name === '_dmarc.example.com'));
  assert.deepEqual(
    [await hasPolicy('yes'), await hasPolicy('no'), await hasPolicy('not_enough')],
    [true, false, false],
  );
});
