/** Which failures are worth another try, and after how long. */
import type { WhenceError } from './whence-error.ts';

const FIRST_BACKOFF_MS = 250;
const BUSY = new Set([429, 503]);
const NO_ANSWER = new Set(['NETWORK', 'TIMEOUT']);

/** `tries`: how many were made. `random`: in [0, 1). */
export type Failure = { method: 'GET' | 'POST'; tries: number; maxDelayMs: number; random: number };

/** Milliseconds to wait before the next try, or undefined if there should be none. */
export function retryDelayMs(error: WhenceError, { method, tries, maxDelayMs, random }: Failure): number | undefined {
  // NOT_READY is a 503, but it is what `ready()` asked to know.
  const isBusy = BUSY.has(error.status) && error.code !== 'NOT_READY';
  // A batch without an answer may have been counted against the quota; the caller decides whether to pay twice.
  if (!isBusy && !(method === 'GET' && NO_ANSWER.has(error.code))) return undefined;
  if (error.retryAfterMs === undefined) return backoffMs(tries, maxDelayMs, random);
  // A used-up day asks for hours. Sooner would be refused again, so the caller hears of it at once.
  return error.retryAfterMs > maxDelayMs ? undefined : error.retryAfterMs;
}

/** Full jitter: anywhere from now to the doubled limit, so that clients that failed together do not return together. */
function backoffMs(tries: number, maxDelayMs: number, random: number): number {
  return Math.floor(random * Math.min(FIRST_BACKOFF_MS * 2 ** (tries - 1), maxDelayMs));
}

/** RFC 9110 §10.2.3: seconds or an HTTP-date. Anything else says nothing. */
export function parseRetryAfter(header: string | null, now: number): number | undefined {
  const text = header?.trim() ?? '';
  if (/^[0-9]+$/.test(text)) return Number(text) * 1000;
  if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text)) return undefined;
  // RFC 9110 §5.6.7: the old asctime form names no zone and means GMT; Date.parse would take it for local time.
  const at = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
