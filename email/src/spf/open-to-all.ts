// Whether a valid SPF record lets everyone pass: through `+all` or a network of all addresses, here
// or in an include, or through networks that together hold half of the address space.
import { merge, sizeOf } from './passing.ts';
import { excerptOfTerm } from './spf.ts';
import type { LookupTerm, SpfSummary } from './summary.ts';

export type OpenToAll =
  /**
   * `recordOf` has the term that lets everyone pass. `ownTerm` is the term of the domain's own
   * record that leads there.
   */
  | {
      readonly kind: 'term';
      readonly term: string;
      readonly recordOf: string;
      readonly ownTerm: string;
    }
  | { readonly kind: 'networks'; readonly version: 4 | 6; readonly percent: number };

/** A record in the include tree, or a name that a term looks up. */
export type PassingNode = {
  readonly name: string;
  readonly origin: { readonly term: LookupTerm } | undefined;
  readonly summary: SpfSummary | undefined;
  readonly children: readonly PassingNode[];
  readonly isVoid: boolean;
};

export function findOpenToAll(root: PassingNode): OpenToAll | undefined {
  return openTerm(root, undefined) ?? openNetworks(recordsThatPass(root));
}

/**
 * Every term of the domain's own record that lets everyone pass, directly or through the record it
 * leads to.
 */
export function openOwnTerms({ summary, children, name }: PassingNode): string[] {
  const leading = children.filter((child) => openBehind(child, name, undefined) !== undefined);
  return [...(summary?.openTerms ?? []), ...leading.map(({ origin }) => origin?.term.text ?? '')];
}

function openTerm(
  { name, summary, children }: PassingNode,
  ownTerm: string | undefined,
): OpenToAll | undefined {
  const [open] = summary?.openTerms ?? [];
  if (open !== undefined)
    return { kind: 'term', term: excerptOfTerm(open), recordOf: name, ownTerm: ownTerm ?? open };
  for (const child of children) {
    const openToAll = openBehind(child, name, ownTerm);
    if (openToAll !== undefined) return openToAll;
  }
  return undefined;
}

function openBehind(
  child: PassingNode,
  recordOf: string,
  ownTerm: string | undefined,
): OpenToAll | undefined {
  if (child.origin === undefined || !passes(child.origin.term)) return undefined;
  const { term } = child.origin;
  const isAllAddresses =
    (term.kind === 'a' || term.kind === 'mx') && (term.ip4Length === 0 || term.ip6Length === 0);
  if (isAllAddresses && !child.isVoid)
    return {
      kind: 'term',
      term: excerptOfTerm(term.text),
      recordOf,
      ownTerm: ownTerm ?? term.text,
    };
  return openTerm(child, ownTerm ?? term.text);
}

/**
 * A match of an include has the qualifier of the include; what `-include:` leads to does not pass
 * (RFC 7208 §5.2).
 */
function passes(term: LookupTerm): boolean {
  return term.kind === 'redirect' || term.qualifier === '+';
}

export function passingChildren({ children }: PassingNode): readonly PassingNode[] {
  return children.filter(({ origin }) => origin !== undefined && passes(origin.term));
}

/** Records of the node and of all that its terms lead to. */
export function recordsThatPass(node: PassingNode): SpfSummary[] {
  return [
    ...(node.summary === undefined ? [] : [node.summary]),
    ...passingChildren(node).flatMap(recordsThatPass),
  ];
}

/**
 * Half of the address space; for IPv6 half of 2000::/3, which has all global addresses (RFC 4291
 * §2.4), in /48s.
 */
const HALVES = [
  { version: 4, family: 'ipv4', half: 2 ** 31 },
  { version: 6, family: 'slash48s', half: 2 ** 44 },
] as const;

function openNetworks(summaries: readonly SpfSummary[]): OpenToAll | undefined {
  for (const { version, family, half } of HALVES) {
    const lists = summaries.map(({ passing }) => passing[family]);
    const size = sizeOfAll(lists, half);
    if (size >= half)
      return { kind: 'networks', version, percent: Math.min(100, Math.floor((size / half) * 50)) };
  }
  return undefined;
}

/** At least the size of the union. The union is made only if its size can reach the limit. */
function sizeOfAll(lists: readonly Float64Array[], limit: number): number {
  const most = lists.reduce((sum, list) => sum + sizeOf(list), 0);
  return most < limit ? most : sizeOf(merge(lists));
}
