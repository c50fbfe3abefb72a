/** The events of a domain over checks at given minutes, as WATCH rules say. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { type Examination, examineDomain } from '@whence/email';
import { KEYS, rsaPublicKey } from '@whence/email/test/dkim-keys';
import { zone } from '@whence/email/test/zone';
import { dmarc, key, MX, mail, NONE, REJECT, WORLD } from '@whence/email/test/zones/world';
import type { ZoneRecords } from '@whence/testing/servers/zone-literal';
import type { WatchEvent } from '../storage/stores/watch-event-store.ts';
import { judgeDeployment, unreachable } from './deployment.ts';
import {
  acceptEvent,
  type DomainState,
  judgeCheck,
  readState,
  selectorsOf,
} from './domain-state.ts';
import { applyChanges } from './ledger.ts';
import { hasNoAnswer, observe } from './observation.ts';
import { nextCheckMs } from './watch-checks.ts';

const START = Date.parse('2026-11-15T00:00:00Z');
const DAY = 1_440;
const HOUR = 60;
const POLICY = 'version: STSv1\nmode: enforce\nmax_age: 86400\nmx: mx.example.com\n';

const GOOD = mail('v=spf1 mx -all', REJECT);
const change = (...more: readonly ZoneRecords[]) => Object.assign({}, GOOD, ...more);
const without = (name: string) => {
  const { [name]: _, ...rest } = GOOD;
  return rest;
};
const SPF_BROKEN = mail('v=spf1 moo -all', REJECT);
const TWO_FAULTS = mail('v=spf1 moo baz include:gone.example -all', REJECT);
const NO_DMARC = without('_dmarc.example.com');
const OTHER_MX = { MX: [[10, 'mx2.example.com']], TXT: ['v=spf1 mx -all'] } as const;
const SECOND = { 'mx2.example.com': { A: ['192.0.2.26'] } } as const;
const NO_SPF = { 'example.com': MX } as const;
const NO_MAIL = { 'example.com': { MX: [[0, '.']], TXT: ['v=spf1 mx -all'] } } as const;
const EMPTIED = { 'example.com': { A: ['192.0.2.80'] } } as const;
/** The rest does not answer. */
const EMPTIED_IN_PART = { ...EMPTIED, '_dmarc.example.com': { fail: 'timeout' } } as const;
const TAKEN_OVER: ZoneRecords = {
  'example.com': { MX: [[10, 'mx.example.net']], TXT: ['v=spf1 a ~all'] },
  'mx.example.net': { A: ['192.0.2.66'] },
  ...key('default'),
};
const APEX_EMPTIED = change({ 'example.com': { A: ['192.0.2.80'] } });
const TLS_RPT = { '_smtp._tls.example.com': { TXT: ['v=TLSRPTv1; rua=mailto:t@example.com'] } };
const ED25519 = `v=DKIM1; k=ed25519; p=${Buffer.alloc(32, 7).toString('base64')}`;
const LONG_KEY = `v=DKIM1; p=${rsaPublicKey(4_096).export({ type: 'spki', format: 'der' }).toString('base64')}`;
const NO_KEYS = without('s1._domainkey.example.com');
const STRICT_GONE = mail('v=spf1 mx include:strict.example.net -all', REJECT, {
  'strict.example.net': {},
});
const SILENT = change({
  'example.com': { fail: 'timeout' },
  '_dmarc.example.com': { fail: 'timeout' },
});
const STS = {
  '_mta-sts.example.com': { TXT: ['v=STSv1; id=1'] },
  'mta-sts.example.com': { A: ['9.9.9.11'] },
} as const;

/** Release 0 finds no errors of SPF. `reported`: a selector that reports name. */
const DEFAULTS = { release: '1', reported: '' };
type Step =
  | readonly [minutes: number, records: ZoneRecords, more?: Partial<typeof DEFAULTS>]
  /** Accepts the open event of a code. */
  | readonly ['accept', code: string];

