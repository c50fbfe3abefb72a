/** Classes, replay and verdict over scripted senders of known class. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { seededRandom } from '@whence/testing/seeded-random';
import type { ZoneRecords } from '@whence/testing/servers/zone-literal';
import { examineDomain } from '../../check.ts';
import { changeRecords } from '../../dns/changed-zone.ts';
import { zone } from '../../test/zone.ts';
import type {
  DailySource,
  ReportWindow,
  SeenReporter,
  SeenSource,
  SenderDecision,
} from '../report.ts';
import type { AskedPolicy } from './asked-policy.ts';
import { compileZone, judgeSenders, selectorsSeen } from './judge-senders.ts';
import type { SenderClass } from './sender-class.ts';

const TO = '2026-11-17';
const DAY_MS = 86_400_000;
const dayBefore = (days: number) =>
  new Date(Date.parse(TO) - days * DAY_MS).toISOString().slice(0, 10);

const SPF =
  'v=spf1 ip4:192.0.2.0/28 mx include:_spf.google.com include:sendgrid.net include:mail.zendesk.com -all';
const ZONE: ZoneRecords = {
  'example.com': { TXT: [SPF], MX: [[10, 'mx.example.com']] },
  'mx.example.com': { A: ['192.0.2.25'] },
  'shop.example.com': { A: ['192.0.2.80'] },
  '_dmarc.example.com': { TXT: ['v=DMARC1; p=none; rua=mailto:d@example.com'] },
  '_spf.google.com': { TXT: ['v=spf1 ip4:198.51.100.0/26 ~all'] },
  'sendgrid.net': { TXT: ['v=spf1 ip4:198.51.100.64/26 ~all'] },
  'mail.zendesk.com': { TXT: ['v=spf1 ip4:198.51.100.128/26 ~all'] },
};

type Row = Partial<SeenSource> & Pick<SeenSource, 'address'>;

function seen(row: Row): DailySource {
  const day = row.lastDay ?? dayBefore(3);
  const messages = row.messages ?? 1;
  const daily = [{ day: 0, messages, listed: messages }];
  return {
    addresses: 1,
    isSummed: false,
    start: day,
    daily,
    messages: 1,
    firstDay: dayBefore(3),
    lastDay: dayBefore(3),
    reporters: ['google.com'],
    disposition: 'none',
    spfPassed: false,
    dkimPassed: false,
    reasons: [],
    headerFrom: 'example.com',
    envelopeFrom: '',
    spf: [],
    dkim: [],
    ...row,
    ...(row.messages !== undefined && { daily }),
  };
}

const mfrom = (domain: string, result: string) => ({ spf: [{ domain, scope: 'mfrom', result }] });
const signed = (result: string, selector = 's1', domain = 'example.com') => ({
  dkim: [{ domain, selector, result }],
});
const passSpf = { spfPassed: true, ...mfrom('example.com', 'pass') };
const GOOGLE: SeenReporter = {
  name: 'google.com',
  email: 'noreply-dmarc-support@google.com',
  reports: 35,
  messages: 1,
  firstDay: dayBefore(34),
  lastDay: TO,
};

const STRANGER: SeenReporter = { ...GOOGLE, name: 'odd.example', email: 'dmarc@odd.example' };

function windowOf(
  sources: readonly DailySource[],
  more: Partial<ReportWindow<DailySource>> = {},
): ReportWindow<DailySource> {
  const days = Array.from({ length: 35 }, (_, i) => ({
    day: dayBefore(34 - i),
    messages: 1,
    passed: 1,
  }));
  return {
    generation: 1,
    reports: 35,
    reporters: [GOOGLE],
    unproven: [],
    unusable: 0,
    conflicting: 0,
    days,
    sources,
    ...more,
  };
}

type Setting = {
  readonly records?: ZoneRecords;
  readonly asked?: AskedPolicy;
  readonly decisions?: readonly (readonly [string, SenderDecision])[];
  readonly window?: Partial<ReportWindow<DailySource>>;
  readonly earlier?: readonly DailySource[];
  readonly hasOlderReports?: boolean;
  readonly tried?: Parameters<typeof changeRecords>[2];
};

async function judged(sources: readonly DailySource[], setting: Setting = {}) {
  const { records = ZONE, asked = 'reject', decisions = [], window: more, tried } = setting;
  const resolver = zone(records);
  const present = {
    findings: (await examineDomain('example.com', { resolver })).findings,
    resolver,
  };
  const after = tried && changeRecords('example.com', resolver, tried);
  const changed = after && {
    findings: (await examineDomain('example.com', { resolver: after })).findings,
    resolver: after,
  };
  const window = windowOf(sources, more);
  return judgeSenders({
    domain: 'example.com',
    from: dayBefore(34),
    to: TO,
    window,
    earlier: setting.earlier ?? [],
    hasOlderReports: setting.hasOlderReports ?? false,
    decisions: new Map(decisions),
    asked: tried === undefined ? asked : undefined,
    present: await compileZone(present),
    changed: changed && (await compileZone(changed)),
    networkOf: (address) => {
      const realm = address.split('.').slice(0, 3).join('.');
      return { id: `as of ${realm}`, name: `AS of ${realm}`, realm, isOfOne: false };
    },
  });
}

for (const [behaviour, rows, want, setting] of [
  ['aligned SPF', [{ address: '192.0.2.1', ...passSpf }], ['passes']],
  ['aligned DKIM', [{ address: '203.0.113.1', dkimPassed: true, ...signed('pass') }], ['passes']],
  ['an address of ip4 in the own record', [{ address: '192.0.2.3' }], ['ours_broken']],
  ['an address of mx', [{ address: '192.0.2.25' }], ['ours_broken']],
  ['an address beyond it', [{ address: '192.0.2.99' }], ['not_ours']],
  [
    'own record that lists the ranges of a service',
    [{ address: '198.51.100.70' }, { address: '192.0.2.3' }],
    ['at_named_service', 'ours_broken'],
    {
      records: {
        ...ZONE,
        'example.com': { TXT: ['v=spf1 ip4:198.51.100.64/26 ip4:192.0.2.3 -all'] },
      },
    },
  ],
  ['shared ranges are no proof', [{ address: '198.51.100.70' }], ['at_named_service']],
  [
    'a failed signature where other mail passed by aligned SPF',
    [
      { address: '198.51.100.1', ...passSpf },
      { address: '198.51.100.2', ...signed('fail') },
    ],
    ['passes', 'ours_broken'],
  ],
  [
    'the same in a network',
    [
      { address: '203.0.113.1', ...passSpf },
      { address: '203.0.113.2', ...signed('fail') },
    ],
    ['passes', 'ours_broken'],
  ],
  [
    'a failed signature where mail passed by DKIM alone',
    [
      { address: '203.0.113.1', dkimPassed: true, ...signed('pass') },
      { address: '203.0.113.2', ...signed('fail') },
    ],
    ['passes', 'forwarded'],
  ],
  [
    'a failed signature from elsewhere',
    [{ address: '203.0.113.9', ...signed('fail') }],
    ['forwarded'],
  ],
  [
    'a failed signature of another domain',
    [{ address: '203.0.113.9', ...signed('fail', 's', 'a.example') }],
    ['not_ours'],
  ],
  [
    'a failed signature at a service that SPF names, which never passed',
    [{ address: '198.51.100.70', ...signed('permerror') }],
    ['at_named_service'],
  ],
  [
    'reasons of the receiver',
    ['mailing_list', 'trusted_forwarder', 'forwarded'].map((type) => ({
      address: '203.0.113.9',
      reasons: [{ type, comment: '' }],
    })),
    ['forwarded', 'forwarded', 'forwarded'],
  ],
  [
    'local policy only with ARC',
    ['arc=pass as[1].d=google.com', 'arc=fail', 'whitelist'].map((comment) => ({
      address: '203.0.113.9',
      reasons: [{ type: 'local_policy', comment }],
    })),
    ['forwarded', 'not_ours', 'not_ours'],
  ],
  [
    'sampled out and test mode by their results',
    ['sampled_out', 'policy_test_mode'].map((type) => ({
      address: '203.0.113.9',
      reasons: [{ type, comment: '' }],
    })),
    ['not_ours', 'not_ours'],
  ],
  [
    'a service by its verified signature, though SPF does not have the address',
    [{ address: '203.0.113.7', ...signed('pass', 'm1', 'sendgrid.net') }],
    ['at_named_service'],
  ],
  [
    'decisions of a person',
    [{ address: '198.51.100.130' }, { address: '198.51.100.70' }, { address: '203.0.113.9' }],
    ['ours_broken', 'not_ours', 'forwarded'],
    {
      decisions: [
        ['zendesk', 'ours'],
        ['sendgrid', 'not_ours'],
        ['as of 203.0.113', 'expected_forwarder'],
      ],
    },
  ],
  [
    'a decision changes nothing about mail that passes',
    [{ address: '198.51.100.70', dkimPassed: true, ...signed('pass') }],
    ['passes'],
    { decisions: [['sendgrid', 'not_ours']] },
  ],
] as readonly (readonly [string, readonly Row[], readonly SenderClass[], Setting?])[])
  test(`sender class: ${behaviour}`, async () => {
    const found = await judged(rows.map(seen), setting);
    assert.deepEqual(
      found.judged.map((one) => one.class),
      want,
    );
  });

test('sender class: each service says why', async () => {
  const { report } = await judged([
    seen({ address: '192.0.2.3', messages: 7 }),
    seen({ address: '198.51.100.130', messages: 3 }),
    seen({
      address: '203.0.113.1',
      dkimPassed: true,
      ...signed('pass'),
      ...mfrom('example.com', 'fail'),
    }),
  ]);
  assert.deepEqual(
    report.services.map(({ name, class: one, messages, evidence }) => [
      name,
      one,
      messages,
      evidence[0]?.text,
    ]),
    [
      ['own servers', 'ours_broken', 7, 'the address is in ip4:192.0.2.0/28 of the SPF record'],
      [
        'Zendesk',
        'at_named_service',
        3,
        'the address belongs to include:mail.zendesk.com, which other customers use too; the mail was not signed as the domain',
      ],
      [
        'AS of 203.0.113',
        'passes',
        1,
        'signed as example.com (selector s1); SPF failed, so it was forwarded or the server is not in SPF',
      ],
    ],
  );
});

const GOOD = seen({ address: '192.0.2.1', messages: 10_000, ...passSpf });
const GOOD_BY_WEEK = [30, 8, 1].map((days) =>
  seen({
    address: '192.0.2.1',
    messages: days === 30 ? 9_000 : 500,
    firstDay: dayBefore(days),
    lastDay: dayBefore(days),
    ...passSpf,
  }),
);
const reasonsOf = ({ report: { verdict } }: Awaited<ReturnType<typeof judged>>) =>
  verdict.reasons.map(({ code }) => code);

for (const [behaviour, rows, answer, codes, setting] of [
  ['all passes', [], 'yes', []],
  ['a flood of forgeries', [{ address: '203.0.113.5', messages: 9_000_000 }], 'yes', []],
  ['own mail above 0.5%', [{ address: '192.0.2.3', messages: 60 }], 'no', ['mail_refused']],
  [
    'own mail at 0.5%, of servers that lose less than 20 messages',
    [3, 4, 5].map((host) => ({ address: `192.0.2.${host}`, messages: host === 5 ? 16 : 17 })),
    'yes',
    [],
  ],
  [
    'a server that loses all of its mail, beside one with much more',
    [{ address: '192.0.2.3', messages: 20 }],
    'no',
    ['mail_refused'],
  ],
  [
    'a service that SPF names',
    [{ address: '198.51.100.130', messages: 60 }],
    'no',
    ['mail_refused'],
  ],
  [
    'the same, decided not to be ours',
    [{ address: '198.51.100.130', messages: 60 }],
    'yes',
    [],
    { decisions: [['zendesk', 'not_ours']] },
  ],
  [
    'forwarded mail is a price',
    [{ address: '203.0.113.9', messages: 900, ...signed('fail') }],
    'yes',
    ['forwarded_lost'],
  ],
  [
    'a sender that began two weeks ago',
    [1, 8].map((days) => ({
      address: '192.0.2.3',
      messages: 6,
      firstDay: dayBefore(days),
      lastDay: dayBefore(days),
    })),
    'no',
    ['mail_refused'],
  ],
  [
    'the same, with four messages in one of the weeks',
    [1, 8].map((days) => ({
      address: '192.0.2.3',
      messages: days === 1 ? 4 : 6,
      firstDay: dayBefore(days),
      lastDay: dayBefore(days),
    })),
    'yes',
    [],
  ],
  [
    'no reports',
    [],
    'not_enough',
    ['no_reports'],
    { window: { reports: 0, reporters: [], days: [] } },
  ],
  [
    'only reports that are not proven',
    [],
    'not_enough',
    ['no_reports', 'unproven_reports'],
    {
      window: {
        reports: 0,
        reporters: [],
        days: [],
        sources: [],
        unproven: [{ reason: 'not_signed', reports: 90 }],
      },
    },
  ],
  [
    '27 days',
    [],
    'not_enough',
    ['too_few_days'],
    {
      window: {
        days: [{ day: dayBefore(26), messages: 1, passed: 1 }, ...windowOf([]).days.slice(-25)],
      },
    },
  ],
  [
    '20 days for quarantine',
    [],
    'yes',
    [],
    { asked: 'quarantine', window: { days: windowOf([]).days.slice(-20) } },
  ],
  [
    'no large receiver',
    [],
    'not_enough',
    ['no_large_receiver'],
    { window: { reporters: [{ ...GOOGLE, name: 'google.com', email: 'dmarc@impostor.example' }] } },
  ],
  [
    'seven days without reports',
    [],
    'not_enough',
    ['gap'],
    {
      window: {
        days: windowOf([]).days.filter(({ day }) => day < dayBefore(20) || day > dayBefore(14)),
      },
    },
  ],
  [
    'six days without reports',
    [],
    'yes',
    [],
    {
      window: {
        days: windowOf([]).days.filter(({ day }) => day < dayBefore(20) || day > dayBefore(15)),
      },
    },
  ],
  [
    'reports of others before those of the first large receiver',
    [],
    'not_enough',
    ['too_few_days'],
    { window: { reporters: [{ ...GOOGLE, firstDay: dayBefore(2) }, STRANGER] } },
  ],
  [
    'reports of others after those of the last large receiver',
    [],
    'not_enough',
    ['too_few_days', 'gap', 'reporter_silent'],
    { window: { reporters: [{ ...GOOGLE, lastDay: dayBefore(20) }, STRANGER] } },
  ],
  [
    'reports that stopped a week ago',
    [],
    'not_enough',
    ['too_few_days', 'gap', 'reporter_silent'],
    {
      window: {
        reporters: [{ ...GOOGLE, lastDay: dayBefore(8) }],
        days: windowOf([]).days.slice(0, -8),
      },
    },
  ],
] as readonly (readonly [string, readonly Row[], string, readonly string[], Setting?])[])
  test(`verdict: ${behaviour}`, async () => {
    // Every service of the record sends, so that none is named as unproven.
    const services = ['198.51.100.1', '198.51.100.70', '198.51.100.131'].map((address) =>
      seen({ address, dkimPassed: true, ...signed('pass') }),
    );
    const sources = [...GOOD_BY_WEEK, ...services, ...rows.map(seen)];
    const found = await judged(setting?.window?.reports === 0 ? [] : sources, setting);
    assert.deepEqual(
      [found.report.verdict.answer, reasonsOf(found).filter((code) => code !== 'service_unproven')],
      [answer, codes],
    );
  });

for (const [behaviour, messages, days, answer] of [
  ['299 messages in 35 days', 299, 35, 'not_enough'],
  ['300 messages', 300, 35, 'yes'],
  ['30 messages in 90 days', 30, 90, 'yes'],
] as const)
  test(`verdict: ${behaviour}`, async () => {
    const window = {
      reporters: [{ ...GOOGLE, firstDay: dayBefore(days - 1) }],
      days: Array.from({ length: days }, (_, i) => ({
        day: dayBefore(days - 1 - i),
        messages: 1,
        passed: 1,
      })),
    };
    const { report } = await judged([seen({ ...GOOD, messages })], { window });
    assert.equal(report.verdict.answer, answer);
  });

test('verdict: what decides is said in one sentence, and each reason says what settles it', async () => {
  const { report } = await judged([
    GOOD,
    seen({ address: '198.51.100.130', messages: 209 }),
    seen({ address: '203.0.113.9', messages: 5, ...signed('fail') }),
    seen({ address: '203.0.113.77', messages: 4_000 }),
  ]);
  const { verdict } = report;
  assert.equal(
    verdict.text,
    'p=reject is not safe: it would have refused 214 messages in 35 days: 209 at Zendesk, 5 forwarded or altered',
  );
  assert.match(
    verdict.reasons[0]?.text ?? '',
    /^209 messages at Zendesk would be refused, 2% of yours: let it sign/,
  );
  assert.deepEqual(
    verdict.refused.map(({ service, class: one, messages }) => [service, one, messages]),
    [
      ['AS of 203.0.113', 'not_ours', 4_000],
      ['Zendesk', 'at_named_service', 209],
      ['AS of 203.0.113', 'forwarded', 5],
    ],
  );
});

test('verdict: a service that SPF names and that did not send is named, after 90 days with what it costs', async () => {
  for (const [hasOlderReports, text] of [
    [
      false,
      'Zendesk (include:mail.zendesk.com) sent nothing in this time, so nothing is known about its mail',
    ],
    [
      true,
      'include:mail.zendesk.com (Zendesk) sent nothing in 90 days and costs 1 of 10 DNS lookups',
    ],
  ] as const) {
    const { verdict } = (await judged([GOOD], { hasOlderReports })).report;
    const texts = verdict.reasons.map((reason) => reason.text);
    assert.deepEqual(
      texts.filter((found) => found.includes('Zendesk')),
      [text],
    );
    assert.equal(verdict.answer, 'yes');
  }
});

test('verdict: reporters that contradict themselves are named', async () => {
  const row = {
    address: '203.0.113.1',
    dkimPassed: true,
    ...signed('fail'),
    reporters: ['odd.example'],
  };
  const { report } = await judged([GOOD, seen(row)]);
  assert.ok(
    report.verdict.reasons.some(
      (one) => one.code === 'reporter_disagrees' && one.reporter === 'odd.example',
    ),
  );
});

const SUB = { address: '192.0.2.3', messages: 500 };
for (const [behaviour, headerFrom, asked, dmarc, answer] of [
  ['p holds below the domain', 'shop.example.com', 'reject', 'v=DMARC1; p=none', 'no'],
  ['sp=none does not', 'shop.example.com', 'reject', 'v=DMARC1; p=none; sp=none', 'yes'],
  ['sp is asked about alone', 'shop.example.com', 'sp=reject', 'v=DMARC1; p=none', 'no'],
  [
    'sp does not hold for the domain itself',
    'example.com',
    'sp=reject',
    'v=DMARC1; p=none',
    'not_enough',
  ],
  [
    'np is about names that do not exist',
    'missing.example.com',
    'np=reject',
    'v=DMARC1; p=none',
    'no',
  ],
  ['np is not about those that do', 'shop.example.com', 'np=reject', 'v=DMARC1; p=none', 'yes'],
] as const)
  test(`verdict: ${behaviour}`, async () => {
    const records = { ...ZONE, '_dmarc.example.com': { TXT: [dmarc] } };
    const { report } = await judged([GOOD, seen({ ...SUB, headerFrom })], { records, asked });
    assert.equal(report.verdict.answer, answer);
  });

test('verdict: np=reject needs a report, and no legitimate mail of names that do not exist', async () => {
  const signedMail = {
    address: '192.0.2.1',
    headerFrom: 'missing.example.com',
    dkimPassed: true,
    ...signed('pass'),
  };
  const none = { reports: 0, reporters: [], days: [] };
  assert.equal(
    (await judged([], { asked: 'np=reject', window: none })).report.verdict.answer,
    'not_enough',
  );
  assert.equal(
    (await judged([seen(signedMail)], { asked: 'np=reject' })).report.verdict.answer,
    'no',
  );
});

const POLICY = { dmarc: 'v=DMARC1; p=reject; rua=mailto:d@example.com' };
for (const [behaviour, rows, tried, answer] of [
  [
    'SPF that has been repaired',
    [
      {
        address: '203.0.113.50',
        messages: 900,
        ...mfrom('example.com', 'fail'),
        ...signed('fail'),
      },
    ],
    { ...POLICY, spf: SPF.replace('mx', 'mx ip4:203.0.113.50') },
    'yes',
  ],
  [
    'SPF without the sender',
    [{ address: '198.51.100.1', messages: 900, ...passSpf }],
    { ...POLICY, spf: SPF.replace('include:_spf.google.com', '') },
    'no',
  ],
  [
    'SPF without the sender of mail that is signed',
    [{ address: '198.51.100.1', messages: 900, ...passSpf, dkimPassed: true, ...signed('pass') }],
    { ...POLICY, spf: SPF.replace('include:_spf.google.com', '') },
    'yes',
  ],
  [
    'strict alignment',
    [
      {
        address: '198.51.100.70',
        messages: 900,
        dkimPassed: true,
        ...signed('pass', 's', 'mail.example.com'),
      },
    ],
    { dmarc: 'v=DMARC1; p=reject; adkim=s; rua=mailto:d@example.com' },
    'no',
  ],
] as const)
  test(`history of a trial: ${behaviour}`, async () => {
    const { report } = await judged([GOOD, ...rows.map(seen)], { tried });
    assert.deepEqual([report.verdict.policy, report.verdict.answer], ['reject', answer]);
  });

test('a record that DNS did not answer for is never a yes', async () => {
  const records = { ...ZONE, 'mail.zendesk.com': { fail: 'SERVFAIL' } } as const;
  const found = await judged([GOOD], { records });
  assert.ok(found.report.verdict.answer === 'not_enough', JSON.stringify(found.report.verdict));
});

test('selectors of the domain itself are known from its mail', () => {
  const rows = [
    seen({ address: '192.0.2.1', messages: 2, ...signed('pass', 'rare') }),
    seen({ address: '192.0.2.1', messages: 9, ...signed('fail', 'common') }),
    seen({ address: '192.0.2.1', ...signed('pass', 'other', 'sendgrid.net') }),
  ];
  assert.deepEqual(selectorsSeen('example.com', rows), ['common', 'rare']);
});

test('invented reporters do not hide the large receivers', async () => {
  const invented = Array.from({ length: 60 }, (_, i) => ({
    ...GOOGLE,
    name: `a${i}.example`,
    email: `dmarc@a${i}.example`,
    messages: 1_000 + i,
  }));
  const { report } = await judged([GOOD], { window: { reporters: [...invented, GOOGLE] } });
  const [first, second, ...others] = report.reporters.map(({ name }) => name);
  assert.deepEqual(
    [first, second, others.length, report.reporters_left_out],
    [GOOGLE.name, 'a59.example', 48, 11],
  );
});

test('hostile names of reports are shown as text of one line', async () => {
  const evil = 'a\u001b[2J\n=cmd()\u202e';
  const rows = [
    seen({
      address: '203.0.113.1',
      ...signed('fail', evil),
      reporters: [evil],
      reasons: [{ type: evil, comment: evil }],
    }),
    seen({ address: '203.0.113.2', headerFrom: evil, envelopeFrom: evil, ...mfrom(evil, evil) }),
  ];
  const { report } = await judged(rows, {
    window: { reporters: [{ ...GOOGLE, name: evil, email: evil }] },
  });
  const texts = JSON.stringify({
    ...report,
    verdict: { ...report.verdict, reasons: report.verdict.reasons.map((r) => r.text) },
  });
  assert.doesNotMatch(texts, /\\u001b|\\n|\u202e/);
});

/**
 * A sender of known class: how its mail looks to a receiver, and whether a refusal of what fails
 * loses mail.
 */
