/** The window of a limit: a day in UTC. */
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