function withoutSpfErrors(examination: Examination): Examination {
  const { spf } = examination.findings;
  const report = { ...spf.report, validation_errors: [] };
  const tree = spf.tree && { ...spf.tree, errors: [], lookups: 0 };
  return { ...examination, findings: { ...examination.findings, spf: { ...spf, report, tree } } };
}

/** `opened code subject` and so on, with a reason in brackets for what is not alerted. */
async function play(
  steps: readonly Step[],
  show: (event: WatchEvent) => string = () => '',
): Promise<string[]> {
  let state: DomainState = readState('{}');
  let events: WatchEvent[] = [];
  const log: string[] = [];
  let nowMs = START;
  for (const step of steps) {
    if (step[0] === 'accept') {
      const event = events.find((one) => one.code === step[1] && one.resolvedAt === undefined);
      assert.ok(event, `no open ${step[1]}`);
      const accepted = acceptEvent(state, event);
      if (accepted === undefined) {
        log.push(`cannot accept ${event.code}`);
        continue;
      }
      state = accepted;
      events = events.map((one) =>
        one === event ? { ...event, resolvedAt: new Date(nowMs), acceptedBy: 'alice' } : one,
      );
      continue;
    }
    const [minutes, records, more] = step;
    const { release, reported } = { ...DEFAULTS, ...more };
    nowMs = START + minutes * 60_000;
    const examination = await examineDomain('example.com', {
      resolver: zone(records),
      moreSelectors: [...selectorsOf(state), reported],
      transport: {
        fetchPolicy: async () => ({ kind: 'fetched', text: POLICY, contentType: 'text/plain' }),
      },
    });
    const seen = observe(release === '0' ? withoutSpfErrors(examination) : examination);
    const judged = judgeCheck(state, seen, events, {
      nowMs,
      release,
      reportedSelectors: [reported],
    });
    // As it is stored.
    state = readState(JSON.stringify(judged.state));
    const applied = applyChanges(events, judged.changes, 'example.com', new Date(nowMs));
    events = applied.events;
    for (const { kind, event } of applied.lines) {
      const quiet = event.quiet === undefined || kind !== 'opened' ? '' : ` (${event.quiet})`;
      const source = event.source === 'check' ? '' : ' by reports';
      log.push(`${minutes} ${kind} ${event.code} ${event.subject}${quiet}${source}${show(event)}`);
    }
  }
  return log;
}

