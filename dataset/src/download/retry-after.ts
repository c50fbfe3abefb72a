/** Retry-After (RFC 9110 §10.2.3): seconds, or a date. */
import type { IncomingHttpHeaders } from 'node:http';

export function retryAfterSeconds({ 'retry-after': text }: IncomingHttpHeaders, now: Date): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d+$/.test(text)) return Number(text);
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - now.getTime()) / 1000));
}

export function formatWait(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} minutes` : `${Math.round(seconds / 3600)} hours`;
}
