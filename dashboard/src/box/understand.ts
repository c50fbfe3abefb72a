/**
 * What a text in the look-up box means: an address, a prefix, an AS number, a domain (also inside an email address or
 * a URL), or part of a network's name. Plain functions, so that the box can say what it understood before Enter.
 */
import { formatAddress, parseAddress } from '@whence/dataset/address';
import { parseAsn } from '@whence/dataset/as-number';
import { addressBits, formatPrefix, parseCidr } from '@whence/dataset/prefix';

export type Meaning =
  | { readonly kind: 'address'; readonly value: string; readonly from?: Origin }
  | { readonly kind: 'prefix'; readonly value: string }
  | { readonly kind: 'asn'; readonly value: number }
  | { readonly kind: 'domain'; readonly value: string; readonly from?: Origin }
  | { readonly kind: 'name'; readonly value: string };

/** The larger thing that the address or the domain was part of. */
export type Origin = 'URL' | 'email address' | 'address and port';

/** The most likely meaning first, then the alternatives; `problem` says why a text means nothing. */
export type Understood = { readonly meanings: readonly Meaning[]; readonly problem?: string };

const MAX_CHARACTERS = 2048;

export function understand(input: string): Understood {
  const text = refang(unwrap(input.trim()));
  if (text === '') return { meanings: [] };
  if (text.length > MAX_CHARACTERS) return { meanings: [], problem: 'This is long: use Batch for many addresses' };
  return (
    asAddress(text) ??
    asPrefix(text) ??
    asAsn(text) ??
    asUrl(text) ??
    asEmailAddress(text) ??
    asBrokenAddress(text) ??
    asDomain(text) ??
    asName(text)
  );
}

/** The address of the page that shows this. */
export function pathOf(meaning: Meaning): string {
  switch (meaning.kind) {
    case 'address':
      return `/ip/${meaning.value}`;
    case 'prefix':
      return `/prefix/${meaning.value}`;
    case 'asn':
      return `/asn/${meaning.value}`;
    case 'domain':
      return `/domain/${meaning.value}`;
    case 'name':
      return `/asn?q=${encodeURIComponent(meaning.value)}`;
  }
}

/** As the box says it: `domain example.com, from the email address`. */
export function describe(meaning: Meaning): string {
  switch (meaning.kind) {
    case 'address':
    case 'domain':
      return `${meaning.kind} ${meaning.value}${meaning.from === undefined ? '' : `, from the ${meaning.from}`}`;
    case 'prefix':
      return `prefix ${meaning.value}`;
    case 'asn':
      return `network AS${meaning.value}`;
    case 'name':
      return `networks named “${meaning.value}”`;
  }
}