for (const [behaviour, steps, want] of [
  [
    'a domain without faults has none',
    [
      [0, GOOD],
      [DAY, GOOD],
    ],
    [],
  ],
  [
    'the first check lists what is wrong, without an alert',
    [
      [0, SPF_BROKEN],
      [DAY, SPF_BROKEN],
    ],
    ['0 opened syntax_error SPF (first_check)'],
  ],
  [
    'a finding opens when two checks ten minutes apart have it, and the change of the record is the same event',
    [
      [0, GOOD],
      [DAY, SPF_BROKEN],
      [DAY + 9, SPF_BROKEN],
      [DAY + 10, SPF_BROKEN],
    ],
    [`${DAY + 10} opened syntax_error SPF`],
  ],
  [
    'one check alone opens nothing',
    [
      [0, GOOD],
      [DAY, SPF_BROKEN],
      [DAY + 10, GOOD],
      [DAY + 20, SPF_BROKEN],
    ],
    [],
  ],
  [
    'the same holds for its end, and a repaired record need not be accepted',
    [
      [0, SPF_BROKEN],
      [DAY, GOOD],
      [DAY + 10, SPF_BROKEN],
      [DAY + 20, GOOD],
      [DAY + 30, GOOD],
    ],
    ['0 opened syntax_error SPF (first_check)', `${DAY + 30} resolved syntax_error SPF`],
  ],
  [
    'what comes back within seven days is the same event, later it is a new one',
    [
      [0, change({ 'mx.example.com': {} })],
      [DAY, GOOD],
      [DAY + 10, GOOD],
      [7 * DAY, change({ 'mx.example.com': {} })],
      [7 * DAY + 10, change({ 'mx.example.com': {} })],
      [8 * DAY, GOOD],
      [8 * DAY + 10, GOOD],
      [16 * DAY, change({ 'mx.example.com': {} })],
      [16 * DAY + 10, change({ 'mx.example.com': {} })],
    ],
    [
      '0 opened mx_target_missing mx.example.com (first_check)',
      `${DAY + 10} resolved mx_target_missing mx.example.com`,
      `${7 * DAY + 10} reopened mx_target_missing mx.example.com`,
      `${8 * DAY + 10} resolved mx_target_missing mx.example.com`,
      `${16 * DAY + 10} opened mx_target_missing mx.example.com`,
    ],
  ],
  [
    'a changed record ends when the old text returns, and a second change keeps the first',
    [
      [0, GOOD],
      [DAY, mail('v=spf1 mx a:mx.example.com -all', REJECT)],
      [DAY + 10, mail('v=spf1 mx a:mx.example.com -all', REJECT)],
      [2 * DAY, mail('v=spf1 mx ip4:192.0.2.1 -all', REJECT)],
      [2 * DAY + 10, mail('v=spf1 mx ip4:192.0.2.1 -all', REJECT)],
      [3 * DAY, GOOD],
      [3 * DAY + 10, GOOD],
    ],
    [`${DAY + 10} opened record_changed SPF`, `${3 * DAY + 10} resolved record_changed SPF`],
  ],
  [
    'a changed record ends when a person accepts it, and the next change is a new event',
    [
      [0, GOOD],
      [DAY, mail('v=spf1 mx ip4:192.0.2.1 -all', REJECT)],
      [DAY + 10, mail('v=spf1 mx ip4:192.0.2.1 -all', REJECT)],
      ['accept', 'record_changed'],
      [2 * DAY, mail('v=spf1 mx ip4:192.0.2.1 -all', REJECT)],
      [3 * DAY, GOOD],
      [3 * DAY + 10, GOOD],
    ],
    [`${DAY + 10} opened record_changed SPF`, `${3 * DAY + 10} opened record_changed SPF`],
  ],
  [
    'a finding cannot be accepted',
    [
      [0, SPF_BROKEN],
      ['accept', 'syntax_error'],
    ],
    ['0 opened syntax_error SPF (first_check)', 'cannot accept syntax_error'],
  ],
  [
    'order, case and blanks are no change',
    [
      [
        0,
        change({
          'example.com': {
            MX: [
              [10, 'mx.example.com'],
              [10, 'mx2.example.com'],
            ],
            TXT: ['v=spf1 mx -all'],
          },
          'mx2.example.com': { A: ['192.0.2.26'] },
        }),
      ],
      [
        DAY,
        change({
          'example.com': {
            MX: [
              [10, 'MX2.example.com'],
              [10, 'mx.example.com'],
            ],
            TXT: ['x', 'v=spf1  MX -all'],
          },
          'mx2.example.com': { A: ['192.0.2.26'] },
          ...dmarc('V=DMARC1;p=reject ;  rua=mailto:d@example.com;'),
        }),
      ],
      [
        DAY + 10,
        change({
          'example.com': {
            MX: [
              [10, 'mx2.example.com'],
              [10, 'mx.example.com'],
            ],
            TXT: ['v=spf1  MX -all', 'x'],
          },
          'mx2.example.com': { A: ['192.0.2.26'] },
          ...dmarc('V=DMARC1;p=reject ;  rua=mailto:d@example.com;'),
        }),
      ],
    ],
    [],
  ],
  [
    'a weaker policy is one alert, and its end is accepted or repaired',
    [
      [0, GOOD],
      [DAY, change(NONE)],
      [DAY + 10, change(NONE)],
      [2 * DAY, GOOD],
      [2 * DAY + 10, GOOD],
    ],
    [`${DAY + 10} opened policy_weaker DMARC`, `${2 * DAY + 10} resolved policy_weaker DMARC`],
  ],
  [
    'a domain that does not exist is one event, and is judged again when it exists',
    [
      [0, WORLD],
      [DAY, WORLD],
      [2 * DAY, SPF_BROKEN],
      [2 * DAY + 10, SPF_BROKEN],
    ],
    [
      '0 opened domain_not_found  (first_check)',
      `${2 * DAY} opened syntax_error SPF (first_check)`,
      `${2 * DAY + 10} resolved domain_not_found `,
    ],
  ],
  [
    'a domain that is gone is one event, and what it had is expected when it returns',
    [
      [0, change(key('s2'), STS)],
      [DAY, WORLD],
      [DAY + 10, WORLD],
      [2 * DAY, change(NONE, STS)],
      [2 * DAY + 10, change(NONE, STS)],
    ],
    [
      `${DAY + 10} opened domain_not_found `,
      `${2 * DAY + 10} resolved domain_not_found `,
      `${2 * DAY + 10} opened policy_weaker DMARC`,
      `${2 * DAY + 10} opened key_gone s2`,
    ],
  ],
  [
    'a zone that is emptied behind a domain that exists is one event, and one is left when a part returns',
    [
      [0, change(key('s2'), STS)],
      [DAY, EMPTIED],
      [DAY + 10, EMPTIED_IN_PART],
      [DAY + 2 * HOUR, EMPTIED_IN_PART],
      [DAY + 3 * HOUR, EMPTIED_IN_PART],
      [2 * DAY, change(key('s2'))],
      [2 * DAY + 10, change(key('s2'))],
      [2 * DAY + 20, change(key('s2'))],
    ],
    [
      `${DAY + 10} opened record_changed several records`,
      `${2 * DAY + 10} resolved record_changed several records`,
      `${2 * DAY + 20} opened policy_weaker MTA-STS`,
    ],
  ],
  [
    'a zone that is emptied is accepted with its keys, and what is wrong without it is one event',
    [
      [0, change(key('s2'), STS)],
      [DAY, EMPTIED],
      [DAY + 10, EMPTIED],
      ['accept', 'record_changed'],
      [2 * DAY, EMPTIED],
      [2 * DAY + 10, EMPTIED],
      [3 * DAY, EMPTIED],
    ],
    [
      `${DAY + 10} opened record_changed several records`,
      `${2 * DAY + 10} opened no_spf_record SPF`,
    ],
  ],
  [
    'records that go together are one event, and each that does not return is one of its own',
    [
      [0, change(STS, TLS_RPT)],
      [DAY, NO_DMARC],
      [DAY + 10, NO_DMARC],
      [2 * DAY, change(TLS_RPT)],
      [2 * DAY + 10, change(TLS_RPT)],
      [2 * DAY + 20, change(TLS_RPT)],
    ],
    [
      `${DAY + 10} opened record_changed several records`,
      `${2 * DAY + 10} resolved record_changed several records`,
      `${2 * DAY + 20} opened policy_weaker MTA-STS`,
    ],
  ],
  [
    'the records of one name that is deleted are one event',
    [
      [0, GOOD],
      [DAY, APEX_EMPTIED],
      [DAY + 10, APEX_EMPTIED],
    ],
    [`${DAY + 10} opened record_changed several records`],
  ],
  [
    'records that go one after another are events of their own',
    [
      [0, change(STS, TLS_RPT)],
      [DAY, change(STS)],
      [DAY + 10, change(STS)],
      [2 * DAY, GOOD],
      [2 * DAY + 10, GOOD],
      [3 * DAY, NO_DMARC],
      [3 * DAY + 10, NO_DMARC],
    ],
    [
      `${DAY + 10} opened record_changed TLS-RPT`,
      `${2 * DAY + 10} opened policy_weaker MTA-STS`,
      `${3 * DAY + 10} opened no_dmarc_record DMARC`,
    ],
  ],
  [
    'a zone that is replaced is one event, and what it had is not missed when the old one returns',
    [
      [0, GOOD],
      [DAY, TAKEN_OVER],
      [DAY + 10, TAKEN_OVER],
      [2 * DAY, GOOD],
      [2 * DAY + 10, GOOD],
      [2 * DAY + 20, GOOD],
    ],
    [
      `${DAY + 10} opened record_changed several records`,
      `${2 * DAY + 10} resolved record_changed several records`,
    ],
  ],
  [
    'a revoked key is gone until a person accepts it, and one that was always revoked is nothing',
    [
      [0, change(key('s2'), key('s3', 'v=DKIM1; p='))],
      [DAY, change(key('s2', 'v=DKIM1; p='))],
      [DAY + 10, change(key('s2', 'v=DKIM1; p='))],
      ['accept', 'key_gone'],
      [2 * DAY, GOOD],
      [2 * DAY + 10, GOOD],
    ],
    [`${DAY + 10} opened key_gone s2`],
  ],
  [
    'an Ed25519 key is not shorter than an RSA key, and is expected from then on',
    [
      [0, change(key('s1', LONG_KEY))],
      [DAY, change(key('s1', ED25519))],
      [DAY + 10, change(key('s1', ED25519))],
      [2 * DAY, GOOD],
      [2 * DAY + 10, GOOD],
      [3 * DAY, change(key('s1', KEYS.weak))],
      [3 * DAY + 10, change(key('s1', KEYS.weak))],
    ],
    [`${3 * DAY + 10} opened record_changed s1`],
  ],
  [
    'a policy that is not fetched is alerted with its cause, not as a weaker policy',
    [
      [0, change(STS)],
      [DAY, change(STS, { 'mta-sts.example.com': {} })],
      [DAY + 10, change(STS, { 'mta-sts.example.com': {} })],
    ],
    [`${DAY + 10} opened policy_host_missing mta-sts.example.com`],
  ],
  [
    'all faults of one change are one event, and what is left after its repair is the next',
    [
      [0, GOOD],
      [DAY, TWO_FAULTS],
      [DAY + 10, TWO_FAULTS],
      [2 * DAY, mail('v=spf1 mx include:gone.example -all', REJECT)],
      [2 * DAY + 10, mail('v=spf1 mx include:gone.example -all', REJECT)],
      [2 * DAY + 20, mail('v=spf1 mx include:gone.example -all', REJECT)],
      [3 * DAY, mail('v=spf1 mx ip4:192.0.2.9 -all', REJECT)],
      [3 * DAY + 10, mail('v=spf1 mx ip4:192.0.2.9 -all', REJECT)],
      [4 * DAY, mail('v=spf1 mx ip4:192.0.2.9 -all', REJECT)],
    ],
    [
      `${DAY + 10} opened syntax_error SPF`,
      `${2 * DAY + 10} resolved syntax_error SPF`,
      `${2 * DAY + 20} opened include_not_found include:gone.example`,
      `${3 * DAY + 10} resolved include_not_found include:gone.example`,
    ],
  ],
  [
    'a changed record that is open stays so when another fault of it ends',
    [
      [0, GOOD],
      [DAY, mail('v=spf1 mx include:strict.example.net -all', REJECT)],
      [DAY + 10, mail('v=spf1 mx include:strict.example.net -all', REJECT)],
      [2 * DAY, STRICT_GONE],
      [2 * DAY + 10, STRICT_GONE],
      [3 * DAY, mail('v=spf1 mx include:strict.example.net -all', REJECT)],
      [3 * DAY + 10, mail('v=spf1 mx include:strict.example.net -all', REJECT)],
      [4 * DAY, mail('v=spf1 mx include:strict.example.net -all', REJECT)],
      [4 * DAY + 10, mail('v=spf1 mx include:strict.example.net -all', REJECT)],
    ],
    [
      `${DAY + 10} opened record_changed SPF`,
      `${2 * DAY + 10} opened include_not_found include:strict.example.net`,
      `${3 * DAY + 10} resolved include_not_found include:strict.example.net`,
    ],
  ],
  [
    'a weak policy in place of none is an event of its own',
    [
      [0, GOOD],
      [DAY, NO_DMARC],
      [DAY + 10, NO_DMARC],
      [2 * DAY, change(NONE)],
      [2 * DAY + 10, change(NONE)],
      [2 * DAY + 20, change(NONE)],
    ],
    [
      `${DAY + 10} opened no_dmarc_record DMARC`,
      `${2 * DAY + 10} resolved no_dmarc_record DMARC`,
      `${2 * DAY + 20} opened policy_weaker DMARC`,
    ],
  ],
  [
    'an MX host that the policy does not name is one event with the change of the MX record',
    [
      [0, change(STS)],
      [DAY, change(STS, SECOND, { 'example.com': OTHER_MX })],
      [DAY + 10, change(STS, SECOND, { 'example.com': OTHER_MX })],
      [2 * DAY, change(STS)],
      [2 * DAY + 10, change(STS)],
    ],
    [
      `${DAY + 10} opened policy_without_host mx2.example.com`,
      `${2 * DAY + 10} resolved policy_without_host mx2.example.com`,
    ],
  ],
  [
    'what waits behind an event is accepted with it',
    [
      [0, GOOD],
      [DAY, change(NONE)],
      [DAY + 10, change(NONE)],
      ['accept', 'policy_weaker'],
      [2 * DAY, change(NONE)],
      [2 * DAY + 10, change(NONE)],
    ],
    [`${DAY + 10} opened policy_weaker DMARC`],
  ],
  [
    'what two records have lost are two events',
    [
      [0, GOOD],
      [DAY, change(NO_SPF, NONE)],
      [DAY + 10, change(NO_SPF, NONE)],
    ],
    [`${DAY + 10} opened no_spf_record SPF`, `${DAY + 10} opened policy_weaker DMARC`],
  ],
  [
    'keys that go together are one event',
    [
      [0, change(key('s2'))],
      [DAY, NO_KEYS],
      [DAY + 10, NO_KEYS],
      [2 * DAY, change(key('s2'))],
      [2 * DAY + 10, change(key('s2'))],
    ],
    [`${DAY + 10} opened key_gone s1`, `${2 * DAY + 10} resolved key_gone s1`],
  ],
  [
    'a host that fails during an upgrade is alerted',
    [
      [0, GOOD, { release: '0' }],
      [DAY, change({ 'mx.example.com': {} })],
      [DAY + 10, change({ 'mx.example.com': {} })],
    ],
    [`${DAY + 10} opened mx_target_missing mx.example.com`],
  ],
  [
    'mail that is no longer taken is a changed record',
    [
      [0, GOOD],
      [DAY, change(NO_MAIL)],
      [DAY + 10, change(NO_MAIL)],
      ['accept', 'record_changed'],
      [2 * DAY, change(NO_MAIL)],
      [3 * DAY, GOOD],
      [3 * DAY + 10, GOOD],
    ],
    [`${DAY + 10} opened record_changed MX`, `${3 * DAY + 10} opened record_changed MX`],
  ],
  [
    'a removed policy is one alert, which says that there is none',
    [
      [0, GOOD],
      [DAY, without('_dmarc.example.com')],
      [DAY + 10, without('_dmarc.example.com')],
    ],
    [`${DAY + 10} opened no_dmarc_record DMARC`],
  ],
  [
    'a stronger policy is what is expected from then on',
    [
      [0, change(NONE)],
      [DAY, GOOD],
      [2 * DAY, change(NONE)],
      [2 * DAY + 10, change(NONE)],
    ],
    [`${2 * DAY + 10} opened policy_weaker DMARC`],
  ],
  [
    'a selector that reports named stays in the queries',
    [
      [0, change(key('our-own-2026')), { reported: 'our-own-2026' }],
      [DAY, change(key('our-own-2026'))],
      [2 * DAY, GOOD],
      [2 * DAY + 10, GOOD],
      [3 * DAY, change(key('our-own-2026'))],
      [3 * DAY + 10, change(key('our-own-2026'))],
    ],
    [
      `${2 * DAY + 10} opened key_gone our-own-2026 by reports`,
      `${3 * DAY + 10} resolved key_gone our-own-2026 by reports`,
    ],
  ],
  [
    'what a new release is the first to find in the same record is not alerted',
    [
      [0, SPF_BROKEN, { release: '0' }],
      [DAY, SPF_BROKEN],
      [DAY + 10, SPF_BROKEN],
    ],
    [`${DAY} opened syntax_error SPF (new_release)`],
  ],
  [
    'a record that changes during an upgrade is alerted',
    [
      [0, GOOD, { release: '0' }],
      [DAY, SPF_BROKEN],
      [DAY + 10, SPF_BROKEN],
    ],
    [`${DAY + 10} opened syntax_error SPF`],
  ],
  [
    'the key of a common selector that goes is an event until a person accepts it',
    [
      [0, change(key('s2'))],
      [DAY, GOOD],
      [DAY + 10, GOOD],
      [2 * DAY, GOOD],
      ['accept', 'key_gone'],
      [3 * DAY, GOOD],
      [3 * DAY + 10, GOOD],
    ],
    [`${DAY + 10} opened key_gone s2`],
  ],
  [
    'a key that is replaced by one of the same length is no event, a shorter one is',
    [
      [0, change(key('s1', KEYS.strong))],
      [DAY, change(key('s1', KEYS.strong.replace('k=rsa; ', '')))],
      [DAY + 10, change(key('s1', KEYS.strong.replace('k=rsa; ', '')))],
      [2 * DAY, change(key('s1', KEYS.weak))],
      [2 * DAY + 10, change(key('s1', KEYS.weak))],
    ],
    [`${2 * DAY + 10} opened record_changed s1`],
  ],
  [
    'a check without an answer changes nothing, and is an event after a day',
    [
      [0, SPF_BROKEN],
      [DAY, SILENT],
      ...Array.from({ length: 23 }, (_, i): Step => [DAY + (i + 1) * HOUR, SILENT]),
      [2 * DAY - 1, SILENT],
      [2 * DAY, SILENT],
      [2 * DAY + HOUR, SPF_BROKEN],
      [2 * DAY + HOUR + 10, SPF_BROKEN],
    ],
    [
      '0 opened syntax_error SPF (first_check)',
      `${2 * DAY} opened dns_unavailable `,
      `${2 * DAY + HOUR + 10} resolved dns_unavailable `,
    ],
  ],
  [
    'what did not answer hides nothing of the other records',
    [
      [0, GOOD],
      [DAY, change(NONE, { 'mx.example.com': { fail: 'timeout' } })],
      [DAY + HOUR, change(NONE, { 'mx.example.com': { fail: 'timeout' } })],
    ],
    [`${DAY + HOUR} opened policy_weaker DMARC`],
  ],
  [
    'a first check that is not answered is made up for, without an alert',
    [
      [0, SILENT],
      [HOUR, SPF_BROKEN],
      [2 * HOUR, SPF_BROKEN],
    ],
    [`${HOUR} opened syntax_error SPF (first_check)`],
  ],
  [
    'protection that a domain never had is no event, but its loss is',
    [
      [0, GOOD],
      [DAY, change(STS)],
      [DAY + 10, change(STS)],
      ['accept', 'record_changed'],
      [2 * DAY, GOOD],
      [2 * DAY + 10, GOOD],
    ],
    [`${DAY + 10} opened record_changed MTA-STS`, `${2 * DAY + 10} opened policy_weaker MTA-STS`],
  ],
] as const satisfies readonly (readonly [string, readonly Step[], readonly string[]])[])
  test(`events: ${behaviour}`, async () => assert.deepEqual(await play(steps), want));

