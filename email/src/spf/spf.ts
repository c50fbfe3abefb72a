// The text of an SPF record: which TXT record it is (RFC 7208 §4.5), and its terms (§4.6.1, §5, §6,
// §12). No DNS queries here; lookups.ts follows the terms.
//
//     record    = "v=spf1" *( 1*SP ( directive / modifier ) ) *SP
//     directive = [ "+" / "-" / "?" / "~" ] mechanism
//     modifier  = name "=" value
//
// The whole record must parse, including what follows `all` (§4.6): every term is read and every
// fault is reported.
import { isIPv6 } from 'node:net';
import { MAX_SPF_TERMS, MAX_TXT_BYTES } from '../dns/budget.ts';
import { type Finding, FindingList } from '../findings/finding.ts';
import type { SpfFault } from '../findings/spf-fault.ts';
import type { Qualifier } from '../report.ts';
import { excerpt } from '../visible-text.ts';
import { domainSpecFaults, parseMacroString } from './macro.ts';

export type SpfSelection =
  | { readonly kind: 'none' }
  | { readonly kind: 'one'; readonly raw: string }
  | { readonly kind: 'multiple'; readonly raw: string; readonly raws: readonly string[] };

type Directive = { readonly text: string; readonly qualifier: Qualifier };

/**
 * `text` is the term as written. `domain` is a domain-spec with macros unexpanded, `''` if omitted.
 */
export type SpfTerm =
  | (Directive & { readonly kind: 'all' })
  | (Directive & { readonly kind: 'include' | 'exists' | 'ptr'; readonly domain: string })
  | (Directive & {
      readonly kind: 'a' | 'mx';
      readonly domain: string;
      readonly ip4Length: number;
      readonly ip6Length: number;
    })
  | (Directive & {
      readonly kind: 'ip4' | 'ip6';
      readonly address: string;
      readonly length: number;
    })
  | { readonly kind: 'redirect'; readonly text: string; readonly domain: string }
  | { readonly kind: 'exp'; readonly text: string; readonly domain: string }
  | {
      readonly kind: 'unknown';
      readonly text: string;
      readonly name: string;
      readonly value: string;
    };

export type SpfRecord = {
  /** Every term after the version as written, in order, including those that do not parse. */
  readonly mechanisms: readonly string[];
  readonly terms: readonly SpfTerm[];
  /** Each a `syntax_error`, and `more_errors` if there are many. */
  readonly errors: readonly Finding[];
};

/** Ignores other TXT records. Two SPF records are an error, even if they are equal (§3.2). */
export function selectSpf(txt: readonly string[]): SpfSelection {
  const [raw, ...others] = txt.filter(isSpf);
  if (raw === undefined) return { kind: 'none' };
  return others.length === 0
    ? { kind: 'one', raw }
    : { kind: 'multiple', raw, raws: [raw, ...others] };
}

/** Whether the record is parsed. As many `ip4` terms as fit into MAX_TXT_BYTES are. */
export function isReadable(raw: string): boolean {
  return raw.length <= MAX_TXT_BYTES && (raw.match(/[^ ]+/g)?.length ?? 0) <= MAX_SPF_TERMS;
}

/**
 * A TXT record that was meant as SPF, but is not read as such: indented, in quotation marks,
 * `v=spf1;`, `v=spf 1`.
 */
export function findLookalike(txt: readonly string[]): string | undefined {
  return txt.find((text) => LOOKALIKE.test(text) && !isSpf(text));
}

const parsed = new Map<string, SpfRecord>();
/** A check reads the same records many times. With concurrent checks some are parsed again. */
const MAX_PARSED = 16;

export function parseSpf(raw: string): SpfRecord {
  let record = parsed.get(raw);
  if (record !== undefined) return record;
  record = parse(raw);
  parsed.set(raw, record);
  const [oldest = ''] = parsed.keys();
  if (parsed.size > MAX_PARSED) parsed.delete(oldest);
  return record;
}

