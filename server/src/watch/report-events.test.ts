/** The events of reports, by days of histories. */
import assert from 'node:assert/strict';
import test from 'node:test';
import {
  acceptReported,
  isFailing,
  judgeReports,
  type ReportFacts,
  type ReportState,
} from './report-events.ts';

/** A character a day: `.` no mail, `p` passes, `l` a loss of few, `X` a day that fails. */
const MAIL: Record<string, readonly [lost: number, passed: number]> = {
  '.': [0, 0],
  p: [0, 100],
  l: [1, 100],
  X: [50, 50],
  f: [4, 0],
};
for (const [behaviour, days, want] of [
  ['one day that fails is none', 'pppXppp', false],
  ['two days are', 'pppXpXp', true],
  ['two newsletters in two weeks are', 'pX......X', true],
  ['two in three weeks are none', 'X..............X', false],
  ['four messages a day are none', 'ffffff', false],
  ['losses below a quarter are none', 'llllllll', false],
  ['six days of passes do not end it', 'XXpppppp', true],
  ['seven do', 'XXppppppp', false],
  ['a week without mail does not', 'XX.......', true],
  ['one loss among them begins anew', 'XXppplppppp', true],
  ['after its end one bad day does not begin it', 'XXpppppppX', false],
] as const)
  test(`a sender fails: ${behaviour}`, () => {
    const mail = [...days].map((day) => MAIL[day] ?? [0, 0]);
    const unit = { lost: mail.map(([lost]) => lost), passed: mail.map(([, passed]) => passed) };
    assert.equal(isFailing(unit, days.length - 1), want);
  });

const A = { id: 'a', name: 'Service A' };
const B = { id: 'b', name: 'Service B' };
const FACTS: ReportFacts = {
  today: '2026-11-15',
  verdict: 'yes',
  lastDay: 20,
  decided: [],
  reporters: [{ name: 'google.com', lastDay: '2026-11-14', regularDays: 28 }],
  history: { failing: [], bySpf: [A], bySelector: [{ selector: 's1', senders: [A] }] },
};
const sent = (bySpf: (typeof A)[], ...bySelector: [string, ...(typeof A)[]][]) => ({
  history: {
    failing: [],
    bySpf,
    bySelector: bySelector.map(([selector, ...senders]) => ({ selector, senders })),
  },
});
type Facts = Partial<ReportFacts> | readonly ['accept', code: string, subject: string];
const reporters = (...known: [name: string, lastDay: string, regularDays: number][]) => ({
  reporters: known.map(([name, lastDay, regularDays]) => ({ name, lastDay, regularDays })),
});
const DAYS = Array<number>(21).fill(50);
const FAILING: Partial<ReportFacts> = {
  history: {
    ...FACTS.history,
    failing: [{ id: 'c', name: 'Service C', lost: DAYS, passed: DAYS }],
  },
};
const seenTwice = { sessions: 9, days: 2, last_failed: '2026-11-14' };
const TLS_REASONS = {
  host_fails: {
    code: 'host_fails',
    host: 'mx.example.com',
    result: 'certificate-expired',
    clear_on: '2026-11-28',
    ...seenTwice,
  },
  host_not_named: { code: 'host_not_named', host: 'mx.example.com' },
} as const;
const tls = (
  answer: 'yes' | 'no' | 'not_enough',
  code: keyof typeof TLS_REASONS = 'host_fails',
): Partial<ReportFacts> => ({
  tls: {
    question: 'enforce',
    answer,
    text: '',
    reasons: answer === 'no' ? [{ weight: 'no', ...TLS_REASONS[code] }] : [],
  },
});

