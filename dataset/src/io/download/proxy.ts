// Which proxy a request goes through, by the variables that curl reads. Loopback is always direct: at the proxy it
// would mean the proxy.
import { BlockList, isIP } from 'node:net';

const NAMES = ['https_proxy', 'http_proxy', 'all_proxy', 'no_proxy'] as const;
type Name = (typeof NAMES)[number];

/** Each variable with its spelling in the environment, for messages. */
export type ProxyVariables = { readonly [N in Name]?: { readonly variable: string; readonly value: string } };

/** `url` may hold credentials for the proxy. */
export type HttpProxy = { readonly url: URL; readonly variable: string };

export function readProxyVariables(environment: Readonly<Record<string, string | undefined>>): ProxyVariables {
  const read: { -readonly [N in Name]?: ProxyVariables[N] } = {};
  // As in curl, lower case comes first. An empty variable is one that is not set.
  for (const name of NAMES)
    for (const variable of [name.toUpperCase(), name]) {
      const value = environment[variable];
      if (value) read[name] = { variable, value };
    }
  return read;
}

/** Undefined: direct. Throws a ProxyError for an invalid variable: ignoring it would bypass the proxy. */
export function proxyFor(url: URL, variables: ProxyVariables): HttpProxy | undefined {
  const set = (url.protocol === 'https:' ? variables.https_proxy : variables.http_proxy) ?? variables.all_proxy;
  if (set === undefined || isDirect(url, variables.no_proxy?.value ?? '')) return undefined;
  const { variable, value } = set;
  // `proxy.example.com:3128` is common, and would otherwise be read as a scheme.
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  if (!URL.canParse(text)) throw new ProxyError(`${variable} is not the URL of a proxy`);
  const proxy = new URL(text);
  if (proxy.protocol !== 'http:' && proxy.protocol !== 'https:')
    throw new ProxyError(`${variable} names a proxy with the scheme ${proxy.protocol} but only http: and https: work`);
  return { url: proxy, variable };
}

export class ProxyError extends Error {
  override readonly name = 'ProxyError';
}

/** `*`, names with all below them, addresses and prefixes, by commas or blanks; each but prefixes may have a port. */
function isDirect(url: URL, noProxy: string): boolean {
  const host = url.hostname.replace(/^\[|\]$|\.$/g, '');
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  if (host === 'localhost' || host.endsWith('.localhost') || isLoopback(host)) return true;
  const entries = noProxy.toLowerCase().split(/[\s,]+/);
  return entries.some((entry) => entry !== '' && isMatch(entry, host, port));
}

function isMatch(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true;
  const [prefix = '', length] = entry.split('/');
  if (length !== undefined) return isIP(prefix) !== 0 && contains(subnet(prefix, Number(length)), host);
  if (isIP(entry) !== 0) return contains(subnet(entry), host);
  const [, name = '', entryPort = port] = /^\[?(.*?)\]?(?::(\d+))?$/.exec(entry) ?? [];
  if (entryPort !== port) return false;
  if (isIP(name) !== 0) return contains(subnet(name), host);
  const domain = name.replace(/^\*?\./, '').replace(/\.$/, '');
  return domain !== '' && (host === domain || host.endsWith(`.${domain}`));
}

/** An empty list if the length is invalid. */
function subnet(address: string, length?: number): BlockList {
  const list = new BlockList();
  const [family, bits] = isIP(address) === 6 ? (['ipv6', 128] as const) : (['ipv4', 32] as const);
  const used = length ?? bits;
  if (Number.isInteger(used) && used >= 0 && used <= bits) list.addSubnet(address, used, family);
  return list;
}

function isLoopback(host: string): boolean {
  return contains(subnet('127.0.0.0', 8), host) || contains(subnet('::1'), host);
}

function contains(list: BlockList, host: string): boolean {
  const family = isIP(host);
  return family !== 0 && list.check(host, family === 6 ? 'ipv6' : 'ipv4');
}
