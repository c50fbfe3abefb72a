// Which proxy a request goes through, by the variables that curl reads. Loopback is always direct:
// at the proxy it would mean the proxy.
import { parsePrefix, type Range } from '../../prefix.ts';

const NAMES = ['https_proxy', 'http_proxy', 'all_proxy', 'no_proxy'] as const;
type Name = (typeof NAMES)[number];

/** Each variable with its spelling in the environment, for messages. */
export type ProxyVariables = {
  readonly [N in Name]?: { readonly variable: string; readonly value: string };
};

/** `url` may hold credentials for the proxy. */
export type HttpProxy = { readonly url: URL; readonly variable: string };

export function readProxyVariables(
  environment: Readonly<Record<string, string | undefined>>,
): ProxyVariables {
  const read: { -readonly [N in Name]?: ProxyVariables[N] } = {};
  // As in curl, lower case comes first. An empty variable is one that is not set.
  for (const name of NAMES)
    for (const variable of [name.toUpperCase(), name]) {
      const value = environment[variable];
      if (value) read[name] = { variable, value };
    }
  return read;
}

/**
 * Undefined: direct. Throws a ProxyError for an invalid variable: ignoring it would bypass the
 * proxy.
 */
export function proxyFor(url: URL, variables: ProxyVariables): HttpProxy | undefined {
  const set =
    (url.protocol === 'https:' ? variables.https_proxy : variables.http_proxy) ??
    variables.all_proxy;
  if (set === undefined || isDirect(url, variables.no_proxy?.value ?? '')) return undefined;
  const { variable, value } = set;
  // `proxy.example.com:3128` is common, and would otherwise be read as a scheme.
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  if (!URL.canParse(text)) throw new ProxyError(`${variable} is not the URL of a proxy`);
  const proxy = new URL(text);
  if (proxy.protocol !== 'http:' && proxy.protocol !== 'https:')
    throw new ProxyError(
      `${variable} names a proxy with the scheme ${proxy.protocol} but only http: and https: work`,
    );
  return { url: proxy, variable };
}

export class ProxyError extends Error {
  override readonly name = 'ProxyError';
}

/**
 * `*`, names with all below them, addresses and prefixes, by commas or blanks; each but prefixes
 * may have a port.
 */
function isDirect(url: URL, noProxy: string): boolean {
  const host = url.hostname.replace(/^\[|\]$|\.$/g, '');
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  if (
    host === 'localhost' ||
    host.endsWith('.localhost') ||
    LOOPBACK.some((range) => isIn(range, host))
  )
    return true;
  const entries = noProxy.toLowerCase().split(/[\s,]+/);
  return entries.some((entry) => entry !== '' && isMatch(entry, host, port));
}

function isMatch(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true;
  const whole = parsePrefix(entry);
  if (whole !== undefined || entry.includes('/')) return isIn(whole, host);
  const [, name = '', entryPort = port] = /^\[?(.*?)\]?(?::(\d+))?$/.exec(entry) ?? [];
  if (entryPort !== port) return false;
  const range = parsePrefix(name);
  if (range !== undefined) return isIn(range, host);
  const domain = name.replace(/^\*?\./, '').replace(/\.$/, '');
  return domain !== '' && (host === domain || host.endsWith(`.${domain}`));
}

const LOOPBACK = [parsePrefix('127.0.0.0/8'), parsePrefix('::1')];

function isIn(range: Range | undefined, host: string): boolean {
  const prefix = parsePrefix(host);
  if (prefix === undefined || prefix.version !== range?.version) return false;
  return range.start <= prefix.start && prefix.end <= range.end;
}
