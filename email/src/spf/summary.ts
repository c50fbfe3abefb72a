// What the walk over an include tree keeps of a record: one of 16 KiB may have 8,000 terms, and a
// tree 100 records.
import type { Finding } from '../findings/finding.ts';
import type { Qualifier } from '../report.ts';
import { usesMacro } from './macro.ts';
import { type Passing, passingNetworks } from './passing.ts';
import { excerptOfTerm, parseSpf, type SpfTerm } from './spf.ts';

export type LookupTerm = Extract<
  SpfTerm,
  { kind: 'include' | 'exists' | 'ptr' | 'a' | 'mx' | 'redirect' }
>;

export type SpfSummary = {
  /**
   * In the receiver's order: none after `all` (RFC 7208 §5.1), `redirect` last and only without
   * `all` (§6.1).
   */
  readonly lookups: readonly LookupTerm[];
  /** Qualifier of the first `all`, which wins (§5.1); absent without one. */
  readonly allQualifier: Qualifier | undefined;
  readonly hasRedirect: boolean;
  /** `ptr` or `%{p}` (§5.5, §7.3). */
  readonly usesPtr: boolean;
  /**
   * Terms that let everyone pass: `+all`, `ip4:0.0.0.0/0`, `ip6:::/0`. As written, the first few.
   */
  readonly openTerms: readonly string[];
  readonly passing: Passing;
  /** What receivers ignore because it is after `all` (§5.1). */
  readonly ignoredTerms: SomeTerms;
  /** A `redirect` that receivers ignore because there is an `all`, wherever that is (§6.1). */
  readonly ignoredRedirect: string | undefined;
  /**
   * Modifiers that receivers ignore (§6), named like mechanisms: `include=` instead of `include:`.
   */
  readonly mistypedModifiers: SomeTerms;
  readonly errors: readonly Finding[];
};

/** The first few, as a finding shows them, and the number of all. */
export type SomeTerms = { readonly shown: readonly string[]; readonly count: number };

export function summarizeSpf(raw: string, maxLookups: number): SpfSummary {
  const { terms, errors } = parseSpf(raw);
  const allAt = terms.findIndex(({ kind }) => kind === 'all');
  const all = terms[allAt];
  const evaluated = allAt < 0 ? terms : terms.slice(0, allAt);
  const mechanisms = evaluated.filter(isLookupMechanism);
  const redirects = terms.filter(isRedirect);
  return {
    lookups: (allAt < 0 ? [...mechanisms, ...redirects] : mechanisms).slice(0, maxLookups),
    allQualifier: all?.kind === 'all' ? all.qualifier : undefined,
    hasRedirect: redirects.length > 0,
    usesPtr: terms.some(isPtr),
    openTerms: [...evaluated, ...(all === undefined ? [] : [all])]
      .filter(isOpen)
      .slice(0, MAX_OPEN)
      .map(({ text }) => text),
    passing: passingNetworks(evaluated),
    ignoredTerms: someTerms(allAt < 0 ? [] : ignoredAfter(terms, allAt)),
    ignoredRedirect: allAt < 0 ? undefined : redirects[0]?.text,
    mistypedModifiers: someTerms(terms.filter(isMistyped)),
    errors,
  };
}

const MAX_SHOWN = 5;
const MAX_OPEN = 20;

export function someTerms(terms: readonly { readonly text: string }[]): SomeTerms {
  return {
    shown: terms.slice(0, MAX_SHOWN).map(({ text }) => excerptOfTerm(text)),
    count: terms.length,
  };
}

/** Modifiers count wherever they are (§6), except for `redirect`. */
function ignoredAfter(terms: readonly SpfTerm[], allAt: number): SpfTerm[] {
  return terms
    .slice(allAt + 1)
    .filter(({ kind }) => !['exp', 'unknown', 'redirect'].includes(kind));
}

/** Lets everyone pass without a lookup. */
export function isOpen(term: SpfTerm): boolean {
  if (term.kind !== 'all' && term.kind !== 'ip4' && term.kind !== 'ip6') return false;
  return term.qualifier === '+' && (term.kind === 'all' || term.length === 0);
}

const MECHANISMS = [
  'all',
  'include',
  'a',
  'mx',
  'ptr',
  'exists',
  'ip4',
  'ip6',
  'ip',
  'ipv4',
  'ipv6',
];

function isMistyped(term: SpfTerm): boolean {
  return term.kind === 'unknown' && MECHANISMS.includes(term.name.toLowerCase());
}

function isLookupMechanism(term: SpfTerm): term is LookupTerm {
  return ['include', 'a', 'mx', 'ptr', 'exists'].includes(term.kind);
}

function isRedirect(term: SpfTerm): term is SpfTerm & { kind: 'redirect' } {
  return term.kind === 'redirect';
}

function isPtr(term: SpfTerm): boolean {
  if (term.kind === 'ptr') return true;
  if (term.kind === 'unknown') return usesMacro(term.value, 'p');
  return 'domain' in term && usesMacro(term.domain, 'p');
}
