import { Tooltip } from '@mantine/core';
import { useSyncExternalStore } from 'react';
import { ageLevel, ageWords, longDay } from './data-age.ts';
import { exactUtc, relativeTime, shortTime } from './time.ts';

/** A relative time, with the exact time in UTC on hover and focus. */
export function Time({ at }: { at: string }) {
  const now = useNow();
  const exact = exactUtc(at);
  const words = relativeTime(Date.parse(at), now);
  return (
    <Tooltip label={exact} events={{ hover: true, focus: true, touch: true }} withArrow={false} openDelay={150}>
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
      {shortTime(Date.parse(at), now)}
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
let nowMs = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

/** The current time, updated every ten seconds by one timer for the whole page. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => nowMs);
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) {
    nowMs = Date.now();
    timer = setInterval(tick, TICK_MS);
  }
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) clearInterval(timer);
  };
}

function tick(): void {
  nowMs = Date.now();
  for (const listener of listeners) listener();
}