for (const [behaviour, records, want] of [
  [
    'is changed',
    mail('v=spf1 mx a -all', REJECT),
    'The SPF record was changed: "v=spf1 mx a -all". If the change is yours, accept it; otherwise publish the old record again: "v=spf1 mx -all".',
  ],
  [
    'is removed',
    NO_DMARC,
    'DMARC: there is none at _dmarc.example.com or above it. If the change is not yours, publish the old record again: "v=DMARC1; p=reject; rua=mailto:d@example.com". Anyone can send',
  ],
  [
    'has a weaker policy',
    change(NONE),
    'The policy of DMARC is weaker than before: none instead of reject. If the change is yours, accept it; otherwise publish the old record again: "v=DMARC1; p=reject; rua=mailto:d@example.com".',
  ],
] as const)
  test(`events: a record that ${behaviour} is shown with the old one`, async () => {
    const steps = [0, DAY, DAY + 10].map((at): Step => [at, at === 0 ? GOOD : records]);
    const [line = ''] = await play(steps, ({ sentence, act }) => `> ${sentence}. ${act}`);
    assert.equal(line.split('> ')[1]?.slice(0, want.length), want);
  });

for (const [reason, isUnanswered] of [
  ['mta-sts.certificates.example does not answer', true],
  ['mta-sts.certificates.example refused the connection', true],
  ['the certificate of mta-sts.certificates.example has expired', false],
  ['the server answered 404 Not Found', false],
] as const)
  test(`a policy that is not fetched: ${reason}`, () => {
    const url = 'https://mta-sts.certificates.example/.well-known/mta-sts.txt';
    const finding = { code: 'policy_not_fetched', detail: { url, reason } } as const;
    assert.equal(hasNoAnswer(finding), isUnanswered);
  });

