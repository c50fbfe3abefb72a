/**
 * Host and path of a request in the form in which rules are compared with them. A path that a web server serves as
 * /admin must not pass a rule for /admin because it was written as //admin, /x/../admin or /%61dmin.
 */
import { domainToASCII } from 'node:url';

/** Most hosts are written like this. Names that end with a digit may be addresses, and A-labels invalid. */
const NORMAL_HOST = /^(?!.*xn--)(?:[a-z0-9_-]+\.)*[a-z][a-z_-]*$/;
/** What may make a path differ from its normal form: an escape, a backslash, an empty segment or one with a dot. */
const ODD_PATH = /^[^/]|[%\\]|\/[/.]/;

/** Without port and final dot, in lower case, A-labels. Undefined if it is not a host name or an address. */
export function normalizeHost(text: string): string | undefined {
  if (NORMAL_HOST.test(text)) return text;
  const host = text
    .trim()
    .toLowerCase()
    .replace(/:\d{1,5}$/, '')
    .replace(/\.$/, '');
  if (/^\[[0-9a-f:.]+\]$/.test(host)) return host;
  const ascii = domainToASCII(host);
  return /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(ascii) ? ascii : undefined;
}

/** Without query and fragment, percent-encoding decoded once, without repeated slashes and dot segments (RFC 3986 §5.2.4). */
export function normalizePath(text: string): string {
  const cut = text.search(/[?#]/);
  const path = cut === -1 ? text : text.slice(0, cut);
  if (path !== '' && !ODD_PATH.test(path)) return path;
  const segments: string[] = [];
  const parts = decode(path).replaceAll('\\', '/').split('/');
  for (const part of parts) {
    if (part === '..') segments.pop();
    else if (part !== '' && part !== '.') segments.push(part);
  }
  const last = parts.at(-1) ?? '';
  const isFolder = segments.length > 0 && ['', '.', '..'].includes(last);
  return `/${segments.join('/')}${isFolder ? '/' : ''}`;
}

/** A sequence that is not valid UTF-8 stays as it is. */
function decode(path: string): string {
  return path.replace(/(%[0-9A-Fa-f]{2})+/g, (encoded) => {
    try {
      return decodeURIComponent(encoded);
    } catch {
      return encoded;
    }
  });
}
