/**
 * The weekly summary: sent in quiet weeks too, so that its absence shows that something is wrong.
 */
import { DAY_MS, HOUR_MS } from '../day.ts';
import type { WatchEvent } from '../storage/stores/watch-event-store.ts';
import { SEVERITIES } from '../vocabulary.ts';
import { type AlertMessage, asSentence, eventData, linkTo, timeText } from './message.ts';

export const WEEK_MS = 7 * DAY_MS;
/** Mondays at 08:00 UTC. 1970 began on a Thursday. */
const FIRST_MS = 4 * DAY_MS + 8 * HOUR_MS;
const MAX_LISTED = 20;

/** What its reader may see. */
type SummaryContent = {
  readonly events: readonly WatchEvent[];
  /** When the last check was complete; undefined for none yet. */
  readonly checkedAt: readonly (Date | undefined)[];
};

export function nextSummary(nowMs: number): Date {
  return new Date(FIRST_MS + (Math.floor((nowMs - FIRST_MS) / WEEK_MS) + 1) * WEEK_MS);
}

/**
 * The Monday before the last one: one that is sent late covers the days since the last summary too.
 */
export function summaryBegin(until: Date): Date {
  return new Date(nextSummary(until.getTime()).getTime() - 2 * WEEK_MS);
}

/** The summary of the week before `until`. */
export function summaryMessage(
  { events, checkedAt }: SummaryContent,
  until: Date,
  publicUrl: string | undefined,
): AlertMessage {
  const since = summaryBegin(until).getTime();
  const isNew = (at: Date | undefined) => at !== undefined && at.getTime() >= since;
  const bySeverity = [...events].sort(
    (a, b) => SEVERITIES.indexOf(b.severity) - SEVERITIES.indexOf(a.severity),
  );
  const open = bySeverity.filter(({ resolvedAt }) => resolvedAt === undefined);
  const resolved = bySeverity.filter(({ resolvedAt }) => isNew(resolvedAt));
  const verdicts = events.filter(
    ({ code, firstSeenAt }) => code === 'verdict_changed' && isNew(firstSeenAt),
  );
  const reopened = events.filter(({ reopenedAt }) => isNew(reopenedAt));
  const quiet = open.filter(
    ({ quiet: reason, firstSeenAt }) => reason !== undefined && isNew(firstSeenAt),
  );
  const checked = checkedAt.filter((at) => at !== undefined).sort((a, b) => +a - +b);
  const [oldest] = checked;
  const counts = {
    domains: checkedAt.length,
    open_events: open.length,
    resolved_events: resolved.length,
    verdicts_changed: verdicts.length,
    reopened_events: reopened.length,
    opened_without_alert: quiet.length,
    not_yet_checked: checkedAt.length - checked.length,
  };
  const lines = [
    `The week to ${timeText(until)}: ${count(counts.domains, 'domain')} watched, ${count(open.length, 'event')} open, ${count(resolved.length, 'event')} resolved, ${count(verdicts.length, 'verdict')} changed.`,
    oldest === undefined
      ? 'No domain has been checked yet.'
      : `The oldest of the last checks is of ${timeText(oldest)}${counts.not_yet_checked === 0 ? '' : `; not checked yet: ${counts.not_yet_checked}`}.`,
    ...(reopened.length === 0
      ? []
      : [`${count(reopened.length, 'event')} came back within a week of the end.`]),
    ...(quiet.length === 0
      ? []
      : [
          `${count(quiet.length, 'event')} ${quiet.length === 1 ? 'was' : 'were'} opened without an alert: the first check of a domain, or a new version of Whence, found them.`,
        ]),
    ...listed('Open', open),
    ...listed('Resolved', resolved),
  ];
  return {
    type: 'summary',
    title: `Weekly summary: ${open.length} open, ${resolved.length} resolved`,
    text: lines.join('\n'),
    ...linkTo(publicUrl, '/'),
    data: {
      ...counts,
      ...(oldest && { oldest_check: oldest.toISOString() }),
      open: open.slice(0, MAX_LISTED).map(eventData),
      resolved: resolved.slice(0, MAX_LISTED).map(eventData),
    },
  };
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

function listed(title: string, events: readonly WatchEvent[]): string[] {
  const lines = events
    .slice(0, MAX_LISTED)
    .map(
      ({ domain, sentence, severity, firstSeenAt }) =>
        `- ${title}, ${severity}: ${domain || 'this deployment'}: ${asSentence(sentence)} Since ${timeText(firstSeenAt)}.`,
    );
  const more = events.length - lines.length;
  return more === 0 ? lines : [...lines, `- ${title}: ${more} more.`];
}
