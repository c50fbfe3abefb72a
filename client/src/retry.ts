/** Which failures are retried, after what delay, and the delay itself. */
import type { WhenceError } from './whence-error.ts';

const FIRST_BACKOFF_MS = 250;
const BUSY = new Set([429, 503]);
const NO_RESPONSE = new Set(['NETWORK', 'TIMEOUT']);

/** `attempts`: how many were made. `random`: in [0, 1). */
type RetryContext = {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  attempts: number;
  maxDelayMs: number;
  random: number;
};

/** Milliseconds to wait before the next attempt, or undefined for no retry. */
export function retryDelayMs(error: WhenceError, context: RetryContext): number | undefined {
  const { method, attempts, maxDelayMs, random } = context;
  // NOT_READY is a 503 too, but it is the result of `ready()`.
  const isBusy = BUSY.has(error.status) && error.code !== 'NOT_READY';
  // A batch without a response may already have been counted against the quota, so the caller has
  // to decide.
  if (!isBusy && !(method === 'GET' && NO_RESPONSE.has(error.code))) return undefined;
  if (error.retryAfterMs === undefined) return backoffMs(attempts, maxDelayMs, random);
  // An exhausted daily quota asks for hours, and an earlier attempt would be refused: report the
  // error immediately.
  return error.retryAfterMs > maxDelayMs ? undefined : error.retryAfterMs;
}

/**
 * Exponential backoff with full jitter, so that clients that failed at the same time do not retry
 * at the same time.
 */
function backoffMs(attempts: number, maxDelayMs: number, random: number): number {
  return Math.floor(random * Math.min(FIRST_BACKOFF_MS * 2 ** (attempts - 1), maxDelayMs));
}

/** RFC 9110 §10.2.3: seconds or an HTTP-date. Anything else is ignored. */
export function parseRetryAfter(header: string | null, now: number): number | undefined {
  const text = header?.trim() ?? '';
  if (/^[0-9]+$/.test(text)) return Number(text) * 1000;
  if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text)) return undefined;
  // RFC 9110 §5.6.7: the obsolete asctime form has no zone and means GMT; Date.parse would read it
  // as local time.
  const at = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

/** A delay that rejects with the signal's reason on abort. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
