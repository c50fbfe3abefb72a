/** Lines of the head that the answers of the fast path share. */
import { KEEP_ALIVE_MS } from '../../http/limits.ts';

export type RateLimitState = {
  readonly limit: number;
  readonly remaining: number;
  readonly resetSeconds: number;
};

/** In lower case, as Node's path sends them. */
export function headerLines(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name.toLowerCase()}: ${value}\r\n`)
    .join('');
}

let lastSecond = -1;
let lines = '';
let bytes = Buffer.alloc(0);

/**
 * The fields that Node adds, and the blank line. Rendered once per second, the resolution of
 * `Date`.
 */
export function lastLines(nowMs: number): string {
  const second = Math.floor(nowMs / 1000);
  if (second !== lastSecond) {
    lastSecond = second;
    const date = new Date(nowMs).toUTCString();
    const keepAlive = `Connection: keep-alive\r\nKeep-Alive: timeout=${KEEP_ALIVE_MS / 1000}`;
    lines = `Date: ${date}\r\n${keepAlive}\r\n\r\n`;
    bytes = Buffer.from(`\r\n${lines}`);
  }
  return lines;
}

/** The same behind the value of the line before. */
export function lastLineBytes(nowMs: number): Buffer {
  lastLines(nowMs);
  return bytes;
}