type Scripted = {
  readonly truth: SenderClass;
  readonly isOwn: boolean;
  readonly row: (random: () => number) => Row;
};
const pick = (random: () => number, first: string, count: number) => {
  const [a, b, c, d] = first.split('.').map(Number);
  return `${a}.${b}.${c}.${(d ?? 0) + Math.floor(random() * count)}`;
};
const SCRIPT: Readonly<Record<string, Scripted>> = {
  'own server': {
    truth: 'passes',
    isOwn: true,
    row: (r) => ({
      address: pick(r, '192.0.2.0', 8),
      ...passSpf,
      dkimPassed: true,
      ...signed('pass'),
    }),
  },
  'own web server, unsigned and with its own host name as envelope': {
    truth: 'ours_broken',
    isOwn: true,
    row: (r) => ({ address: pick(r, '192.0.2.8', 4), ...mfrom('web1.invalid', 'none') }),
  },
  'mailboxes at Google': {
    truth: 'passes',
    isOwn: true,
    row: (r) => ({
      address: pick(r, '198.51.100.0', 60),
      ...passSpf,
      dkimPassed: true,
      ...signed('pass', 'google'),
    }),
  },
  'mailboxes whose signature breaks at a gateway': {
    truth: 'ours_broken',
    isOwn: true,
    row: (r) => ({
      address: pick(r, '198.51.100.0', 60),
      ...mfrom('gateway.invalid', 'none'),
      ...signed('fail', 'google'),
    }),
  },
  'a signed service': {
    truth: 'passes',
    isOwn: true,
    row: (r) => ({
      address: pick(r, '198.51.100.64', 60),
      ...mfrom('em1.sendgrid.net', 'pass'),
      dkimPassed: true,
      ...signed('pass', 's1'),
    }),
  },
  'an unsigned service': {
    truth: 'at_named_service',
    isOwn: true,
    row: (r) => ({
      address: pick(r, '198.51.100.128', 60),
      ...mfrom('zendesk.com', 'pass'),
      ...signed('pass', 'z', 'zendesk.com'),
    }),
  },
  'a mailing list': {
    truth: 'forwarded',
    isOwn: false,
    row: (r) => ({
      address: pick(r, '203.0.113.0', 16),
      ...mfrom('lists.example', 'pass'),
      ...signed('fail'),
    }),
  },
  'a list that the receiver knows': {
    truth: 'forwarded',
    isOwn: false,
    row: (r) => ({
      address: pick(r, '203.0.113.0', 16),
      reasons: [{ type: 'mailing_list', comment: '' }],
    }),
  },
  'a forwarder': {
    truth: 'passes',
    isOwn: false,
    row: (r) => ({
      address: pick(r, '203.0.113.32', 16),
      dkimPassed: true,
      ...mfrom('example.com', 'fail'),
      ...signed('pass'),
    }),
  },
  'an impostor': {
    truth: 'not_ours',
    isOwn: false,
    row: (r) => ({ address: pick(r, '203.0.113.128', 120), ...mfrom('example.com', 'fail') }),
  },
  'an impostor with an account at a service': {
    truth: 'undecided',
    isOwn: false,
    row: (r) => ({ address: pick(r, '198.51.100.64', 60), ...mfrom('em2.sendgrid.net', 'pass') }),
  },
};

