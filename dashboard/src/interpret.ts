/**
 * Interprets the text of the lookup field: an address, a prefix, an AS number, a domain (also
 * inside an email address or a URL), or part of a network's name.
 */
import { formatAddress, parseAddress } from '@whence/dataset/address';
import { parseAsn } from '@whence/dataset/as-number';
import { addressBits, formatPrefix, parseCidr } from '@whence/dataset/prefix';
import { unicodeDomain } from './unicode-domain.ts';

/** `from`: what the value was extracted from. */
export type LookupTarget = {
  readonly kind: 'address' | 'prefix' | 'asn' | 'domain' | 'name';
  readonly value: string;
  readonly from?: 'URL' | 'email address' | 'address and port';
};

/** The most likely target first, then the alternatives. `problem` says why a text has none. */
type Interpretation = { readonly targets: readonly LookupTarget[]; readonly problem?: string };

const only = (...targets: LookupTarget[]): Interpretation => ({ targets });
const refused = (problem: string): Interpretation => ({ targets: [], problem });

const MAX_CHARACTERS = 2048;

export function interpret(input: string): Interpretation {
  const text = refang(unwrap(input.trim()));
  if (text === '') return only();
  if (text.length > MAX_CHARACTERS)
    return refused('This text is too long: Look up takes many addresses');
  return (
    asAddress(text) ??
    asPrefix(text) ??
    asAsn(text) ??
    asUrl(text) ??
    asEmailAddress(text) ??
    asBrokenAddress(text) ??
    asDomain(text) ??
    only({ kind: 'name', value: text })
  );
}

const PATHS = {
  address: '/ip/',
  prefix: '/prefix/',
  asn: '/asn/',
  domain: '/domain/',
  name: '/asn?q=',
} as const;

/** The path of the page that shows the target. */
export function pathOf({ kind, value }: LookupTarget): string {
  return PATHS[kind] + (kind === 'name' ? encodeURIComponent(value) : value);
}

/** In words: `domain example.com, from the email address`. */
export function describe({ kind, value, from }: LookupTarget): string {
  if (kind === 'asn') return `network AS${value}`;
  if (kind === 'name') return `networks named “${value}”`;
  const words = kind === 'domain' ? unicodeDomain(value) : value;
  return `${kind} ${words}${from === undefined ? '' : `, from the ${from}`}`;
}

