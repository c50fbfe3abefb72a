/** Days in UTC, which are the window of a limit. */
const DAY_MS = 86_400_000;

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
  return { text: new Date(nowMs).toISOString().slice(0, 10), startMs, endMs, endSeconds: endMs / 1000 };
}

/** Whole seconds from now until a limit resets: at least 1, as `Retry-After` has it. */
export function secondsUntil(resetSeconds: number, nowMs: number): number {
  return Math.max(1, resetSeconds - Math.floor(nowMs / 1000));
}

export function isDay(text: string): boolean {
  const ms = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  // Date.parse takes 2026-02-30 for the second of March.
  return !Number.isNaN(ms) && dayAt(ms).text === text;
}
