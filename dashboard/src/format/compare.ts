/** `12% more than yesterday`, in words. */
import { formatNumber } from './number.ts';

export function compared(now: number, before: number, beforeWords: string): string {
  if (before === 0) return now === 0 ? `as ${beforeWords}` : `none ${beforeWords}`;
  const change = Math.round(((now - before) / before) * 100);
  if (change === 0) return `as many as ${beforeWords}`;
  return `${formatNumber(Math.abs(change))}% ${change > 0 ? 'more' : 'fewer'} than ${beforeWords}`;
}
