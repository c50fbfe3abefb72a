/**
 * What each flag is decided from. A flag that no source of a dataset knows is false everywhere, which must not be taken
 * for "it is not": the embedded default has no list of public proxies, and its table of Tor exits is of a past date.
 */
import { ageOfDay } from './data-age.ts';
import { FLAG_FACTS, FLAG_SUBJECTS, type FlagSources, type FlagSubject } from './record.ts';

const SHORT_LIVED = FLAG_SUBJECTS.filter((subject) => subject === 'blocklists' || FLAG_FACTS[subject].isShortLived);

/** Flags that are false everywhere because no source knows them. */
export function unknownFlags(flags: FlagSources): FlagSubject[] {
  return FLAG_SUBJECTS.filter((subject) => flags[subject].from === 'none');
}

/** Flags whose addresses change from day to day, and that are from tables of a past date. */
export function datedFlags(flags: FlagSources): FlagSubject[] {
  return SHORT_LIVED.filter((subject) => flags[subject].from === 'tables');
}

const OLD_SECONDS = 30 * 86_400;

/** Those, and flags of that kind whose lists have not been renewed for a month. */
export function agedFlags(flags: FlagSources, nowMs: number): FlagSubject[] {
  const dated = datedFlags(flags);
  return SHORT_LIVED.filter((subject) => {
    const { from, as_of } = flags[subject];
    return dated.includes(subject) || (from !== 'none' && (ageOfDay(as_of, nowMs) ?? 0) >= OLD_SECONDS);
  });
}