function parse(raw: string): SpfRecord {
  const mechanisms: string[] = [];
  const terms: SpfTerm[] = [];
  const errors = new FindingList();
  const start = isSpf(raw) ? VERSION.length : 0;
  if (start === 0) errors.add({ code: 'syntax_error', detail: { kind: 'version' } });
  let character = start + 1;
  for (const text of raw.slice(start).split(' ')) {
    const position = character;
    character += text.length + 1;
    if (text === '') continue;
    // For unreadable records: some rules look at their beginning.
    if (mechanisms.length === MAX_SPF_TERMS) break;
    mechanisms.push(text);
    const term = parseTerm(text, terms);
    if (!isFaulty(term)) terms.push(term);
    else if (errors.isFull) errors.addLeftOut(term.length);
    else {
      const place = { kind: 'term', term: excerptOfTerm(text), character: position } as const;
      for (const fault of term) errors.add({ code: 'syntax_error', detail: { ...place, fault } });
    }
  }
  return { mechanisms, terms, errors: errors.toArray() };
}

/** What a receiver evaluates: nothing after `all` (§5.1), `redirect` only without `all` (§6.1). */
export function evaluatedTerms(terms: readonly SpfTerm[]): readonly SpfTerm[] {
  const allAt = terms.findIndex(({ kind }) => kind === 'all');
  if (allAt < 0) return terms;
  return terms.slice(0, allAt + 1).filter(({ kind }) => kind !== 'redirect');
}

/** A term, or a part of one, as a finding shows it. */
export function excerptOfTerm(text: string): string {
  return excerpt(text, MAX_QUOTED);
}

