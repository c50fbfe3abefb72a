/**
 * The client address and the user agent in a line of an access log: the combined format of Apache and nginx, also with
 * further fields, or JSON as nginx, Caddy and Traefik write it.
 */
import { type Address, parseAddress } from '@whence/dataset/address';
import { AddressFinder } from '@whence/dataset/find-address';

export type LogEntry = { readonly address: Address; readonly userAgent: string };

/** Request, referrer, user agent; formats without a referrer have the user agent last. */
const USER_AGENT_AT = 2;
const MAX_DEPTH = 4;

export function parseLogLine(line: string): LogEntry | undefined {
  return line.startsWith('{') ? parseJsonLine(line) : parseTextLine(line);
}

function parseTextLine(line: string): LogEntry | undefined {
  const quoted = [...line.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) => text);
  const userAgent = quoted[USER_AGENT_AT] ?? quoted.at(-1);
  const bytes = Buffer.from(line);
  const address = new AddressFinder().next(bytes, 0, bytes.length);
  return address === undefined || userAgent === undefined ? undefined : { address, userAgent };
}

function parseJsonLine(line: string): LogEntry | undefined {
  let object: unknown;
  try {
    object = JSON.parse(line);
  } catch {
    return undefined;
  }
  const found: { address?: Address; userAgent?: string } = {};
  const visit = (key: string, value: unknown, depth: number): void => {
    if (typeof value === 'string') {
      // Caddy has headers as lists.
      if (/^(http_?|request_?)?user[-_.]?agent$/i.test(key)) found.userAgent ??= value;
      const address = found.address === undefined ? parseAddress(value.replace(/^([\d.]+):\d+$/, '$1')) : undefined;
      if (address !== undefined) found.address = address;
    } else if (Array.isArray(value)) visit(key, value[0], depth);
    else if (typeof value === 'object' && value !== null && depth < MAX_DEPTH)
      for (const [name, member] of Object.entries(value)) visit(name, member, depth + 1);
  };
  visit('', object, 0);
  const { address, userAgent } = found;
  return address === undefined || userAgent === undefined ? undefined : { address, userAgent };
}
