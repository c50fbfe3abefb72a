/** How we present ourselves to those who publish feeds: with a version, and with someone to write to where the operator names one. */
import { readFileSync } from 'node:fs';

export function userAgent(contact: string | undefined): string {
  // A header is one line of Latin letters; anything else would make fetch refuse every request.
  const printable = contact?.replace(/[^\x20-\x7e]+/g, '').trim() ?? '';
  return printable === '' ? `whence/${ownVersion()}` : `whence/${ownVersion()} (+${printable})`;
}

function ownVersion(): string {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version;
}
