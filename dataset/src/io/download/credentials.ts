import { readFileSync } from 'node:fs';

/**
 * The value of Authorization or Proxy-Authorization; undefined where the URL has neither user name
 * nor password.
 */
export function basicCredentials({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined;
  return `Basic ${Buffer.from(`${unescaped(username)}:${unescaped(password)}`).toString('base64')}`;
}

export function withoutCredentials(url: URL): URL {
  const bare = new URL(url);
  bare.username = '';
  bare.password = '';
  return bare;
}

/** For messages and logs. The query is left out as well, because it may contain a token. */
export function displayUrl({ protocol, host, pathname }: URL): string {
  return `${protocol}//${host}${pathname}`;
}

/** A % that does not begin an escape is allowed in a URL and is taken literally. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The User-Agent of all requests: the version, and a contact if the operator has set one. */
export function userAgent(contact: string | undefined): string {
  // A header is one line of ASCII; anything else would make node:http refuse every request.
  const printable = contact?.replace(/[^\x20-\x7e]+/g, '').trim() ?? '';
  return printable === '' ? `whence/${ownVersion()}` : `whence/${ownVersion()} (+${printable})`;
}

function ownVersion(): string {
  return JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'))
    .version;
}
