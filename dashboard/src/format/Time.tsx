import { Tooltip } from '@mantine/core';
import { useSyncExternalStore } from 'react';
import { serverNow } from '../api/server-clock.ts';
import { ageLevel, ageWords, longDay } from './data-age.ts';
import { exactUtc, relativeTime, shortTime } from './time.ts';

type TimeProps = { at: string; isAhead?: boolean };

/**
 * A relative time, with the exact time in UTC on hover and focus. Of something that has happened,
 * and so never in the future, or with `isAhead` of something that will.
 */
export function Time({ at, isAhead = false }: TimeProps) {
  const now = useNow();
  const exact = exactUtc(at);
  const words = relativeTime(Date.parse(at), now, isAhead);
  return (
    <Tooltip
      label={exact}
      events={{ hover: true, focus: true, touch: true }}
      withArrow={false}
      openDelay={150}
    >
      <time dateTime={at} className="nowrap" tabIndex={0}>
        {words}
      </time>
    </Tooltip>
  );
}

/** For rows of a table: the short form, with the exact time and a note in the title. */
export function ShortTime({ at, note }: { at: string; note?: string | undefined }) {
  const now = useNow();
  const title = note === undefined ? exactUtc(at) : `${exactUtc(at)}, ${note}`;
  return (
    <time dateTime={at} className="nowrap" title={title}>
      {shortTime(Math.min(Date.parse(at), now), now)}
    </time>
  );
}

/** `17 June, 5 months old`, in the colour of its age. */
export function DataDay({ day }: { day: string }) {
  const now = useNow();
  return (
    <span data-age={ageLevel(day, now)}>
      {longDay(day, now)}, {ageWords(day, now)}
    </span>
  );
}

const TICK_MS = 10_000;
const listeners = new Set<() => void>();
let nowMs = serverNow();
let timer: ReturnType<typeof setInterval> | undefined;

/** The current time of the server, updated every ten seconds by one timer for the whole page. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => nowMs);
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) {
    nowMs = serverNow();
    timer = setInterval(tick, TICK_MS);
  }
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) clearInterval(timer);
  };
}

function tick(): void {
  nowMs = serverNow();
  for (const listener of listeners) listener();
}
