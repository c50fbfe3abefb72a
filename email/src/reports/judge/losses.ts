/**
 * What a policy would refuse of the domain's own mail, and whether that is too much. The same rules
 * are applied to all reports and to those of the large receivers alone, and to mail of which it is
 * not known whose it is.
 */
import type { SenderClass } from './sender-class.ts';
import {
  countedOn,
  type DayRange,
  messagesByDay,
  messagesIn,
  type ReplayedSource,
  sumOf,
  Units,
  unitKeys,
} from './units.ts';

/**
 * Which rule it breaks: the share of all mail, over the period or in each of the last two weeks;
 * the share of a server's own mail or of that of one name at a provider; or the last mail of a
 * server or account that was seen.
 */
export const LOSS_BASES = ['share', 'recent', 'unit', 'last_seen'] as const;
export type LossBasis = (typeof LOSS_BASES)[number];

/** Mail of one sender, or of its part that has one owner. */
export type Loss = {
  readonly basis: LossBasis;
  readonly id: string;
  readonly service: string;
  readonly account: string;
  /** The name in From, if it is one. */
  readonly name: string;
  readonly class: SenderClass;
  readonly messages: number;
  /** The share of all mail of the domain. */
  readonly percent: number;
  /** Days; empty if there is none. */
  readonly lastFailed: string;
  readonly lastPassed: string;
  readonly reporters: readonly string[];
};

export type Losses = {
  /** The most messages first. */
  readonly losses: readonly Loss[];
  /** Senders that pass by now. */
  readonly repaired: readonly Loss[];
  /** Senders that passed, that no record lets pass any more, and that have fallen silent. */
  readonly left: readonly Loss[];
  /** Rows of both, which do not count. */
  readonly settledRows: ReadonlySet<ReplayedSource>;
  /** Messages of the domain: what passes, and what counts as lost. */
  readonly ownMessages: number;
};

export type LossQuestion = {
  readonly rows: readonly ReplayedSource[];
  readonly period: DayRange;
  /** The day of a number. */
  readonly dayOf: (day: number) => string;
  /** Whether an address is in the terms that the question is about. */
  readonly isOwn: (address: string) => boolean;
};

const MAX_SHARE = 0.005;
/** In a week, beside the share. */
const MIN_RECENT = 5;
const ALL_DAYS: DayRange = [0, Number.POSITIVE_INFINITY];

export function findLosses({ rows, period, dayOf, isOwn }: LossQuestion): Losses {
  const units = new Units(rows, ({ unit }) => [unit]);
  const lostBy = (found: ReadonlySet<string>) =>
    found.size === 0 ? [] : rows.filter(({ isLost, unit }) => isLost && found.has(unit));
  const repaired = lostBy(units.repaired());
  const left = lostBy(units.left(period[1]));
  const settledRows = new Set([...repaired, ...left]);
  const live = rows.filter((row) => !settledRows.has(row));
  const lost = live.filter(({ isLost }) => isLost);
  const lostByDay = messagesByDay(lost);
  const ownByDay = messagesByDay(live.filter(({ isLost, isPassing }) => isLost || isPassing));
  const ownMessages = sumOf(ownByDay, period);
  const lastPassed = lastPassedDays(rows);
  const groupOf = (some: readonly ReplayedSource[], basis: LossBasis, days: DayRange) =>
    group(some, { basis, days, ownMessages: sumOf(ownByDay, days), dayOf, lastPassed });

  let found: Loss[] = [];
  const today = period[1];
  const weeks: DayRange[] = [
    [today - 6, today],
    [today - 13, today - 7],
  ];
  const isOver = (days: DayRange) => sumOf(lostByDay, days) > MAX_SHARE * sumOf(ownByDay, days);
  if (isOver(period)) found = groupOf(lost, 'share', period);
  else if (weeks.every((week) => sumOf(lostByDay, week) >= MIN_RECENT && isOver(week)))
    found = groupOf(lost, 'recent', [today - 13, today]);
  const failing = new Units(live, unitKeys).failing(period);
  const inUnits = lost.filter((row) => unitKeys(row).some((key) => failing.has(key)));
  found = [
    ...found,
    ...groupOf(inUnits, 'unit', period),
    ...lastSeen(live, { isOwn, groupOf, period }),
  ];

  const settled = { basis: 'unit', days: period, ownMessages, dayOf, lastPassed } as const;
  const distinct = new Map<string, Loss>();
  for (const loss of found) if (!distinct.has(loss.id)) distinct.set(loss.id, loss);
  return {
    losses: [...distinct.values()].sort((a, b) => b.messages - a.messages),
    repaired: group(repaired, settled),
    left: group(left, settled),
    settledRows,
    ownMessages,
  };
}

