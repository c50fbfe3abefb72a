// A mail domain as asked in DNS: A-labels, lower case, no final dot (RFC 5890; RFC 8616 for SPF and
// DMARC).
import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';

const MAX_NAME_CHARACTERS = 253;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * Undefined if the text is not a domain name: an address, a bad label, a single label, too long.
 */
export function normalizeDomain(text: string): string | undefined {
  const written = text.trim().replace(/\.$/, '');
  // domainToASCII parses its argument as the host of a URL, so characters that end a host are
  // refused first.
  if (written === '' || /[\s/\\?#@:%[\]<>^|]/.test(written)) return undefined;
  const name = domainToASCII(written);
  const labels = name.split('.');
  if (name.length > MAX_NAME_CHARACTERS || labels.length < 2 || isIP(name) !== 0) return undefined;
  if (!labels.every((label) => LABEL.test(label)) || /^[0-9]+$/.test(labels.at(-1) ?? ''))
    return undefined;
  return name;
}