const checks = (...answered: readonly [minutesAgo: number, isAnswered: boolean][]) =>
  answered.map(([minutesAgo, isAnswered]) => ({
    at: new Date(START - minutesAgo * 60_000),
    isAnswered,
  }));

for (const [behaviour, made, want] of [
  ['no checks', checks(), false],
  ['one domain that does not answer', checks([1, false]), false],
  ['two of five', checks([1, false], [2, false], [90, true], [100, true], [110, true]), true],
  [
    'a fifth of an hour',
    checks(...Array.from({ length: 10 }, (_, i): [number, boolean] => [i, i > 1])),
    false,
  ],
  [
    'more than a fifth of an hour',
    checks(...Array.from({ length: 9 }, (_, i): [number, boolean] => [i, i > 1])),
    true,
  ],
  [
    'failures of earlier hours',
    checks([1, true], [2, true], [3, true], [4, true], [5, true], [61, false], [62, false]),
    false,
  ],
] as const)
  test(`checker unreachable: ${behaviour}`, () =>
    assert.equal(unreachable(made, START).length === 1, want));

test('a name that anyone could register is repaired in the record that refers to it', async () => {
  const records = mail(
    'v=spf1 mx -all',
    dmarc('v=DMARC1; p=reject; rua=mailto:d@gone-reports.com'),
  );
  const examination = await examineDomain('example.com', { resolver: zone(records) });
  const found = observe(examination).findings.find(({ code }) => code === 'takeover');
  assert.equal(found?.part, 'dmarc');
  assert.match(found.act, /^Change the DMARC record /);
});

