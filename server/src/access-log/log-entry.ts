/**
 * A request in a line of an access log: the combined format of Apache and nginx, also with the host
 * before it or with further fields, or JSON as nginx, Caddy and Traefik write it. What the line
 * does not have is absent.
 */
import { type Address, parseAddress } from '@whence/dataset/address';

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
/** Before the time. */
const MAX_FIELDS = 12;
const OPENING_BRACE = 0x7b;
const SPACE = 0x20;
const TAB = 0x09;
const CARRIAGE_RETURN = 0x0d;

/**
 * The line is between `start` and `end`. Undefined if it does not have a client where its format
 * has one.
 */
export function parseLogLine(bytes: Buffer, start: number, end: number): LogEntry | undefined {
  if (bytes[start] === OPENING_BRACE) return parseJsonLine(bytes.toString('utf8', start, end));
  return parseTextLine(bytes.toString('utf8', start, Math.min(end, start + MAX_TEXT)));
}

/** Why `parseLogLine` has found no client, as the end of a sentence about the line. */
export function whyUnread(bytes: Buffer, start: number, end: number): string {
  const line = bytes.subarray(start, end);
  if (line.includes(0)) return 'is not text; a compressed log has to be unpacked first';
  if (line[0] !== OPENING_BRACE)
    return 'has no address where the formats of web servers have the client';
  try {
    JSON.parse(line.toString('utf8'));
    return 'is JSON without the address of a client';
  } catch {
    return 'begins as JSON and is not';
  }
}

/** Where the line between `from` and `to` begins and ends without blanks around it. */
export function contentOf(bytes: Buffer, from: number, to: number): readonly [number, number] {
  let start = from;
  let end = to;
  while (start < end && isBlank(bytes[start])) start++;
  while (start < end && isBlank(bytes[end - 1])) end--;
  return [start, end];
}

const isBlank = (byte: number | undefined) =>
  byte === SPACE || byte === TAB || byte === CARRIAGE_RETURN;

function parseTextLine(line: string): LogEntry | undefined {
  const address = clientOf(line);
  if (address === undefined) return undefined;
  const quoted = quotedTexts(line);
  const userAgent = quoted[USER_AGENT_AT] ?? quoted.at(-1);
  const { method, path } = requestOf(quoted[0]);
  return {
    address,
    userAgent,
    host: HOST_FIRST.exec(line)?.[1],
    method,
    path,
    status: statusOf(line),
  };
}

/**
 * Before the time and the request, whose texts the client has chosen: at the beginning, after the
 * virtual host, or after what syslog and containers add. A user name may be an address, too.
 *
 *   192.0.2.1 - user [time] "request"
 *   example.com:443 192.0.2.1 - user [time] "request"
 *   Nov 18 10:00:00 web nginx: 192.0.2.1 - user [time] "request"
 */
function clientOf(line: string): Address | undefined {
  const quote = line.indexOf('"');
  const head = quote === -1 ? line : line.slice(0, quote);
  const time = head.indexOf(' [');
  const fields = (time === -1 ? head : head.slice(0, time)).split(' ', MAX_FIELDS);
  const [first = '', second = ''] = fields;
  // A list of addresses, as proxies pass it on, begins with the client.
  const afterHost = fields.length > 3 && !first.endsWith(',') ? addressIn(second) : undefined;
  const address = afterHost ?? addressIn(first.replace(/,$/, ''));
  if (address !== undefined || time === -1) return address;
  const tag = fields.findIndex((field) => /[:|]$/.test(field));
  return tag === -1 ? undefined : addressIn(fields[tag + 1] ?? '');
}

/** Without a port. */
const addressIn = (text: string) =>
  parseAddress(text.replace(/^(?:([\d.]+)|\[(.+)\]):\d+$/, '$1$2'));

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
  client: /^client[-_.]?(ip|addr(ess)?|host|ip[-_]?addr(ess)?)?$/i,
  /** The address of the connection: that of the client, if the line does not say more. */
  peer: /^((remote|source|src|real)[-_.]?(ip|addr(ess)?|host|ip[-_]?addr(ess)?)?|c-ip)$/i,
  address: /^ip([-_]?addr(ess)?)?$|^addr(ess)?$/i,
  headers: /headers?$/i,
  userAgent: /^(http_?|request_?)?user[-_.]?agent$/i,
  host: /^(http_|request_?)?(host|server_name|vhost|authority)$/i,
  request: /^request$/,
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
  const remembered = membersByKey.get(key);
  if (remembered !== undefined || membersByKey.has(key)) return remembered;
  const member = MEMBERS.find(([, pattern]) => pattern.test(key))?.[0];
  if (membersByKey.size < MAX_KEYS) membersByKey.set(key, member);
  return member;
}

type Connection = 'client' | 'peer';
type LogMembers = { [Name in Exclude<JsonMember, Connection>]?: string } & {
  [Name in Connection]?: Address | undefined;
};

function parseJsonLine(line: string): LogEntry | undefined {
  let object: object;
  try {
    object = JSON.parse(line);
  } catch {
    return undefined;
  }
  const members: LogMembers = {};
  findMembers(object, 'client', 0, members);
  const address = members.client ?? members.peer;
  if (address === undefined) return undefined;
  const { userAgent, host, status } = members;
  const { method = members.method, path = members.path } = requestOf(members.request);
  return {
    address,
    userAgent,
    host,
    method,
    path,
    status: status === undefined ? undefined : Number(status),
  };
}

/**
 * `parent`: what an address in the object is. The client chooses headers, so they have neither
 * address nor request.
 */
function findMembers(
  object: object,
  parent: JsonMember | undefined,
  depth: number,
  members: LogMembers,
): void {
  for (const key in object) {
    const member = memberOf(key);
    let value: unknown = (object as Record<string, unknown>)[key];
    // Caddy has headers as lists.
    if (Array.isArray(value)) value = value[0];
    if (typeof value === 'object') {
      if (value !== null && depth < MAX_DEPTH && parent !== 'headers')
        findMembers(value, member, depth + 1, members);
    } else if (member !== undefined && (parent !== 'headers' || member === 'userAgent')) {
      const name =
        member === 'address' && (parent === 'client' || parent === 'peer') ? parent : member;
      if (name === 'client' || name === 'peer') members[name] ??= addressIn(String(value));
      else members[name] ??= String(value);
    }
  }
}
