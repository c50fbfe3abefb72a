/**
 * A request in a line of an access log: the combined format of Apache and nginx, also with the host before it or with
 * further fields, or JSON as nginx, Caddy and Traefik write it. What the line does not have is absent.
 */
import { type Address, parseAddress } from '@whence/dataset/address';
import { AddressFinder } from '@whence/dataset/find-address';
import { readLines } from '../../enrich/read-lines.ts';
import type { CommandStreams } from '../../terminal/output.ts';

export type LogEntry = {
  readonly address: Address;
  readonly userAgent?: string | undefined;
  readonly host?: string | undefined;
  readonly method?: string | undefined;
  readonly path?: string | undefined;
  readonly status?: number | undefined;
};

/** Request, referrer, user agent; formats without a referrer have the user agent last. */
const USER_AGENT_AT = 2;
const MAX_DEPTH = 4;
/** The rest of a longer line of text is ignored. */
const MAX_TEXT = 64 * 1024;
const OPENING_BRACE = 0x7b;
const SPACE = 0x20;
const TAB = 0x09;

const finder = new AddressFinder();

/** The line is between `start` and `end`. */
export function parseLogLine(bytes: Buffer, start: number, end: number): LogEntry | undefined {
  if (bytes[start] === OPENING_BRACE) return parseJsonLine(bytes.toString('utf8', start, end));
  const textEnd = Math.min(end, start + MAX_TEXT);
  const address = finder.next(bytes, start, textEnd);
  return address && parseTextLine(bytes.toString('utf8', start, textEnd), address);
}

/** Calls `onEntry` for each line that is not empty, with undefined if it has no address, and returns how many there are. */
export async function readLog(
  file: string,
  stdin: CommandStreams['stdin'],
  onEntry: (entry: LogEntry | undefined) => void,
): Promise<number> {
  let lines = 0;
  await readLines(file, stdin, (bytes, from, to) => {
    let [start, end] = [from, to];
    while (start < end && isBlank(bytes[start])) start++;
    while (start < end && isBlank(bytes[end - 1])) end--;
    if (start === end) return;
    lines++;
    onEntry(parseLogLine(bytes, start, end));
  });
  return lines;
}

const isBlank = (byte: number | undefined) => byte === SPACE || byte === TAB;

function parseTextLine(line: string, address: Address): LogEntry {
  const quoted = quotedTexts(line);
  const userAgent = quoted[USER_AGENT_AT] ?? quoted.at(-1);
  const { method, path } = requestOf(quoted[0]);
  return { address, userAgent, host: HOST_FIRST.exec(line)?.[1], method, path, status: statusOf(line) };
}

/** Texts between quotation marks; a mark after a backslash is part of the text. */
function quotedTexts(line: string): string[] {
  const texts: string[] = [];
  for (let start = line.indexOf('"'); start !== -1; start = line.indexOf('"', start)) {
    let end = line.indexOf('"', start + 1);
    while (end !== -1 && isEscaped(line, start + 1, end)) end = line.indexOf('"', end + 1);
    if (end === -1) break;
    texts.push(line.slice(start + 1, end));
    start = end + 1;
  }
  return texts;
}

function isEscaped(line: string, from: number, at: number): boolean {
  let before = at;
  while (before > from && line[before - 1] === '\\') before--;
  return (at - before) % 2 === 1;
}

/** The format `vhost_combined` of Apache begins with the host and its port. */
const HOST_FIRST = /^((?=[^ ]*[A-Za-z])[\w.-]+)(?::\d+)? [\da-fA-F.:]+ /;

function requestOf(line = ''): Pick<LogEntry, 'method' | 'path'> {
  const [, method, path] = /^([A-Z]{3,20}) (\S+)(?: HTTP\/[\d.]+)?$/.exec(line) ?? [];
  return { method, path };
}

/** After the quoted request. */
function statusOf(line: string): number | undefined {
  const [, status] = /" (\d{3})(?: |$)/.exec(line) ?? [];
  return status === undefined ? undefined : Number(status);
}

/** Names of members, as the web servers write them or as is usual in configurations. */
const JSON_MEMBERS = {
  userAgent: /^(http_?|request_?)?user[-_.]?agent$/i,
  host: /^(http_|request_?)?(host|server_name|vhost|authority)$/i,
  method: /^(request_?)?method$/i,
  path: /^(request_?)?(uri|path|url)$/i,
  status: /^(response_?|downstream_?)?status(_?code)?$/i,
} as const;
type JsonMember = keyof typeof JSON_MEMBERS;
const MEMBERS = Object.entries(JSON_MEMBERS) as [JsonMember, RegExp][];
/** Lines of a log have the same names. */
const membersByKey = new Map<string, JsonMember | undefined>();
const MAX_KEYS = 1_000;

function memberOf(key: string): JsonMember | undefined {
  const known = membersByKey.get(key);
  if (known !== undefined || membersByKey.has(key)) return known;
  const found = MEMBERS.find(([, pattern]) => pattern.test(key))?.[0];
  if (membersByKey.size < MAX_KEYS) membersByKey.set(key, found);
  return found;
}

function parseJsonLine(line: string): LogEntry | undefined {
  let object: unknown;
  try {
    object = JSON.parse(line);
  } catch {
    return undefined;
  }
  const texts: { [Name in JsonMember]?: string } = {};
  let found: Address | undefined;
  let request: string | undefined;
  const visit = (key: string, value: unknown, depth: number): void => {
    if (typeof value === 'string' || typeof value === 'number') {
      const text = String(value);
      const name = memberOf(key);
      if (name !== undefined) texts[name] ??= text;
      if (key === 'request') request ??= text;
      if (typeof value === 'string') found ??= parseAddress(text.replace(/^([\d.]+):\d+$/, '$1'));
      // Caddy has headers as lists.
    } else if (Array.isArray(value)) visit(key, value[0], depth);
    else if (typeof value === 'object' && value !== null && depth < MAX_DEPTH)
      for (const [name, member] of Object.entries(value)) visit(name, member, depth + 1);
  };
  visit('', object, 0);
  if (found === undefined) return undefined;
  const { status, ...rest } = texts;
  return { address: found, ...requestOf(request), ...rest, status: status === undefined ? undefined : Number(status) };
}
