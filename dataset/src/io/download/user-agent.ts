/** The User-Agent of all requests: the version, and a contact if the operator has set one. */
import { readFileSync } from 'node:fs';

export function userAgent(contact: string | undefined): string {
  // A header is one line of ASCII; anything else would make node:http refuse every request.
  const printable = contact?.replace(/[^\x20-\x7e]+/g, '').trim() ?? '';
  return printable === '' ? `whence/${ownVersion()}` : `whence/${ownVersion()} (+${printable})`;
}

function ownVersion(): string {
  return JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')).version;
}
