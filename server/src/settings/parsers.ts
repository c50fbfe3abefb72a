/** Parsers of settings. They throw an error that says what the value must be. */

import { parsePrefix, type Range } from '@whence/dataset/prefix';
import { MAX_VERSIONS, type Retention } from '@whence/dataset/versions/retention';
import { type DnsServer, parseServer } from '@whence/email/dns-servers';
import type { SmtpServer } from '../alerts/mailer.ts';
import type { Mailbox } from '../email-reports/mailbox/mailbox.ts';
import { readDatabaseUrl } from '../storage/postgres/database-url.ts';

export function parseNumber(text: string, from: number, to: number, expected: string): number {
  const value = Number(text);
  if (!/^[0-9]+$/.test(text) || value < from || value > to) throw new Error(expected);
  return value;
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { m: 60, h: 3600, d: 86_400 };

/** How often an update runs. Each feed still has its own refresh interval. */
export function parseInterval(text: string): number | undefined {
  if (text === 'off' || text === '') return undefined;
  const [, count, unit = ''] = /^([1-9][0-9]{0,3})([mhd])$/.exec(text) ?? [];
  const seconds = Number(count) * (UNIT_SECONDS[unit] ?? Number.NaN);
  if (!(seconds >= 60 && seconds <= 30 * 86_400))
    throw new Error('off, or an interval from 1m to 30d');
  return seconds;
}

const MAX_RETENTION_DAYS = 3650;

/**
 * At least 2: keeping the newest version beside the current one prevents its number from being
 * reused.
 */
export function parseRetention(text: string): Retention {
  const expected = `a number from 2 to ${MAX_VERSIONS}, or an age in days from 1d to ${MAX_RETENTION_DAYS}d`;
  if (!text.endsWith('d')) return parseNumber(text, 2, MAX_VERSIONS, expected);
  return { days: parseNumber(text.slice(0, -1), 1, MAX_RETENTION_DAYS, expected) };
}

/** An age in days, such as `400d`. */
export function parseDays(text: string): number {
  const expected = `an age in days from 1d to ${MAX_RETENTION_DAYS}d`;
  return parseNumber(text.endsWith('d') ? text.slice(0, -1) : '', 1, MAX_RETENTION_DAYS, expected);
}

function parseList(text: string): string[] {
  const items = text.split(',').map((item) => item.trim());
  return items.filter((item) => item !== '');
}

export function emptyToUndefined(text: string): string | undefined {
  return text === '' ? undefined : text;
}

/** The value becomes part of a header. */
export function parseContact(text: string): string | undefined {
  if (!/^[\x21-\x7e]{0,200}$/.test(text))
    throw new Error('one word of at most 200 ASCII characters');
  return emptyToUndefined(text);
}

const parseUrl = (text: string) => (URL.canParse(text) ? new URL(text) : undefined);

export function parsePublicUrl(text: string): string | undefined {
  if (text === '') return undefined;
  const url = parseUrl(text);
  if (
    url === undefined ||
    !/^https?:$/.test(url.protocol) ||
    url.origin !== text.replace(/\/$/, '').toLowerCase()
  )
    throw new Error('an origin such as https://whence.example.com, without a path');
  return url.origin;
}

/** Responses of the provider are trusted, so they must come over TLS or from this machine. */
export function parseIssuer(text: string): URL | undefined {
  if (text === '') return undefined;
  const url = parseUrl(text);
  const isLocal =
    url?.protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  if (url === undefined || (url.protocol !== 'https:' && !isLocal))
    throw new Error('an https: URL');
  return url;
}

/** In the form in which browsers send them: scheme, host and port, without a path. */
export function parseOrigins(text: string): string[] {
  const origins = parseList(text);
  for (const origin of origins) {
    if (origin !== '*' && !(URL.canParse(origin) && new URL(origin).origin === origin))
      throw new Error(
        'origins such as https://app.example.com without a path, separated by commas, or *',
      );
  }
  return origins;
}

export function parseDatasetUrl(text: string): string | undefined {
  if (text === '') return undefined;
  // Throws if the URL is invalid.
  checkHostUrl(text);
  return text;
}

/**
 * Supported modes of libpq. `allow` and `prefer` are not: they silently fall back to an unencrypted
 * connection.
 */
const SSL_MODES = ['disable', 'require', 'verify-ca', 'verify-full'];

export function parseDatabaseUrl(text: string): string | undefined {
  if (text === '') return undefined;
  const [first = ''] = readDatabaseUrl(text).hosts;
  const { searchParams } = new URL(first);
  const sslMode = searchParams.get('sslmode');
  if (sslMode !== null && !SSL_MODES.includes(sslMode))
    throw new Error(`a URL with sslmode ${SSL_MODES.join(', ')}`);
  if (sslMode === 'verify-ca' && !searchParams.has('sslrootcert'))
    throw new Error('a URL with sslrootcert for sslmode verify-ca');
  return text;
}

export function parseSmtpUrl(text: string): SmtpServer | undefined {
  if (text === '') return undefined;
  const url = parseUrl(text);
  const from = url?.searchParams.get('from') ?? '';
  if (
    url === undefined ||
    !/^smtps?:$/.test(url.protocol) ||
    url.hostname === '' ||
    !/^[^\s@<>,]+@[^\s@<>,]+$/.test(from) ||
    [...url.searchParams.keys()].some((name) => name !== 'from')
  )
    throw new Error(
      'a URL such as smtp://user:password@mail.example.com:587?from=whence@example.com',
    );
  const isSmtps = url.protocol === 'smtps:';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return {
    host,
    port: Number(url.port) || (isSmtps ? 465 : 587),
    isSmtps,
    isLoopback: !isSmtps && LOOPBACK.includes(host),
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    from,
  };
}

/** A password of its own does not get into lists of processes and shells with the rest. */
export function parseImapUrl(text: string): Mailbox | undefined {
  if (text === '') return undefined;
  const url = parseUrl(text);
  const host = url?.hostname.replace(/^\[|\]$/g, '') ?? '';
  const isLocal = url?.protocol === 'imap:' && LOOPBACK.includes(host);
  if (
    url === undefined ||
    (url.protocol !== 'imaps:' && !isLocal) ||
    host === '' ||
    url.username === '' ||
    url.password + url.search + url.hash !== ''
  )
    // An example would be masked like any user name in a URL.
    throw new Error('an imaps:// URL with a user and without a password, as in docs/reports.md');
  return {
    host,
    port: Number(url.port) || (isLocal ? 143 : 993),
    isTls: !isLocal,
    user: decodeURIComponent(url.username),
    folder: decodeURIComponent(url.pathname.slice(1)) || 'INBOX',
  };
}

const LOOPBACK = ['localhost', '127.0.0.1', '::1'];

export function parseDnsServers(text: string): string[] {
  const servers = parseList(text);
  try {
    for (const server of servers) parseServer(server);
  } catch {
    throw new Error('IP addresses with or without a port, separated by commas');
  }
  return servers;
}

export function parseListenAddress(text: string): DnsServer | undefined {
  try {
    return text === '' ? undefined : parseServer(text);
  } catch {
    throw new Error('an IP address with or without a port, such as 127.0.0.1:5353');
  }
}

/** `9090`, `127.0.0.1:9090` or `[::1]:9090`. Without a host, that of the API. */
export function parseMetricsAddress(
  text: string,
): { host: string | undefined; port: number } | undefined {
  if (text === '') return undefined;
  const [, bracketed, host = bracketed, port] =
    /^(?:(?:\[([\da-f:.]+)\]|([^\s:[\]]+)):)?(\d+)$/i.exec(text) ?? [];
  const expected = 'a port from 0 to 65535, or an address and a port such as 127.0.0.1:9090';
  return { host, port: parseNumber(port ?? '', 0, 65535, expected) };
}

export function parseNetworks(text: string): string[] {
  const networks = parseList(text);
  if (networks.some((network) => parsePrefix(network) === undefined))
    throw new Error('IP addresses or prefixes, separated by commas');
  return networks;
}

/**
 * In lower case. Reversed IPv6 addresses have 72 characters below it, and a name has at most 253.
 */
export function parseZone(text: string): string {
  const zone = text.toLowerCase().replace(/\.$/, '');
  if (
    !/^[a-z0-9_](?:[a-z0-9_-]{0,62})(?:\.[a-z0-9_][a-z0-9_-]{0,62})*$/.test(zone) ||
    zone.length > 180
  )
    throw new Error('a name of at most 180 characters such as whence.invalid');
  return zone;
}

export function parseProxies(text: string): string[] {
  const proxies = parseList(text);
  for (const proxy of proxies) {
    const range = parsePrefix(proxy);
    if (range === undefined) throw new Error('IP addresses or prefixes, separated by commas');
    if (isTooWide(range))
      throw new Error(
        'the addresses of your own proxies: with a wider IPv4 prefix than /8, or IPv6 than /7, any client could ' +
          'forge its address',
      );
  }
  return proxies;
}

/** Wider than the widest blocks for private use: 10.0.0.0/8 (RFC 1918) and fc00::/7 (RFC 4193). */
function isTooWide({ start, end, version }: Range): boolean {
  const addresses = end - start + 1n;
  if (version === 4) return addresses > 1n << 24n;
  // Proxies are compared in their IPv4-mapped form too: a prefix that contains it means all of
  // IPv4.
  const isAllOfIpv4 = start <= MAPPED_START && end >= MAPPED_END;
  return isAllOfIpv4 || addresses > 1n << 121n;
}

const MAPPED_START = 0xffff_0000_0000n;
const MAPPED_END = 0xffff_ffff_ffffn;

export function parseSwitch(text: string): boolean {
  if (text !== 'on' && text !== 'off') throw new Error('on or off');
  return text === 'on';
}

/** Throws an error that says what the URL must be. */
function checkHostUrl(text: string): void {
  const words = 'an http:, https: or file: URL';
  if (!URL.canParse(text)) throw new Error(words);
  const url = new URL(text);
  if (!['http:', 'https:', 'file:'].includes(url.protocol)) throw new Error(words);
  if (url.protocol === 'file:' && url.host !== '')
    throw new Error('a file: URL without a host: file:///folder');
}
