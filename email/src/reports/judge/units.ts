/**
 * Units of a verdict: an own server, or the mail of one name in From at one provider. What a unit
 * loses is compared with its own mail, so that a broken server is not averaged away by newsletters,
 * nor by a healthy server next to it.
 */

import type { DayMessages } from '../report.ts';
import type { JudgedSource } from './classify.ts';

/** A row under the records in question. Days count from `first`, the first day of the history. */
export type ReplayedSource = {
  readonly judged: JudgedSource;
  /** `unitOfSource`. */
  readonly unit: string;
  /** As judged, or `ours_broken` for what passed and would no longer. */
  readonly class: JudgedSource['class'];
  readonly isPassing: boolean;
  /** Mail of the domain that the policy would refuse. */
  readonly isLost: boolean;
  /** It passed when it was sent, and does not under the records of today. */
  readonly hasLeftSpf: boolean;
  /** The day that those of `daily` are counted from. */
  readonly offset: number;
  /** Only what large receivers reported counts. */
  readonly isByLarge: boolean;
};

/** First and last day of a period, both included. */
export type DayRange = readonly [first: number, last: number];

export function messagesIn(row: ReplayedSource, [first, last]: DayRange): number {
  let sum = 0;
  for (const count of row.judged.source.daily) {
    const day = row.offset + count.day;
    if (day >= first && day <= last) sum += countedOn(count, row);
  }
  return sum;
}

/** Messages of rows by day. */
export function messagesByDay(rows: readonly ReplayedSource[]): number[] {
  const days: number[] = [];
  for (const row of rows) addDays(days, row);
  return days;
}

function addDays(days: number[], row: ReplayedSource): void {
  for (const count of row.judged.source.daily) {
    const day = row.offset + count.day;
    const messages = countedOn(count, row);
    if (messages > 0) days[day] = (days[day] ?? 0) + messages;
  }
}

export const countedOn = (
  { messages, listed }: DayMessages,
  { isByLarge }: Pick<ReplayedSource, 'isByLarge'>,
): number => (isByLarge ? listed : messages);

/** Where mail that is lost is counted: at the part of the sender that has one owner. */
export function unitOfSource({ source, sender }: JudgedSource): string {
  const { kind, accountId } = sender;
  return kind === 'provider' ? `${accountId} ${source.headerFrom}` : accountId;
}

/**
 * An own server may carry several streams: those of one name in From are a unit beside the server.
 */
export function unitKeys({ unit, judged }: ReplayedSource): string[] {
  const { sender, source } = judged;
  return sender.kind === 'own' ? [unit, `${sender.id} ${source.headerFrom}`] : [unit];
}

/** Messages of a unit by day, of the whole history. */
type UnitDays = {
  readonly lost: number[];
  readonly passing: number[];
  /** All that is lost passed when it was sent. */
  hasLeftSpf: boolean;
};

export class Units {
  readonly #units = new Map<string, UnitDays>();

  /** Only units that lose mail are of interest: mail that is forwarded passes at thousands. */
  constructor(replayed: readonly ReplayedSource[], keysOf: (row: ReplayedSource) => string[]) {
    for (const row of replayed) if (row.isLost) this.#add(row, keysOf, 'lost');
    if (this.#units.size === 0) return;
    for (const row of replayed) if (row.isPassing) this.#add(row, keysOf, 'passing');
  }

  #add(
    row: ReplayedSource,
    keysOf: (row: ReplayedSource) => string[],
    kind: 'lost' | 'passing',
  ): void {
    for (const key of keysOf(row)) {
      let unit = this.#units.get(key);
      if (unit === undefined) {
        if (kind === 'passing') continue;
        unit = { lost: [], passing: [], hasLeftSpf: true };
        this.#units.set(key, unit);
      }
      if (kind === 'lost') unit.hasLeftSpf &&= row.hasLeftSpf;
      addDays(unit[kind], row);
    }
  }

  /** Lose more than a quarter of their own mail, and at least twenty messages. */
  failing(period: DayRange): Set<string> {
    return this.#where(({ lost, passing }) => isFailingIn(period, lost, passing));
  }

  /**
   * Lost at least twenty messages in their last active week, and their last mail fails; or more than
   * a quarter of that week's, where that was before the period.
   */
  endedFailing([first]: DayRange): Set<string> {
    return this.#where(({ lost, passing }) => {
      const last = Math.max(lost.length, passing.length) - 1;
      const week: DayRange = [last - 6, last];
      const isLastLost = (lost[last] ?? 0) > (passing[last] ?? 0);
      return isLastLost
        ? sumOf(lost, week) >= MIN_UNIT_MESSAGES
        : last < first && isFailingIn(week, lost, passing);
    });
  }

  /** Have passed fifty messages, and all of their mail, for two weeks since their last failure. */
  repaired(): Set<string> {
    return this.#where(({ lost, passing }) => {
      const failed = lost.length - 1;
      const passed = passing.length - 1;
      return (
        passed >= failed + SETTLED_DAYS && sumOf(passing, [failed + 1, passed]) >= REPAIRED_MESSAGES
      );
    });
  }

  /**
   * The record of today does not let them pass, and they have been silent for two weeks: to remove
   * the term of a sender that sends no more loses nothing.
   */
  left(today: number): Set<string> {
    return this.#where(
      ({ lost, hasLeftSpf }) => hasLeftSpf && lost.length - 1 <= today - SETTLED_DAYS,
    );
  }

  #where(isWanted: (unit: UnitDays) => boolean): Set<string> {
    const found = [...this.#units].filter(([, unit]) => isWanted(unit));
    return new Set(found.map(([key]) => key));
  }
}

const MAX_UNIT_SHARE = 0.25;
const MIN_UNIT_MESSAGES = 20;
const SETTLED_DAYS = 14;
const REPAIRED_MESSAGES = 50;

function isFailingIn(
  period: DayRange,
  lost: readonly number[],
  passing: readonly number[],
): boolean {
  const lostMessages = sumOf(lost, period);
  const share = lostMessages / (lostMessages + sumOf(passing, period));
  return lostMessages >= MIN_UNIT_MESSAGES && share > MAX_UNIT_SHARE;
}

export function sumOf(days: readonly number[], [first, last]: DayRange): number {
  let sum = 0;
  for (let day = Math.max(0, first); day <= last; day++) sum += days[day] ?? 0;
  return sum;
}
