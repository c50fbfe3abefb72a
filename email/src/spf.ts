/**
 * An SPF record as text: which TXT record it is (RFC 7208 §4.5) and what its terms say (§4.6.1, §5, §6, §12). Nothing
 * is asked here; spf-lookups.ts follows the terms.
 *
 *   record    = "v=spf1" *( 1*SP ( directive / modifier ) ) *SP
 *   directive = [ "+" / "-" / "?" / "~" ] mechanism
 *   modifier  = name "=" value
 *
 * The whole record must parse, also what stands after `all` (§4.6): every term is read and every fault is told.
 */
import { isIPv6 } from 'node:net';
import type { Qualifier } from './report.ts';
import { domainSpecFaults, parseMacroString } from './spf-macro.ts';

export type SpfSelection =
  | { readonly kind: 'none' }
  | { readonly kind: 'one'; readonly raw: string }
  | { readonly kind: 'multiple'; readonly raw: string; readonly count: number };

type Directive = { readonly text: string; readonly qualifier: Qualifier };

/** `text` is the term as written. `domain` is a domain-spec, macros unexpanded; `''` where it was left out. */
export type SpfTerm =
  | (Directive & { readonly kind: 'all' })
  | (Directive & { readonly kind: 'include' | 'exists' | 'ptr'; readonly domain: string })
  | (Directive & {
      readonly kind: 'a' | 'mx';
      readonly domain: string;
      readonly ip4Length: number;
      readonly ip6Length: number;
    })
  | (Directive & { readonly kind: 'ip4' | 'ip6'; readonly address: string; readonly length: number })
  | { readonly kind: 'redirect'; readonly text: string; readonly domain: string }
  | { readonly kind: 'exp'; readonly text: string; readonly domain: string }
  | { readonly kind: 'unknown'; readonly text: string; readonly name: string; readonly value: string };

export type SpfRecord = {
  /** Every term after the version as written, in order, also those that do not parse. */
  readonly mechanisms: string[];
  /** The terms that parse. */
  readonly terms: readonly SpfTerm[];
  readonly errors: string[];
};

/** Other TXT records are none of our business. Two SPF records are one too many, even if they are equal (§3.2). */
export function selectSpf(txt: readonly string[]): SpfSelection {
  const [raw, ...others] = txt.filter(isSpf);
  if (raw === undefined) return { kind: 'none' };
  return others.length === 0 ? { kind: 'one', raw } : { kind: 'multiple', raw, count: others.length + 1 };
}

export function parseSpf(raw: string): SpfRecord {
  const mechanisms: string[] = [];
  const terms: SpfTerm[] = [];
  const errors: string[] = [];
  const start = isSpf(raw) ? VERSION.length : 0;
  if (start === 0) errors.push('syntax_error: the record does not begin with v=spf1');
  for (const { 0: text, index } of raw.slice(start).matchAll(/[^ ]+/g)) {
    mechanisms.push(text);
    const term = parseTerm(text, terms);
    if (!isFaulty(term)) terms.push(term);
    else for (const fault of term) errors.push(syntaxError(text, `at character ${start + index + 1}`, fault));
  }
  return { mechanisms, terms, errors };
}

/** A term as it can stand in a sentence: without bytes that are not text, and not a screenful of it. */
export function quoteTerm(text: string): string {
  const visible = text.replace(UNPRINTABLE, (character) => `\\x${hex(character)}`);
  return visible.length > MAX_QUOTED ? `"${visible.slice(0, MAX_QUOTED)}…"` : `"${visible}"`;
}

export function syntaxError(term: string, place: string, fault: string): string {
  return `syntax_error: ${quoteTerm(term)} ${place}: ${fault}`;
}

const VERSION = 'v=spf1';
const UNPRINTABLE = /[^\x21-\x7e]/g;
const MAX_QUOTED = 100;
const MODIFIER = /^([a-z][a-z\d\-_.]*)=(.*)$/is;
const DIRECTIVE = /^([+\-?~]?)([^:/]*)(.*)$/s;
const QNUM = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const IP4 = new RegExp(`^${QNUM}(?:\\.${QNUM}){3}$`);
const MAX_IP4_LENGTH = 32;
const MAX_IP6_LENGTH = 128;

/** What is wrong with a term, one sentence each. */
type Faults = readonly string[];

function isSpf(text: string): boolean {
  return text.slice(0, VERSION.length).toLowerCase() === VERSION && (text[VERSION.length] ?? ' ') === ' ';
}

function isFaulty(result: SpfTerm | Faults): result is Faults {
  return Array.isArray(result);
}

function hex(character: string): string {
  return character.charCodeAt(0).toString(16).padStart(2, '0');
}

function parseTerm(text: string, before: readonly SpfTerm[]): SpfTerm | Faults {
  // §3.1, §4.6.1: only spaces separate terms. A TAB or a line end belongs to its term, and spoils it.
  const strange = new Set(text.match(UNPRINTABLE));
  if (strange.size > 0) {
    const codes = [...strange].slice(0, 5).map((character) => `0x${hex(character)}`);
    return [`contains ${codes.join(', ')}; only printable ASCII characters and spaces are allowed`];
  }
  const [, name, value] = MODIFIER.exec(text) ?? [];
  if (name !== undefined && value !== undefined) return parseModifier(text, name, value, before);
  return parseDirective(text);
}

