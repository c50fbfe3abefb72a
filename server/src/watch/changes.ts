/** What is published, compared with what is expected. */
import { excerpt } from '@whence/email/visible-text';
import {
  comparable,
  isShorterKey,
  type Observation,
  PARTS,
  type Part,
  POLICIES,
  type PolicyName,
  type Published,
} from './observation.ts';
import { CONFIRM_MS, type Condition } from './settle.ts';

const ACCEPT = 'If the change is yours, accept it';
const COMMON = { source: 'check', opensAfterMs: CONFIRM_MS } as const;
/** Everything that is published: known if all of its parts have answered. */
export const ZONE = 'zone';

/** Characters of a record in a sentence. */
const MAX_QUOTED = 300;
/** Records that go together have one cause; fewer may be a coincidence. */
const MANY = 3;

/**
 * A zone that was emptied or replaced, or a name that was deleted with its records; with the parts
 * that it explains. `explained`: those with an event of their own, which were lost before.
 */
export function lostRecords(
  { records, keys }: Published,
  { answered, published, unusableKeys }: Observation,
  explained: readonly (string | undefined)[],
): { readonly condition: Condition; readonly parts: readonly string[] } | undefined {
  const selectors = Object.keys(keys);
  const had = keysOf(PARTS).filter(
    (part) =>
      answered.has(part) &&
      !explained.includes(part) &&
      (part === 'dkim' ? selectors.length > 0 : records[part]),
  );
  const hasKey = selectors.some((name) => published.keys[name] || unusableKeys.has(name));
  const gone = had.filter((part) => (part === 'dkim' ? !hasKey : published.records[part] === ''));
  const isReplaced =
    gone.length > 1 &&
    had.every((part) => gone.includes(part) || isChanged(part, records, published.records));
  if (!isReplaced && gone.length < MANY && !(gone.includes('mx') && gone.includes('spf')))
    return undefined;
  const lost = isReplaced ? had : gone;
  const textOf = (from: Published['records']) =>
    lost.flatMap((part) => from[part] || []).join('\n');
  const condition: Condition = {
    ...COMMON,
    part: ZONE,
    code: 'record_changed',
    subject: 'several records',
    severity: 'high',
    sentence: `Records of its mail were removed${isReplaced ? ' or replaced, and none is left' : ''}: ${lost.map((part) => PARTS[part]).join(', ')}`,
    act: `${ACCEPT}; otherwise see that its zone and name servers are yours, and publish the records again.`,
    oldText: textOf(records),
    newText: textOf(published.records),
  };
  return { condition, parts: isReplaced ? keysOf(PARTS) : gone };
}

function isChanged(part: Part, old: Published['records'], now: Published['records']): boolean {
  return comparable(old[part] ?? '') !== comparable(now[part] ?? '');
}

/** What to do about a part whose record is not the expected one; empty for another part. */
export function restoringAct(part: string, expected: Published, published: Published): string {
  const oldText = expected.records[part as Part];
  return oldText && isChanged(part as Part, expected.records, published.records)
    ? `publish the old record again: ${quoted(oldText)}`
    : '';
}

function quoted(record: string): string {
  return `"${excerpt(record.replaceAll('\n', ', '), MAX_QUOTED)}"`;
}

export function changedRecords(
  expected: Published,
  { answered, published }: Observation,
): Condition[] {
  return keysOf(PARTS).flatMap((part): Condition[] => {
    const oldText = expected.records[part];
    const newText = published.records[part];
    if (oldText === undefined || newText === undefined || !answered.has(part)) return [];
    if (!isChanged(part, expected.records, published.records)) return [];
    const isMinor = oldText === '' || part === 'tls_rpt' || part === 'bimi';
    return [
      {
        ...COMMON,
        part,
        change: 'record',
        code: 'record_changed',
        subject: PARTS[part],
        severity: isMinor ? 'low' : 'medium',
        sentence: `The ${PARTS[part]} record was ${verbOf(oldText, newText)}`,
        act: `${ACCEPT}; otherwise ${restoringAct(part, expected, published) || 'remove it again'}.`,
        oldText,
        newText,
      },
    ];
  });
}

function verbOf(oldText: string, newText: string): string {
  if (newText === '') return 'removed';
  return `${oldText === '' ? 'published' : 'changed'}: ${quoted(newText)}`;
}

export function weakerPolicies(
  expected: Published,
  { answered, published }: Observation,
): Condition[] {
  const weaker = keysOf(POLICIES).filter((name) => {
    const level = published.policies[name]?.level ?? 0;
    return answered.has(POLICIES[name].part) && level < (expected.policies[name]?.level ?? level);
  });
  return weaker
    .filter((name) => name !== 'DMARC of subdomains' || !weaker.includes('DMARC'))
    .map((name) => {
      const oldText = expected.policies[name]?.words ?? '';
      const newText = published.policies[name]?.words ?? '';
      return {
        ...COMMON,
        ...POLICIES[name],
        change: 'policy',
        code: 'policy_weaker',
        subject: name,
        sentence: `The policy of ${name} is weaker than before: ${newText} instead of ${oldText}`,
        act: `${ACCEPT}; otherwise ${restoringAct(POLICIES[name].part, expected, published) || 'restore it'}.`,
        oldText,
        newText,
      };
    });
}

/** `reported`: selectors that only reports have named. What makes a key unusable is a finding. */
export function changedKeys(
  expected: Published,
  { answered, published, unusableKeys }: Observation,
  reported: readonly string[],
): Condition[] {
  if (!answered.has('dkim')) return [];
  const hasKey = Object.keys(published.keys).length > 0;
  return Object.entries(expected.keys).flatMap(([selector, old]): Condition[] => {
    const common = {
      ...COMMON,
      part: 'dkim',
      subject: selector,
      source: reported.includes(selector) ? 'reports' : 'check',
      oldText: old.words,
    } as const;
    const key = published.keys[selector];
    if (key === undefined && unusableKeys.has(selector)) return [];
    if (key === undefined)
      return [
        {
          ...common,
          // If none is left, all have gone for one reason.
          ...(!hasKey && { change: 'policy' as const }),
          code: 'key_gone',
          severity: hasKey ? 'medium' : 'high',
          sentence: `The DKIM key of selector ${selector} is gone or revoked${hasKey ? '' : ', and no other key is left'}: mail that is signed with it fails DKIM`,
          act: 'Publish the key again, or accept its end if nothing signs with it any more.',
        },
      ];
    if (!isShorterKey(key, old)) return [];
    return [
      {
        ...common,
        code: 'record_changed',
        severity: 'medium',
        sentence: `The DKIM key of selector ${selector} was replaced by a shorter one: ${key.words} instead of ${old.words}`,
        act: `${ACCEPT}; otherwise publish the old key again.`,
        newText: key.words,
      },
    ];
  });
}

/** In the order of their declaration. */
function keysOf<Key extends Part | PolicyName>(values: Readonly<Record<Key, unknown>>): Key[] {
  return Object.keys(values) as Key[];
}