test('a risk says what is wrong, and its act what to do', async () => {
  const records = mail('v=spf1 +all', dmarc('v=DMARC1; p=reject; rua=mailto:d@example.com'));
  const examination = await examineDomain('example.com', { resolver: zone(records) });
  const found = observe(examination).findings.find(({ code }) => code === 'anyone_can_send');
  assert.match(found?.sentence ?? '', /^Anyone can send mail as example\.com: [^.]+\.$/);
  assert.match(found?.act ?? '', /^Name the servers that send/);
});

test('events of the deployment open and end at once', () => {
  const [condition] = unreachable(checks([1, false], [2, false]), START);
  assert.ok(condition);
  const opened = judgeDeployment([condition], [], START);
  const { events } = applyChanges([], opened, '', new Date(START));
  assert.deepEqual(
    events.map(({ code, quiet }) => [code, quiet]),
    [['checker_unreachable', undefined]],
  );
  const ended = judgeDeployment([], events, START + 60_000);
  assert.deepEqual(ended.resolved, [events[0]?.id]);
});

test('checks are spread over the day by name, one a day', () => {
  const times = Array.from({ length: 1_000 }, (_, i) => nextCheckMs(`d${i}.example`, START));
  assert.ok(times.every((ms) => ms > START && ms <= START + 86_400_000));
  const hours = new Set(times.map((ms) => Math.floor((ms - START) / 3_600_000)));
  assert.equal(hours.size, 24);
  const [first = 0] = times;
  assert.equal(nextCheckMs('d0.example', first), first + 86_400_000);
});