function parseModifier(text: string, name: string, value: string, before: readonly SpfTerm[]): SpfTerm | Faults {
  const kind = name.toLowerCase();
  if (kind !== 'redirect' && kind !== 'exp') {
    const { faults } = parseMacroString(value);
    return faults.length > 0 ? faults : { kind: 'unknown', text, name, value };
  }
  // A bad value does not make it an unknown modifier, which would be ignored: the names are taken (§6).
  const faults = [...domainSpecFaults(value)];
  if (before.some((term) => term.kind === kind)) faults.push(`${kind}= may stand in a record only once`);
  return faults.length > 0 ? faults : { kind, text, domain: value };
}

function parseDirective(text: string): SpfTerm | Faults {
  const [, sign = '', name = '', argument = ''] = DIRECTIVE.exec(text) ?? [];
  const qualifier = (sign || '+') as Qualifier; // the expression lets no other sign through
  const kind = name.toLowerCase();
  switch (kind) {
    case 'all':
      return argument === '' ? { kind, text, qualifier } : ['all takes no argument'];
    case 'include':
    case 'exists':
    case 'ptr': {
      if (argument === '' && kind === 'ptr') return { kind, text, qualifier, domain: '' };
      if (!argument.startsWith(':'))
        return [argument === '' ? `${kind} needs a domain` : `${kind} takes no prefix length`];
      const domain = argument.slice(1);
      const faults = domainSpecFaults(domain);
      return faults.length > 0 ? faults : { kind, text, qualifier, domain };
    }
    case 'a':
    case 'mx': {
      const target = parseTarget(argument);
      return 'faults' in target ? target.faults : { kind, text, qualifier, ...target };
    }
    case 'ip4':
    case 'ip6': {
      const network = parseNetwork(kind, argument);
      return 'faults' in network ? network.faults : { kind, text, qualifier, ...network };
    }
    case 'redirect':
    case 'exp':
      return [`${kind} is a modifier and is written ${kind}=`];
    default:
      return [`${quoteTerm(name)} is not a mechanism`];
  }
}

/**
 * `[":" domain-spec] ["/" ip4-length] ["//" ip6-length]`. A domain-spec may contain slashes (`a:b/c.example.com`), so
 * the lengths are taken from the end; what is left of a wrong one fails as the end of a domain.
 */
function parseTarget(
  argument: string,
): { domain: string; ip4Length: number; ip6Length: number } | { faults: readonly string[] } {
  const lengths = /(?:\/(\d+))?(?:\/\/(\d+))?$/.exec(argument);
  const rest = argument.slice(0, lengths?.index);
  if (/\/\d+$/.test(rest)) return { faults: ['an IPv6 prefix length is written with two slashes'] };
  const faults: string[] = [];
  if (rest !== '' && !rest.startsWith(':')) faults.push('the prefix length is not a number');
  else if (rest !== '') faults.push(...domainSpecFaults(rest.slice(1)));
  const ip4Length = parseLength(lengths?.[1], MAX_IP4_LENGTH);
  const ip6Length = parseLength(lengths?.[2], MAX_IP6_LENGTH);
  if (ip4Length === undefined) faults.push(lengthFault(4, MAX_IP4_LENGTH));
  if (ip6Length === undefined) faults.push(lengthFault(6, MAX_IP6_LENGTH));
  if (faults.length > 0 || ip4Length === undefined || ip6Length === undefined) return { faults };
  return { domain: rest.slice(1), ip4Length, ip6Length };
}

/** `":" address ["/" length]`, no macros. */
function parseNetwork(
  kind: 'ip4' | 'ip6',
  argument: string,
): { address: string; length: number } | { faults: readonly string[] } {
  const [version, max] = kind === 'ip4' ? ([4, MAX_IP4_LENGTH] as const) : ([6, MAX_IP6_LENGTH] as const);
  if (!argument.startsWith(':')) return { faults: [`${kind} needs an address`] };
  const slash = argument.indexOf('/');
  const address = argument.slice(1, slash < 0 ? undefined : slash);
  const faults: string[] = [];
  // isIPv6 takes zone ids (fe80::1%eth0), which are no part of an address that is published.
  const isAddress = version === 4 ? IP4.test(address) : isIPv6(address) && !address.includes('%');
  if (!isAddress) faults.push(`${quoteTerm(address)} is not an IPv${version} address`);
  const length = parseLength(slash < 0 ? undefined : argument.slice(slash + 1), max);
  if (length === undefined) faults.push(lengthFault(version, max));
  return faults.length > 0 || length === undefined ? { faults } : { address, length };
}

/** §5.6: no leading zeros. A length that is not given means the whole address. */
function parseLength(digits: string | undefined, max: number): number | undefined {
  if (digits === undefined) return max;
  return /^(?:0|[1-9]\d{0,2})$/.test(digits) && Number(digits) <= max ? Number(digits) : undefined;
}

function lengthFault(version: 4 | 6, max: number): string {
  return `an IPv${version} prefix length is a number from 0 to ${max} without leading zeros`;
}
