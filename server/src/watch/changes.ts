/** What is published, compared with what is expected. */
import {
  comparable,
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

/** A zone that was emptied behind a domain that still exists: what it has lost has one cause. */
export function emptiedZone(
  expected: Published,
  { answered, published, unusableKeys }: Observation,
): Condition[] {
  const hasKeys = Object.keys(expected.keys).length > 0;
  const removed = keysOf(PARTS).filter(
    (part) => answered.has(part) && (expected.records[part] || (part === 'dkim' && hasKeys)),
  );
  const isGone = (part: Part) =>
    part === 'dkim'
      ? Object.keys(published.keys).length + unusableKeys.size === 0
      : published.records[part] === '';
  if (removed.length < 2 || !removed.every(isGone)) return [];
  const names = removed.map((part) => PARTS[part]).join(', ');
  return [
    {
      ...COMMON,
      part: ZONE,
      code: 'record_changed',
      subject: 'all records',
      severity: 'high',
      sentence: `All records of its mail were removed: ${names}`,
      act: `${ACCEPT}; otherwise publish the zone again.`,
      oldText: Object.values(expected.records).filter(Boolean).join('\n'),
      newText: '',
    },
  ];
}

export function changedRecords(
  expected: Published,
  { answered, published }: Observation,
): Condition[] {
  return keysOf(PARTS).flatMap((part): Condition[] => {
    const oldText = expected.records[part];
    const newText = published.records[part];
    if (oldText === undefined || newText === undefined || !answered.has(part)) return [];
    if (comparable(oldText) === comparable(newText)) return [];
    return [
      {
        ...COMMON,
        part,
        change: 'record',
        code: 'record_changed',
        subject: PARTS[part],
        severity: oldText === '' ? 'low' : 'medium',
        sentence: `The ${PARTS[part]} record was ${verbOf(oldText, newText)}`,
        act: `${ACCEPT}; otherwise ${oldText === '' ? 'remove it' : 'publish the old record'} again.`,
        oldText,
        newText,
      },
    ];
  });
}

function verbOf(oldText: string, newText: string): string {
  if (oldText === '') return 'published';
  return newText === '' ? 'removed' : 'changed';
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
        act: `${ACCEPT}; otherwise publish the old policy again.`,
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
  return Object.entries(expected.keys).flatMap(([selector, { level, words }]): Condition[] => {
    const common = {
      ...COMMON,
      part: 'dkim',
      subject: selector,
      source: reported.includes(selector) ? 'reports' : 'check',
      oldText: words,
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
          sentence: `The DKIM key of selector ${selector} is gone${hasKey ? '' : ', and no other key is left'}: mail that is signed with it fails DKIM`,
          act: 'Publish the key again, or accept its end if nothing signs with it any more.',
        },
      ];
    if (key.level >= level) return [];
    return [
      {
        ...common,
        code: 'record_changed',
        severity: 'medium',
        sentence: `The DKIM key of selector ${selector} was replaced by a shorter one: ${key.words} instead of ${words}`,
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