/** Quotes and angle brackets come along when a value is copied from a log or a mail. */
function unwrap(text: string): string {
  return text.replace(/^["'<`]+|["'>`,;]+$/g, '').trim();
}

/** Reports write `hxxps://example[.]com` and `192.0.2[.]1` to keep links from being followed. */
function refang(text: string): string {
  return text
    .replace(/\[\.\]|\(\.\)|\[dot\]/gi, '.')
    .replace(/\[:\]/g, ':')
    .replace(/^hxxp/i, 'http')
    .replace(/\[at\]|\[@\]/gi, '@');
}

function asAddress(text: string): Understood | undefined {
  const plain = /^\[([0-9a-f:.]+)\]$/i.exec(text)?.[1] ?? text;
  const address = parseAddress(plain);
  if (address !== undefined) return { meanings: withPrefix({ kind: 'address', value: formatAddress(address) }) };
  const host = /^\[([0-9a-f:.]+)\]:\d{1,5}$/i.exec(text)?.[1] ?? /^([0-9.]+):\d{1,5}$/.exec(text)?.[1];
  const withPort = host === undefined ? undefined : parseAddress(host);
  if (withPort === undefined) return undefined;
  return { meanings: withPrefix({ kind: 'address', value: formatAddress(withPort), from: 'address and port' }) };
}

/** The block around an address is the next question: a /24, or the /48 of a site. */
function withPrefix(meaning: Extract<Meaning, { kind: 'address' }>): Meaning[] {
  const address = parseAddress(meaning.value);
  if (address === undefined) return [meaning];
  return [meaning, { kind: 'prefix', value: formatPrefix(address, address.version === 4 ? 24 : 48) }];
}

function asPrefix(text: string): Understood | undefined {
  const [base, length, more] = text.split('/');
  if (base === undefined || length === undefined || more !== undefined || parseAddress(base) === undefined) {
    return undefined;
  }
  const cidr = parseCidr(text);
  if (cidr === undefined) {
    const bits = base.includes(':') ? 128 : 32;
    return { meanings: [], problem: `The length of a prefix is a number from 0 to ${bits}` };
  }
  const prefix: Meaning = { kind: 'prefix', value: formatPrefix(cidr.address, cidr.length) };
  const address: Meaning = { kind: 'address', value: formatAddress(cidr.address) };
  const isOne = cidr.length === addressBits(cidr.address.version);
  return { meanings: isOne ? [address, prefix] : [prefix, address] };
}

function asAsn(text: string): Understood | undefined {
  const digits = /^(?:ASN?[\s:]?)?([0-9]+)$/i.exec(text)?.[1];
  if (digits === undefined) return undefined;
  const asn = parseAsn(digits);
  if (asn === undefined) return { meanings: [], problem: 'An AS number is at most 4294967295' };
  const isBare = digits === text;
  return { meanings: [{ kind: 'asn', value: asn }, ...(isBare ? [{ kind: 'name', value: text } as const] : [])] };
}

function asUrl(text: string): Understood | undefined {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return undefined;
  const host = hostOf(text);
  return host === undefined ? { meanings: [], problem: 'This URL has no host' } : hostMeanings(host, 'URL');
}

function asEmailAddress(text: string): Understood | undefined {
  const match = /^(?:mailto:)?[^\s@]+@([^\s@?]+)(?:\?.*)?$/i.exec(text);
  const domain = match?.[1] === undefined ? undefined : domainName(match[1]);
  return domain === undefined ? undefined : { meanings: [{ kind: 'domain', value: domain, from: 'email address' }] };
}

/** Half an address is more likely than a network that is named so. */
function asBrokenAddress(text: string): Understood | undefined {
  if (/^[0-9]{1,3}\.[0-9.]*$/.test(text)) {
    return { meanings: [], problem: 'An IPv4 address is four numbers from 0 to 255, such as 192.0.2.1' };
  }
  if (/^[0-9a-f]{0,4}:[0-9a-f:.]*(?:%\w+)?$/i.test(text)) {
    return { meanings: [], problem: 'An IPv6 address looks like 2001:db8::1, without a zone' };
  }
  return undefined;
}

function asDomain(text: string): Understood | undefined {
  const domain = domainName(text);
  if (domain !== undefined) {
    return {
      meanings: [
        { kind: 'domain', value: domain },
        { kind: 'name', value: text },
      ],
    };
  }
  // example.com/path and example.com:8080 without a scheme.
  if (!/^[^\s/:?#]+\.[^\s/:?#]+[/:?#]\S*$/.test(text)) return undefined;
  const host = hostOf(`http://${text}`);
  return host === undefined ? undefined : hostMeanings(host, 'URL');
}

function asName(text: string): Understood {
  return { meanings: [{ kind: 'name', value: text }] };
}

function hostMeanings(host: string, from: Origin): Understood {
  const address = parseAddress(host.replace(/^\[|\]$/g, ''));
  if (address !== undefined) return { meanings: withPrefix({ kind: 'address', value: formatAddress(address), from }) };
  const domain = domainName(host);
  return domain === undefined
    ? { meanings: [], problem: `${host} is not a domain` }
    : { meanings: [{ kind: 'domain', value: domain, from }] };
}

function hostOf(url: string): string | undefined {
  // A scheme that browsers do not know has an opaque host, which is neither lower-cased nor converted.
  const known = url.replace(/^[a-z][a-z0-9+.-]*:\/\//i, 'http://');
  return URL.canParse(known) ? new URL(known).hostname : undefined;
}

/** Lower case and in ASCII (RFC 5891), without the dot at the end; at least two labels. */
function domainName(text: string): string | undefined {
  if (!text.includes('.') || /[\s/:?#@\\[\]%]/.test(text)) return undefined;
  const host = hostOf(`http://${text}`)?.replace(/\.$/, '');
  if (host === undefined || host.length > 253) return undefined;
  const labels = host.split('.');
  const isLabel = (label: string) => /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label);
  const isTopLevel = /^(?:[a-z]{2,63}|xn--[a-z0-9-]{1,59})$/.test(labels.at(-1) ?? '');
  return labels.length >= 2 && isTopLevel && labels.every(isLabel) ? host : undefined;
}
