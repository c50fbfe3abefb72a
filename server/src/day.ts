/** Days in UTC, which are the window of a limit. */
export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** `YYYY-MM-DD` */
export const dayOfMs = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** Days since 1970, as tables hold them. */
export const dayNumber = (day: string): number => Math.floor(Date.parse(day) / DAY_MS);

export const dayAfter = (day: string): string => dayOfMs(Date.parse(day) + DAY_MS);

export const dayBefore = (nowMs: number, days: number): string => dayOfMs(nowMs - days * DAY_MS);

export type Day = {
  /** `YYYY-MM-DD` */
  readonly text: string;
  readonly startMs: number;
  readonly endMs: number;
  /** When the limit resets, as the headers give it. */
  readonly endSeconds: number;
};

export function dayAt(nowMs: number): Day {
  const startMs = Math.floor(nowMs / DAY_MS) * DAY_MS;
  const endMs = startMs + DAY_MS;
  return {
    text: dayOfMs(nowMs),
    startMs,
    endMs,
    endSeconds: endMs / 1000,
  };
}

/** Whole seconds from now until a limit resets: at least 1, as `Retry-After` has it. */
export function secondsUntil(resetSeconds: number, nowMs: number): number {
  return Math.max(1, resetSeconds - Math.floor(nowMs / 1000));
}

export function isDay(text: string): boolean {
  const ms = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text)
    ? Date.parse(`${text}T00:00:00Z`)
    : Number.NaN;
  // Date.parse takes 2026-02-30 for the second of March.
  return !Number.isNaN(ms) && dayOfMs(ms) === text;
}

/**
 * A day or a time, in milliseconds; a day stands for its beginning. NaN for other texts, also for a
 * time without a zone, which machines would read differently.
 */
export function timeOf(text: string): number {
  const [, day = ''] =
    /^(\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2}))?$/.exec(
      text,
    ) ?? [];
  return isDay(day) ? Date.parse(text) : Number.NaN;
}