test('scripted senders: 95% of messages in the right class, no impostor is ours, no yes where mail is then lost', async () => {
  const random = seededRandom(4_990);
  let [right, all, yes] = [0, 0, 0];
  for (let round = 0; round < 60; round++) {
    const present = Object.entries(SCRIPT).filter(() => random() < 0.6);
    const truths: { name: string; sender: Scripted; source: DailySource }[] = present.flatMap(
      ([name, sender]) =>
        Array.from({ length: 35 }, (_, i) => {
          const isRare = random() < 0.3;
          const messages = Math.ceil(
            random() * (isRare ? 2 : sender.truth === 'passes' ? 2_000 : 40),
          );
          const day = dayBefore(i);
          return {
            name,
            sender,
            source: seen({ ...sender.row(random), messages, firstDay: day, lastDay: day }),
          };
        }),
    );
    const { judged: found, report } = await judged(truths.map(({ source }) => source));
    let [lost, own] = [0, 0];
    for (const [i, { name, sender, source }] of truths.entries()) {
      all += source.messages;
      if (found[i]?.class === sender.truth) right += source.messages;
      if (name.startsWith('an impostor')) assert.notEqual(found[i]?.class, 'ours_broken', name);
      if (sender.isOwn) own += source.messages;
      if (sender.isOwn && sender.truth !== 'passes') lost += source.messages;
    }
    if (report.verdict.answer === 'yes') {
      yes++;
      assert.ok(
        lost / own <= 0.005,
        `seed 4990, round ${round}: a yes, and ${lost} of ${own} messages are lost`,
      );
    }
  }
  assert.ok(right / all >= 0.95, `${right} of ${all}`);
  assert.ok(yes > 0, 'some rounds have no broken sender');
});