/** Removes quotes and angle brackets, which values copied from a log or an email often have. */
function unwrap(text: string): string {
  return text.replace(/^["'<`]+|["'>`,;]+$/g, '').trim();
}

/**
 * Threat reports write `hxxps://example[.]com` and `192.0.2[.]1` so that links cannot be followed.
 */
function refang(text: string): string {
  return text
    .replace(/\[\.\]|\(\.\)|\[dot\]/gi, '.')
    .replace(/\[:\]/g, ':')
    .replace(/^hxxp/i, 'http')
    .replace(/\[at\]|\[@\]/gi, '@');
}

function asAddress(text: string): Interpretation | undefined {
  const withPort =
    /^\[([0-9a-f:.]+)\](:\d{1,5})?$/i.exec(text) ?? /^([0-9.]+)(:\d{1,5})$/.exec(text);
  const [, host = text, port] = withPort ?? [];
  return addressTargets(host, port === undefined ? undefined : 'address and port');
}

/** With the surrounding /24 or /48 as an alternative. */
function addressTargets(text: string, from: LookupTarget['from']): Interpretation | undefined {
  const address = parseAddress(text);
  if (address === undefined) return undefined;
  return only(
    { kind: 'address', value: formatAddress(address), ...(from && { from }) },
    { kind: 'prefix', value: formatPrefix(address, address.version === 4 ? 24 : 48) },
  );
}

function asPrefix(text: string): Interpretation | undefined {
  const [base = '', length, more] = text.split('/');
  if (length === undefined || more !== undefined || parseAddress(base) === undefined)
    return undefined;
  const cidr = parseCidr(text);
  if (cidr === undefined)
    return refused(`A prefix length is a number from 0 to ${base.includes(':') ? 128 : 32}`);
  const prefix: LookupTarget = { kind: 'prefix', value: formatPrefix(cidr.address, cidr.length) };
  const address: LookupTarget = { kind: 'address', value: formatAddress(cidr.address) };
  return cidr.length === addressBits(cidr.address.version)
    ? only(address, prefix)
    : only(prefix, address);
}

function asAsn(text: string): Interpretation | undefined {
  const digits = /^(?:ASN?[\s:]?)?([0-9]+)$/i.exec(text)?.[1];
  if (digits === undefined) return undefined;
  const asn = parseAsn(digits);
  if (asn === undefined) return refused('An AS number is at most 4294967295');
  const network: LookupTarget = { kind: 'asn', value: String(asn) };
  return digits === text ? only(network, { kind: 'name', value: text }) : only(network);
}

function asUrl(text: string): Interpretation | undefined {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return undefined;
  const host = hostOf(text);
  return host === undefined ? refused('This URL has no host') : hostTargets(host);
}

function asEmailAddress(text: string): Interpretation | undefined {
  const match = /^(?:mailto:)?[^\s@]+@([^\s@?]+)(?:\?.*)?$/i.exec(text);
  const domain = match?.[1] === undefined ? undefined : domainName(match[1]);
  return domain === undefined
    ? undefined
    : only({ kind: 'domain', value: domain, from: 'email address' });
}

/** An incomplete address is more likely than a network with such a name. */
function asBrokenAddress(text: string): Interpretation | undefined {
  if (/^[0-9]{1,3}\.[0-9.]*$/.test(text))
    return refused('An IPv4 address is four numbers from 0 to 255, such as 192.0.2.1');
  if (/^[0-9a-f]{0,4}:[0-9a-f:.]*(?:%\w+)?$/i.test(text))
    return refused('An IPv6 address looks like 2001:db8::1, without a zone');
  return undefined;
}

function asDomain(text: string): Interpretation | undefined {
  const domain = domainName(text);
  if (domain !== undefined)
    return only({ kind: 'domain', value: domain }, { kind: 'name', value: text });
  // example.com/path and example.com:8080 without a scheme.
  if (!/^[^\s/:?#]+\.[^\s/:?#]+[/:?#]\S*$/.test(text)) return undefined;
  const host = hostOf(`http://${text}`);
  return host === undefined ? undefined : hostTargets(host);
}

function hostTargets(host: string): Interpretation {
  const address = addressTargets(host.replace(/^\[|\]$/g, ''), 'URL');
  if (address !== undefined) return address;
  const domain = domainName(host);
  return domain === undefined
    ? refused(`${host} is not a domain`)
    : only({ kind: 'domain', value: domain, from: 'URL' });
}

function hostOf(url: string): string | undefined {
  // The host of an unknown scheme is opaque: it is neither lower-cased nor converted to ASCII.
  const withHttp = url.replace(/^[a-z][a-z0-9+.-]*:\/\//i, 'http://');
  return URL.canParse(withHttp) ? new URL(withHttp).hostname : undefined;
}

/** Lower case and in ASCII (RFC 5891), without the dot at the end; at least two labels. */
export function domainName(text: string): string | undefined {
  if (!text.includes('.') || /[\s/:?#@\\[\]%]/.test(text)) return undefined;
  const host = hostOf(`http://${text}`)?.replace(/\.$/, '');
  if (host === undefined || host.length > 253) return undefined;
  const labels = host.split('.');
  const isLabel = (label: string) => /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label);
  const isTopLevel = /^(?:[a-z]{2,63}|xn--[a-z0-9-]{1,59})$/.test(labels.at(-1) ?? '');
  return labels.length >= 2 && isTopLevel && labels.every(isLabel) ? host : undefined;
}

/** `text` is what the batch reads, `words` says what it is. */
export type AddressList = { readonly text: string; readonly words: string };

/**
 * Pasted text with more than one line. What the lines contain is left to the batch, which reads
 * logs too.
 */
export function pastedLines(text: string): AddressList | undefined {
  const lines = text.split(/\r\n|\r|\n/).filter((line) => line.trim() !== '').length;
  return lines < 2 ? undefined : { text, words: `batch of ${lines.toLocaleString('en')} lines` };
}

/** Addresses on one line, separated by spaces, commas or semicolons. */
export function typedAddresses(text: string): AddressList | undefined {
  const words = text.split(/[\s,;]+/).filter((word) => word !== '');
  if (words.length < 2 || !words.every((word) => parseAddress(word) !== undefined))
    return undefined;
  return { text, words: `batch of ${words.length} addresses` };
}
