/** What an alert says: plain text, which each format lays out in its own way. */
import type { WatchEvent } from '../storage/stores/watch-event-store.ts';
import type { Severity } from '../vocabulary.ts';
import { showEvent } from '../watch/watch-list.ts';

export type AlertMessage = {
  readonly type: 'event.opened' | 'event.resolved' | 'summary' | 'test';
  readonly severity?: Severity;
  /** One line. */
  readonly title: string;
  /** What is wrong, since when, and what to do; of a summary, a line for each of its parts. */
  readonly text: string;
  /** Page of the dashboard; absent if the server does not know its public URL. */
  readonly url?: string;
  /** For programs. */
  readonly data: Readonly<Record<string, unknown>>;
};

export function eventMessage(
  type: 'event.opened' | 'event.resolved',
  event: WatchEvent,
  publicUrl: string | undefined,
): AlertMessage {
  const { sentence, act, domain, severity, firstSeenAt } = event;
  const subject = domain === '' ? 'this deployment' : domain;
  const what = asSentence(sentence);
  const since = timeText(firstSeenAt);
  const isOver = type === 'event.resolved';
  return {
    type,
    severity,
    title: isOver ? `Over: ${subject}` : `${severity}: ${subject}`,
    text: isOver
      ? `${subject}: ${endOf(event)} It was: ${what} Since ${since}, for ${durationOf(event)}.`
      : `${subject}: ${what} Since ${since}. ${asSentence(act)}`.trimEnd(),
    ...linkTo(publicUrl, domain === '' ? '/' : `/domain/${domain}`),
    data: eventData(event),
  };
}

export function linkTo(publicUrl: string | undefined, path: string): { url?: string } {
  return publicUrl === undefined ? {} : { url: publicUrl + path };
}

/** To the minute. */
export function timeText(at: Date): string {
  return `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** As `GET /v1/events` has it. */
export const eventData = (event: WatchEvent) => showEvent(event, event.lastSeenAt);

/** Records of others can be in it: one line, without control characters. */
export function asSentence(text: string): string {
  const line = text.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim();
  return line === '' || /[.!?]$/.test(line) ? line : `${line}.`;
}

function endOf({ acceptedBy }: WatchEvent): string {
  return acceptedBy === undefined ? 'this is over.' : `ended by ${acceptedBy}.`;
}

function durationOf({ firstSeenAt, resolvedAt = firstSeenAt }: WatchEvent): string {
  const minutes = Math.round((resolvedAt.getTime() - firstSeenAt.getTime()) / 60_000);
  if (minutes < 120) return `${minutes} minutes`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} hours` : `${Math.round(hours / 24)} days`;
}