for (const [behaviour, days, want] of [
  ['what sends at the first look is known', [{}, {}], ['', '']],
  [
    'a sender that passes by SPF is new until it is accepted',
    [{}, sent([A, B]), sent([A, B]), ['accept', 'new_sender', 'b'], sent([A, B])],
    ['', 'new_sender b', 'new_sender b', ''],
  ],
  [
    'a decision about a sender ends it too',
    [{}, sent([A, B]), { ...sent([A, B]), decided: ['b'] }],
    ['', 'new_sender b', ''],
  ],
  [
    'a forwarder, whose mail passes by a known selector, is none',
    [{}, sent([A], ['s1', A, B])],
    ['', ''],
  ],
  [
    'a new selector of a known sender is none, and explains its forwarders',
    [{}, sent([A], ['s2', A, B])],
    ['', ''],
  ],
  [
    'a selector that was not used before is one',
    [{}, sent([A], ['s1', A], ['s2', B]), sent([A], ['s1', A], ['s2', B])],
    ['', 'new_sender b', 'new_sender b'],
  ],
  [
    'a verdict changes when two days agree, and not enough changes nothing',
    [{}, { verdict: 'no' }, { verdict: 'no' }, { verdict: 'not_enough' }, { verdict: 'yes' }],
    ['', '', 'verdict_changed DMARC', 'verdict_changed DMARC', 'verdict_changed DMARC'],
  ],
  [
    'it changes back when two days agree on that',
    [{}, { verdict: 'no' }, { verdict: 'no' }, {}, {}],
    ['', '', 'verdict_changed DMARC', 'verdict_changed DMARC', ''],
  ],
  [
    'an accepted verdict is what is expected',
    [
      {},
      { verdict: 'no' },
      { verdict: 'no' },
      ['accept', 'verdict_changed', 'DMARC'],
      { verdict: 'no' },
    ],
    ['', '', 'verdict_changed DMARC', ''],
  ],
  ['a first answer after not enough is none', [{ verdict: 'not_enough' }, {}, {}], ['', '', '']],
  [
    'a sender that fails is one event, without the verdict that follows from it',
    [
      {},
      { ...FAILING, verdict: 'no' },
      { ...FAILING, verdict: 'no' },
      { verdict: 'no' },
      {},
      {},
      { verdict: 'no' },
      { verdict: 'no' },
    ],
    ['', 'sender_failing c', 'sender_failing c', '', '', '', '', 'verdict_changed DMARC'],
  ],
  [
    'a verdict on TLS has its own event, which ends when two days agree',
    [tls('yes'), tls('no'), tls('no'), {}, tls('not_enough'), tls('yes'), tls('yes')],
    ['', '', ...Array<string>(4).fill('verdict_changed TLS'), ''],
  ],
  [
    'a host that the policy does not name is a finding, and no verdict',
    [tls('yes'), tls('no', 'host_not_named'), tls('no', 'host_not_named')],
    ['', '', ''],
  ],
  [
    'a verdict on TLS can be accepted',
    [tls('yes'), tls('no'), tls('no'), ['accept', 'verdict_changed', 'TLS'], tls('no')],
    ['', '', 'verdict_changed TLS', ''],
  ],
  [
    'a regular reporter is silent after seven days, until it reports again',
    [
      {},
      reporters(['google.com', '2026-11-08', 20], ['yahoo.com', '2026-11-14', 28]),
      reporters(['google.com', '2026-11-07', 20], ['yahoo.com', '2026-11-14', 28]),
      reporters(['yahoo.com', '2026-11-14', 28]),
      {},
    ],
    ['', '', 'reporter_silent google.com', 'reporter_silent google.com', ''],
  ],
  [
    'one that was not regular is not',
    [{}, reporters(['google.com', '2026-11-07', 19], ['yahoo.com', '2026-11-14', 28])],
    ['', ''],
  ],
  [
    'its end can be accepted',
    [
      {},
      reporters(['google.com', '2026-11-07', 20], ['yahoo.com', '2026-11-14', 28]),
      ['accept', 'reporter_silent', 'google.com'],
      reporters(['google.com', '2026-11-07', 20], ['yahoo.com', '2026-11-14', 28]),
    ],
    ['', 'reporter_silent google.com', ''],
  ],
  [
    'if all stop, that is one event, also if they did not stop on one day',
    [
      {},
      reporters(['google.com', '2026-11-08', 28], ['yahoo.com', '2026-11-07', 28]),
      reporters(['google.com', '2026-11-07', 28], ['yahoo.com', '2026-11-06', 28]),
      { reporters: [] },
      reporters(['google.com', '2026-11-14', 28], ['yahoo.com', '2026-11-06', 28]),
      reporters(['google.com', '2026-11-14', 28], ['yahoo.com', '2026-11-14', 28]),
    ],
    ['', '', 'reporter_silent', 'reporter_silent', 'reporter_silent yahoo.com', ''],
  ],
  [
    'the end of all can be accepted, and begins anew',
    [
      {},
      reporters(['google.com', '2026-11-07', 28]),
      ['accept', 'reporter_silent', ''],
      reporters(['google.com', '2026-11-07', 28]),
      {},
      reporters(['google.com', '2026-11-07', 28]),
    ],
    ['', 'reporter_silent', '', '', 'reporter_silent'],
  ],
] as const satisfies readonly (readonly [string, readonly Facts[], readonly string[]])[])
  test(`events of reports: ${behaviour}`, () => {
    let state: ReportState | undefined;
    const log: string[] = [];
    for (const step of days as readonly Facts[]) {
      if (Array.isArray(step)) {
        const [, code, subject] = step;
        assert.ok(state);
        state = acceptReported(state, code, subject);
        continue;
      }
      const judged = judgeReports(state, { ...FACTS, ...step });
      // As it is stored.
      state = JSON.parse(JSON.stringify(judged.state)) as ReportState;
      log.push(judged.conditions.map(({ code, subject }) => `${code} ${subject}`.trim()).join());
    }
    assert.deepEqual(log, want);
  });