type Grouping = (some: readonly ReplayedSource[], basis: LossBasis, days: DayRange) => Loss[];

/** A term that no longer names a server settles it, and so does a record without the provider. */
function lastSeen(
  live: readonly ReplayedSource[],
  {
    isOwn,
    groupOf,
    period,
  }: Pick<LossQuestion, 'isOwn' | 'period'> & { readonly groupOf: Grouping },
): Loss[] {
  const rows = live.filter(({ judged, isPassing }) => {
    if (isPassing) return true;
    const { sender, source } = judged;
    if (judged.evidence.code === 'decision') return true;
    if (sender.kind === 'own') return isOwn(source.address);
    return sender.kind === 'provider' && judged.class !== 'passes';
  });
  const ended = new Units(rows, ({ judged }) => [judged.sender.accountId]).endedFailing(period);
  const lostBy = new Map<string, ReplayedSource[]>([...ended].map((key) => [key, []]));
  for (const row of rows) if (row.isLost) lostBy.get(row.judged.sender.accountId)?.push(row);
  return [...lostBy.values()].flatMap((lost) => {
    const last = lastDayOf(lost);
    return groupOf(lost, 'last_seen', [last - 6, last]);
  });
}

export const messagesOf = (rows: readonly ReplayedSource[], days: DayRange): number =>
  rows.reduce((total, row) => total + messagesIn(row, days), 0);

const lastDay = (row: ReplayedSource) =>
  row.offset + (row.judged.source.daily.findLast((day) => countedOn(day, row) > 0)?.day ?? -1);

const lastDayOf = (rows: readonly ReplayedSource[]) =>
  rows.reduce((last, row) => Math.max(last, lastDay(row)), -1);

type GroupOptions = {
  readonly basis: LossBasis;
  readonly days: DayRange;
  readonly ownMessages: number;
  readonly dayOf: (day: number) => string;
  /** By part of a sender: the last day on which its mail passed. */
  readonly lastPassed: ReadonlyMap<string, number>;
};

function lastPassedDays(rows: readonly ReplayedSource[]): Map<string, number> {
  const days = new Map<string, number>();
  for (const row of rows) {
    if (!row.isPassing) continue;
    const { accountId } = row.judged.sender;
    days.set(accountId, Math.max(days.get(accountId) ?? -1, lastDay(row)));
  }
  return days;
}

/** By the part of the sender that a person can repair or decide about. */
function group(
  some: readonly ReplayedSource[],
  { basis, days, ownMessages, dayOf, lastPassed }: GroupOptions,
): Loss[] {
  const groups = new Map<string, ReplayedSource[]>();
  for (const row of some) {
    if (messagesIn(row, days) === 0) continue;
    const id = row.judged.sender.accountId;
    const rows = groups.get(id);
    if (rows === undefined) groups.set(id, [row]);
    else rows.push(row);
  }
  return [...groups].flatMap(([id, rows]) => {
    const [{ judged } = { judged: undefined }] = rows;
    if (judged === undefined) return [];
    const messages = messagesOf(rows, days);
    const names = new Set(rows.map((row) => row.judged.source.headerFrom));
    const passed = lastPassed.get(id);
    return [
      {
        basis,
        id,
        service: judged.sender.name,
        account: judged.sender.account,
        name: names.size === 1 ? judged.source.headerFrom : '',
        class: rows.reduce(heavier).class,
        messages,
        percent: Math.round((messages / Math.max(1, ownMessages)) * 1_000) / 10,
        lastFailed: dayOf(lastDayOf(rows)),
        lastPassed: passed === undefined ? '' : dayOf(passed),
        reporters: [...new Set(rows.flatMap((row) => row.judged.source.reporters))],
      },
    ];
  });
}

function heavier(a: ReplayedSource, b: ReplayedSource): ReplayedSource {
  return messagesIn(b, ALL_DAYS) > messagesIn(a, ALL_DAYS) ? b : a;
}
