/**
 * What is remembered of a domain between its checks: what is expected to be published (by the first
 * check, until something stronger is published or a person accepts something else), and what is
 * wrong in comparison.
 */
import { DAY_MS } from '../day.ts';
import type { Quiet, WatchEvent } from '../storage/stores/watch-event-store.ts';
import type { AcceptableEvent } from '../vocabulary.ts';
import {
  changedKeys,
  changedRecords,
  lostRecords,
  restoringAct,
  weakerPolicies,
  ZONE,
} from './changes.ts';
import {
  isShorterKey,
  NOTHING,
  type Observation,
  type ObservedFinding,
  PARTS,
  POLICIES,
  type PolicyName,
  type Published,
  type Strength,
} from './observation.ts';
import { acceptReported, REPORTS, type ReportedEvents, type ReportState } from './report-events.ts';
import {
  CONFIRM_MS,
  type Condition,
  keyOf,
  type Settled,
  settle,
  subjectOf,
  type Tracked,
  trackedBehind,
} from './settle.ts';

/** Selectors of a domain that stay in the queries. */
const MAX_SELECTORS = 50;
/** A domain that does not answer for as long has an event. */
const UNANSWERED_MS = DAY_MS;
/** What is not part of a record, and is known from every check. */
const ANSWERS = 'answers';

type SeenPart = { readonly digest: string; readonly release: string };

export type DomainState = {
  readonly expected: Published;
  /** By the last check, which becomes what is expected when a person accepts it. */
  readonly current: Published;
  /** Selectors that only reports have named: who may not read reports does not see them. */
  readonly reported: readonly string[];
  /** What was judged of each part at its last answered check, and by which release. */
  readonly seen: Readonly<Record<string, SeenPart>>;
  readonly tracked: Tracked;
  /** What is remembered of its reports. */
  readonly reports?: ReportState | undefined;
};

const EMPTY: DomainState = {
  expected: NOTHING,
  current: NOTHING,
  reported: [],
  seen: {},
  tracked: {},
};

/** Written by `JSON.stringify`. */
export function readState(text: string): DomainState {
  return { ...EMPTY, ...(JSON.parse(text) as Partial<DomainState>) };
}

/** To be queried at every check. */
export function selectorsOf({ expected }: DomainState): string[] {
  return Object.keys(expected.keys).slice(0, MAX_SELECTORS);
}

type CheckContext = {
  readonly nowMs: number;
  readonly release: string;
  readonly reportedSelectors?: readonly string[];
  /** Undefined where reports say nothing new. */
  readonly reports?: ReportedEvents | undefined;
};
type JudgedCheck = Pick<Settled, 'changes' | 'repeatAfterMs'> & { readonly state: DomainState };

/** The events that follow from a check of a domain. */
export function judgeCheck(
  before: DomainState,
  observation: Observation,
  events: readonly WatchEvent[],
  { nowMs, release, reportedSelectors = [], reports }: CheckContext,
): JudgedCheck {
  const { answered, published, digests } = observation;
  const learned = expectedBy(before, observation);
  const explained = events
    .filter(({ resolvedAt }) => resolvedAt === undefined)
    .map((event) => before.tracked[keyOf(event)]?.part);
  const lost = lostRecords(before.expected, observation, explained);
  // What a zone has that was replaced need not stay when the old one returns.
  const expected = lost ? { ...before.expected, records: learned.records } : learned;
  const newlyReported = reportedSelectors.filter(
    (selector) => published.keys[selector] && before.expected.keys[selector] === undefined,
  );
  const reported = [...new Set([...before.reported, ...newlyReported])];
  const ofRecords: Condition[] = [
    ...findingConditions({ ...before, expected, reported }, observation, release),
    ...changedRecords(expected, observation),
    ...weakerPolicies(expected, observation),
    ...changedKeys(expected, observation, reported),
  ];
  const { tracked, changes, repaired, repeatAfterMs } = settle({
    conditions: [
      ...(lost ? [lost.condition] : []),
      ...ofRecords.map((condition) =>
        lost?.parts.includes(condition.follows ?? condition.part)
          ? { ...condition, follows: ZONE }
          : condition,
      ),
      ...unansweredCondition(observation),
      ...(reports?.conditions ?? []),
    ],
    isKnown: (part) =>
      part === ANSWERS ||
      answered.has(part) ||
      (part === ZONE && Object.keys(PARTS).every((name) => answered.has(name))) ||
      (part === REPORTS && reports !== undefined),
    tracked: before.tracked,
    events,
    nowMs,
    // Reports are judged once a day, and agree on two days already.
    endsAfterMs: (part) => (part === REPORTS ? 0 : CONFIRM_MS),
  });
  const current = takeParts(before.current, published, answered);
  const seen = Object.fromEntries(
    [...answered].map((part) => [part, { digest: digests[part] ?? '', release }]),
  );
  return {
    changes,
    repeatAfterMs,
    state: {
      expected: { ...expected, records: takeParts(expected, current, repaired).records },
      current,
      reported,
      seen: { ...before.seen, ...seen },
      tracked,
      reports: reports?.state ?? before.reports,
    },
  };
}

