/** Days in UTC, as `YYYY-MM-DD`, which is how feeds and datasets date what they state. */
export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

export const dayOfMs = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

export const dayAfter = (day: string): string => dayOfMs(Date.parse(day) + DAY_MS);
