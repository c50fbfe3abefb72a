/**
 * New SPF records made from present ones, and the repair of the mistakes that people make in them.
 */
import { isIPv4, isIPv6 } from 'node:net';
import { domainToASCII } from 'node:url';
import { repairCharacters } from '../records/pasted-text.ts';
import { parseSpf } from './spf.ts';
import { isOpen } from './summary.ts';

/**
 * The record with the terms in order and `all` with the qualifier: in place of the first `all`, or
 * at the end.
 */
export function withAll(terms: readonly string[], qualifier: '-' | '~'): string {
  const all = `${qualifier}all`;
  const at = terms.findIndex(isAll);
  return recordOf(at < 0 ? [...terms, all] : [...terms.slice(0, at), all, ...terms.slice(at + 1)]);
}

export function recordOf(terms: readonly string[]): string {
  return ['v=spf1', ...terms].join(' ');
}

export function isAll(term: string): boolean {
  return /^[+\-?~]?all$/i.test(term);
}

/** Without terms that let everyone pass, but for `all`, whose qualifier is decided elsewhere. */
export function closedTerms(terms: readonly string[], openTerms: readonly string[] = []): string[] {
  const openByThemselves = parseSpf(recordOf(terms))
    .terms.filter(isOpen)
    .map(({ text }) => text);
  const open = [...openTerms, ...openByThemselves];
  return terms.filter((term) => isAll(term) || !open.includes(term));
}

/** `redirect=` has no effect beside `all`; as an include, the same hosts pass. */
export function redirectAsInclude(term: string): string {
  return term.replace(/^redirect=/i, 'include:');
}

/** `v=spf1 -all` and nothing else: no host may send. */
export function isOnlyMinusAll(raw: string): boolean {
  return /^v=spf1 +-all *$/i.test(raw);
}

/** No term but `all` lets a server send: all have another qualifier than `+`, or there is none. */
export function listsNoSender(raw: string): boolean {
  return parseSpf(raw).terms.every((term) => {
    if (term.kind === 'all' || term.kind === 'exp' || term.kind === 'unknown') return true;
    return term.kind !== 'redirect' && term.qualifier !== '+';
  });
}

/**
 * The terms of a record, or of what was meant as one, with common mistakes repaired; undefined if
 * that does not do.
 */
export function repairedTerms(raw: string): string[] | undefined {
  if (raw.length > MAX_RECORD_BYTES) return undefined;
  const text = repairCharacters(raw)
    .text.replace(/^\W{0,9}(?:v[ \t]*[=:][ \t]*)?spf[ \t]*1?[\s:;,"']*/i, '')
    .replace(/(?<![\s"';,])[\s"';,]+$/, '');
  const pieces = text.split(/[\s,;]+/).flatMap(splitGlued);
  const terms: string[] = [];
  for (let i = 0; i < pieces.length; i++) {
    let piece = pieces[i] ?? '';
    // `include: a.example`, `- all`
    if (/^[+\-?~]?[a-z\d]+[:=]$|^[+\-?~]$/i.test(piece)) piece += pieces[++i] ?? '';
    const term = repairTerm(piece.replace(/^["']+|(?<!["'.])["'.]+$/g, ''));
    if (!/^v=spf1$/i.test(term) && term !== '') terms.push(term);
  }
  return parseSpf(recordOf(terms)).errors.length === 0 ? terms : undefined;
}

/**
 * A term that is two without the blank between them: strings of a record are joined as they are.
 */
export function gluedTerm(terms: readonly string[]): string | undefined {
  return terms.find((term) => splitGlued(term).length > 1);
}

function splitGlued(piece: string): string[] {
  return piece.split(GLUED).filter((part) => part !== '');
}

const GLUED = /(?<=[a-z0-9])(?=(?:[+\-?~]?(?:include:|ip4:|ip6:|exists:)|redirect=|[+\-?~]all$))/i;

/**
 * Longer records are neither rewritten nor proposed: the report does not show them in full either.
 */
export const MAX_RECORD_BYTES = 4096;

const MECHANISM =
  /^([+\-?~]?)(include|includes|inlcude|incldue|inculde|incude|a|mx|ptr|exists|ip|ip4|ip6|ipv4|ipv6)[:=](.+)$/i;
const HOST_NAME = /^(?:[a-z0-9_](?:[a-z0-9_-]*[a-z0-9])?\.)+[a-z][a-z0-9-]*$/i;

/**
 * Without what a link has around its host, and with A-labels: the bytes of a record are Latin-1
 * characters.
 */
function hostOf(value: string): string {
  const host = /^https?:\/\/([^/]+)\/*$/i.exec(value)?.[1] ?? value;
  if (!/[\x80-\xff]/.test(host)) return host;
  return domainToASCII(Buffer.from(host, 'latin1').toString('utf8')) || host;
}

function repairTerm(term: string): string {
  const redirect = /^redirect[:=](.+)$/i.exec(term)?.[1];
  if (redirect !== undefined) return `redirect=${hostOf(redirect)}`;
  if (addressMechanism(term) !== undefined) return `${addressMechanism(term)}:${term}`;
  const [, sign = '', name = '', written = ''] = MECHANISM.exec(term) ?? [];
  if (name === '') return term;
  const mechanism = name.toLowerCase().replace(/^inc.*|^inl.*/, 'include');
  const value = hostOf(written);
  // A host name where an address belongs.
  if (/^ip/.test(mechanism) && HOST_NAME.test(value)) return `${sign}a:${value}`;
  const byAddress = addressMechanism(value);
  // An address in a mechanism that takes a name, or in the one for the other version.
  return `${sign}${byAddress ?? { ip: 'ip4', ipv4: 'ip4', ipv6: 'ip6' }[mechanism] ?? mechanism}:${value}`;
}

/** `ip4` or `ip6` for an address, with or without a prefix length. */
function addressMechanism(text: string): 'ip4' | 'ip6' | undefined {
  const [address = '', length = '', ...more] = text.split('/');
  if (more.length > 0 || !/^\d*$/.test(length)) return undefined;
  if (isIPv4(address)) return 'ip4';
  return isIPv6(address) ? 'ip6' : undefined;
}

const MAX_FRAGMENT_BYTES = 512;

/** A TXT record that is the rest of an SPF record: only terms, no version. */
export function isFragment(text: string): boolean {
  if (/^\s*"?v\s*=/i.test(text) || text.length > MAX_FRAGMENT_BYTES) return false;
  const { terms, errors } = parseSpf(`v=spf1 ${text.trim()}`);
  return (
    errors.length === 0 &&
    terms.length > 0 &&
    terms.every(({ kind }) => kind !== 'unknown' && kind !== 'exp')
  );
}