const VERSION = 'v=spf1';
/** Also an HTML entity, or the beginning of a line of a zone file, before it. */
const LOOKALIKE =
  /^(?:&#?\w{2,6};|[\w.@-]{0,255}[ \t]+(?:\d{1,9}[ \t]+)?(?:IN[ \t]+)?TXT[ \t]+)?\W{0,9}(?:v[ \t]*=[ \t]*spf(?!2)|spf1\b)/i;
const UNPRINTABLE = /[^\x21-\x7e]/;
/** Characters of a term that a finding shows. */
const MAX_QUOTED = 100;
const MODIFIER = /^([a-z][a-z\d\-_.]*)=(.*)$/is;
const DIRECTIVE = /^([+\-?~]?)([^:/]*)(.*)$/s;
const QNUM = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const IP4 = new RegExp(`^${QNUM}(?:\\.${QNUM}){3}$`);
const MAX_IP4_LENGTH = 32;
const MAX_IP6_LENGTH = 128;

type Faults = readonly SpfFault[];

function isSpf(text: string): boolean {
  return (
    text.slice(0, VERSION.length).toLowerCase() === VERSION && (text[VERSION.length] ?? ' ') === ' '
  );
}

function isFaulty(result: SpfTerm | Faults): result is Faults {
  return Array.isArray(result);
}

/** The first five different ones, as `0x09`. */
function unprintableBytes(text: string): string[] {
  const bytes = [...new Set(text.match(new RegExp(UNPRINTABLE, 'g')))].slice(0, 5);
  return bytes.map((byte) => `0x${byte.charCodeAt(0).toString(16).padStart(2, '0')}`);
}

function parseTerm(text: string, before: readonly SpfTerm[]): SpfTerm | Faults {
  // §3.1, §4.6.1: only spaces separate terms. A TAB or a line break belongs to its term and makes
  // it invalid.
  if (UNPRINTABLE.test(text)) return [{ kind: 'unprintable', bytes: unprintableBytes(text) }];
  const [, name, value] = MODIFIER.exec(text) ?? [];
  if (name !== undefined && value !== undefined) return parseModifier(text, name, value, before);
  return parseDirective(text);
}

function parseModifier(
  text: string,
  name: string,
  value: string,
  before: readonly SpfTerm[],
): SpfTerm | Faults {
  const kind = name.toLowerCase();
  if (kind !== 'redirect' && kind !== 'exp') {
    const { faults } = parseMacroString(value);
    return faults.length > 0 ? faults : { kind: 'unknown', text, name, value };
  }
  // §6: a bad value does not make it an unknown modifier, which would be ignored.
  const faults = [...domainSpecFaults(value)];
  if (before.some((term) => term.kind === kind))
    faults.push({ kind: 'repeated modifier', name: kind });
  return faults.length > 0 ? faults : { kind, text, domain: value };
}

function parseDirective(text: string): SpfTerm | Faults {
  const [, sign = '', name = '', argument = ''] = DIRECTIVE.exec(text) ?? [];
  const qualifier = (sign || '+') as Qualifier; // the expression lets no other sign through
  const kind = name.toLowerCase();
  switch (kind) {
    case 'all':
      return argument === '' ? { kind, text, qualifier } : [{ kind: 'all with argument' }];
    case 'include':
    case 'exists':
    case 'ptr': {
      if (argument === '' && kind === 'ptr') return { kind, text, qualifier, domain: '' };
      if (!argument.startsWith(':'))
        return [
          { kind: argument === '' ? 'no domain' : 'unexpected prefix length', mechanism: kind },
        ];
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
      return [{ kind: 'modifier as mechanism', name: kind }];
    default:
      return [{ kind: 'unknown mechanism', name: excerptOfTerm(name) }];
  }
}

// `[":" domain-spec] ["/" ip4-length] ["//" ip6-length]`. A domain-spec may contain slashes, so the
// lengths are taken from the end; the rest of a malformed length fails as the end of a domain.
function parseTarget(
  argument: string,
): { domain: string; ip4Length: number; ip6Length: number } | { faults: Faults } {
  if (argument === '') return { domain: '', ip4Length: MAX_IP4_LENGTH, ip6Length: MAX_IP6_LENGTH };
  const lengths = /(?:\/(\d+))?(?:\/\/(\d+))?$/.exec(argument);
  const rest = argument.slice(0, lengths?.index);
  if (/\/\d+$/.test(rest)) return { faults: [{ kind: 'IPv6 length after one slash' }] };
  const faults: SpfFault[] = [];
  if (rest !== '' && !rest.startsWith(':')) faults.push({ kind: 'prefix length not a number' });
  else if (rest !== '') faults.push(...domainSpecFaults(rest.slice(1)));
  const ip4Length = parseLength(lengths?.[1], MAX_IP4_LENGTH);
  const ip6Length = parseLength(lengths?.[2], MAX_IP6_LENGTH);
  if (ip4Length === undefined)
    faults.push({ kind: 'bad prefix length', version: 4, max: MAX_IP4_LENGTH });
  if (ip6Length === undefined)
    faults.push({ kind: 'bad prefix length', version: 6, max: MAX_IP6_LENGTH });
  if (faults.length > 0 || ip4Length === undefined || ip6Length === undefined) return { faults };
  return { domain: rest.slice(1), ip4Length, ip6Length };
}

/** `":" address ["/" length]`, no macros. */
function parseNetwork(
  kind: 'ip4' | 'ip6',
  argument: string,
): { address: string; length: number } | { faults: Faults } {
  const [version, max] =
    kind === 'ip4' ? ([4, MAX_IP4_LENGTH] as const) : ([6, MAX_IP6_LENGTH] as const);
  if (!argument.startsWith(':')) return { faults: [{ kind: 'no address', mechanism: kind }] };
  const slash = argument.indexOf('/');
  const address = argument.slice(1, slash < 0 ? undefined : slash);
  const faults: SpfFault[] = [];
  // isIPv6 accepts zone ids (fe80::1%eth0), which do not belong in a published address.
  const isAddress = version === 4 ? IP4.test(address) : isIPv6(address) && !address.includes('%');
  if (!isAddress) faults.push({ kind: 'not an address', address: excerptOfTerm(address), version });
  const length = parseLength(slash < 0 ? undefined : argument.slice(slash + 1), max);
  if (length === undefined) faults.push({ kind: 'bad prefix length', version, max });
  return faults.length > 0 || length === undefined ? { faults } : { address, length };
}

/** §5.6: no leading zeros. Without a length, the whole address is meant. */
function parseLength(digits: string | undefined, max: number): number | undefined {
  if (digits === undefined) return max;
  return /^(?:0|[1-9]\d{0,2})$/.test(digits) && Number(digits) <= max ? Number(digits) : undefined;
}
