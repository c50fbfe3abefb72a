/**
 * The time as the server has it: the clock of this machine may be wrong, and times are relative to
 * those of the server.
 */

/** `Date` has whole seconds, and its response takes a while. */
const TOLERANCE_MS = 2_000;

let aheadMs = 0;

export const serverNow = (): number => Date.now() + aheadMs;

/** `date` is that header of a response. */
export function readServerTime(date: string | null): void {
  const measuredMs = Date.parse(date ?? '') - Date.now();
  if (Math.abs(measuredMs - aheadMs) > TOLERANCE_MS) aheadMs = measuredMs;
}