/**
 * The state after a person has accepted an event; undefined for one that ends when what is wrong is
 * repaired.
 */
export function acceptEvent(
  state: DomainState,
  { code, subject }: Pick<WatchEvent, 'code' | 'subject'>,
): DomainState | undefined {
  const key = keyOf({ code, subject });
  const { [key]: _, ...tracked } = state.tracked;
  const { expected, current } = state;
  // The dashboard offers it for these.
  switch (code as AcceptableEvent) {
    case 'record_changed':
    case 'policy_weaker':
    case 'key_gone': {
      const accepted = trackedBehind(state.tracked, new Set([key]));
      const parts = new Set(accepted.map(([, { part }]) => part));
      const selectors = accepted
        .filter(([, { part }]) => part === 'dkim')
        .map(([tracking]) => subjectOf(tracking));
      const { records, policies } = takeParts(expected, current, parts);
      const keys = takeKeys(expected.keys, current.keys, new Set(selectors));
      return { ...state, tracked, expected: { records, policies, keys } };
    }
    case 'new_sender':
    case 'reporter_silent':
    case 'verdict_changed':
      return {
        ...state,
        tracked,
        reports: state.reports && acceptReported(state.reports, code, subject),
      };
    default:
      return undefined;
  }
}

/** With some parts of another one. */
function takeParts(
  to: Published,
  { records, policies, keys }: Published,
  parts: ReadonlySet<string>,
): Published {
  const isTaken = (part: string) => parts.has(part);
  const isTakenPolicy = (name: string) => parts.has(POLICIES[name as PolicyName].part);
  return {
    records: { ...to.records, ...onlyOf(records, isTaken) },
    policies: { ...to.policies, ...onlyOf(policies, isTakenPolicy) },
    keys: parts.has('dkim') ? keys : to.keys,
  };
}

function takeKeys(
  to: Published['keys'],
  from: Published['keys'],
  selectors: ReadonlySet<string>,
): Published['keys'] {
  const isTaken = (selector: string) => selectors.has(selector);
  return { ...onlyOf(to, (selector) => !isTaken(selector)), ...onlyOf(from, isTaken) };
}

function onlyOf<Value>(
  values: Readonly<Record<string, Value>>,
  isWanted: (key: string, value: Value) => boolean,
): Record<string, Value> {
  return Object.fromEntries(Object.entries(values).filter(([key, value]) => isWanted(key, value)));
}

/** What is there for the first time, and what is stronger than before. */
function expectedBy(
  { expected, seen }: DomainState,
  { answered, published }: Observation,
): Published {
  const isStronger = ({ level }: Strength, known: Strength | undefined) =>
    known === undefined || level > known.level;
  return {
    records: {
      ...expected.records,
      ...onlyOf(published.records, (part) => answered.has(part) && seen[part] === undefined),
    },
    policies: {
      ...expected.policies,
      ...onlyOf(published.policies, (name, policy) => {
        const { part } = POLICIES[name as PolicyName];
        return answered.has(part) && isStronger(policy, expected.policies[name as PolicyName]);
      }),
    },
    keys: {
      ...expected.keys,
      ...onlyOf(published.keys, (selector, key) => !isShorterKey(key, expected.keys[selector])),
    },
  };
}

function findingConditions(
  state: DomainState,
  observation: Observation,
  release: string,
): Condition[] {
  return observation.findings
    .filter(({ part }) => observation.answered.has(part))
    .map((finding) => {
      const restoring = restoringAct(finding.part, state.expected, observation.published);
      return {
        ...finding,
        act: (restoring && `If the change is not yours, ${restoring}. `) + finding.act,
        source: state.reported.includes(finding.subject.toLowerCase()) ? 'reports' : 'check',
        opensAfterMs: CONFIRM_MS,
        quiet: quietOf(state, finding, observation, release),
      };
    });
}

function quietOf(
  { seen, tracked }: DomainState,
  finding: ObservedFinding,
  { digests }: Observation,
  release: string,
): Quiet | undefined {
  const { part } = finding;
  const last = seen[part];
  if (last === undefined) return 'first_check';
  const isSame = last.digest === digests[part] && tracked[keyOf(finding)] === undefined;
  // Only the release that judges it has changed.
  return isSame && last.release !== release ? 'new_release' : undefined;
}

function unansweredCondition({ unanswered }: Observation): Condition[] {
  const [reason] = unanswered.values();
  if (reason === undefined) return [];
  const parts = [...unanswered.keys()].map((part) => PARTS[part]).join(', ');
  return [
    {
      part: ANSWERS,
      code: 'dns_unavailable',
      subject: '',
      source: 'check',
      severity: 'high',
      sentence: `Nothing is known of ${parts} for a day, because there is no answer: ${reason}`,
      act: 'Ask the operator of the name servers, or of the server that is named, to look at it.',
      opensAfterMs: UNANSWERED_MS,
    },
  ];
}
