// How many addresses an SPF record lets send, and by which terms: a valid one may name a whole
// cloud, whose other customers pass too.
import { type PassingNode, passingChildren, recordsThatPass } from './open-to-all.ts';
import { blockOf, ipv4Number, sizeOf, unionSize } from './passing.ts';
import { excerptOfTerm, type SpfTerm } from './spf.ts';

export type SenderCounts = {
  /** By `ip4` and `ip6` over the whole tree, and by `a` and `mx` with a prefix length. */
  readonly ipv4Addresses: number;
  readonly ipv6Slash48s: number;
  /** What terms of the domain's own record bring, the most first. */
  readonly terms: readonly TermCount[];
  /** A term of the domain's own record that holds a /8 from which a cloud serves its customers. */
  readonly sharedCloud: { readonly term: string; readonly cloud: string } | undefined;
};

type TermCount = {
  readonly term: string;
  readonly ipv4Addresses: number;
  readonly ipv6Slash48s: number;
};

type Size = Omit<TermCount, 'term'>;

/**
 * A tree can have 100,000 networks; above this many, what two records both name is counted twice.
 */
const MAX_MERGED = 5_000;
const MAX_TERMS = 50;
export const ALL_IPV4 = 2 ** 32;

/** `ownTerms` are those of the domain's record that a receiver evaluates. */
export function countSenders(root: PassingNode, ownTerms: readonly SpfTerm[]): SenderCounts {
  const terms = [
    ...ownTerms.map((term) => ({ term: term.text, ...sizeOfTerm(term) })),
    ...passingChildren(root).map((child) => ({
      term: child.origin?.term.text ?? '',
      ...sizeOfNode(child),
    })),
  ];
  const shown = terms
    .filter(({ ipv4Addresses, ipv6Slash48s }) => ipv4Addresses > 0 || ipv6Slash48s > 0)
    .sort((a, b) => b.ipv4Addresses - a.ipv4Addresses || b.ipv6Slash48s - a.ipv6Slash48s)
    .slice(0, MAX_TERMS)
    .map((term) => ({ ...term, term: excerptOfTerm(term.term) }));
  return { ...sizeOfNode(root), terms: shown, sharedCloud: sharedCloudIn(ownTerms) };
}

const NOTHING: Size = { ipv4Addresses: 0, ipv6Slash48s: 0 };

/** A record may have thousands of terms. */
function sizeOfTerm(term: SpfTerm): Size {
  if ((term.kind !== 'ip4' && term.kind !== 'ip6') || term.qualifier !== '+') return NOTHING;
  if (term.kind === 'ip4') return { ipv4Addresses: 2 ** (32 - term.length), ipv6Slash48s: 0 };
  return term.length > 48 ? NOTHING : { ipv4Addresses: 0, ipv6Slash48s: 2 ** (48 - term.length) };
}

function sizeOfNode(node: PassingNode): Size {
  const records = recordsThatPass(node);
  const wide = wideTerms(node);
  return {
    ipv4Addresses: Math.min(
      ALL_IPV4,
      unionOrSum(records.map(({ passing }) => passing.ipv4)) + wide,
    ),
    ipv6Slash48s: unionOrSum(records.map(({ passing }) => passing.slash48s)),
  };
}

function unionOrSum(lists: readonly Float64Array[]): number {
  const count = lists.reduce((sum, list) => sum + list.length / 2, 0);
  return count <= MAX_MERGED
    ? unionSize(lists)
    : lists.reduce((sum, list) => sum + sizeOf(list), 0);
}

/** `a/16` and the like: how many addresses, whichever they are. */
function wideTerms(node: PassingNode): number {
  const term = node.origin?.term;
  const isWide = (term?.kind === 'a' || term?.kind === 'mx') && term.ip4Length < 32 && !node.isVoid;
  return (
    (isWide ? 2 ** (32 - term.ip4Length) : 0) +
    passingChildren(node).reduce((sum, child) => sum + wideTerms(child), 0)
  );
}

/**
 * Mostly rented out by the hour: anyone gets an address there, unlike in those of a telephone
 * company.
 */
const CLOUD_BLOCKS: Readonly<Record<number, string>> = {
  3: 'Amazon',
  13: 'Amazon and Microsoft',
  18: 'Amazon',
  20: 'Microsoft',
  34: 'Google',
  35: 'Google and Amazon',
  40: 'Microsoft',
  44: 'Amazon',
  51: 'Microsoft, Amazon and others',
  52: 'Amazon and Microsoft',
  54: 'Amazon',
  104: 'several clouds',
};

function sharedCloudIn(terms: readonly SpfTerm[]): SenderCounts['sharedCloud'] {
  for (const term of terms) {
    if (term.kind !== 'ip4' || term.qualifier !== '+' || term.length > 8) continue;
    const [first, last] = blockOf(ipv4Number(term.address), 32 - term.length);
    for (const [block, cloud] of Object.entries(CLOUD_BLOCKS)) {
      const start = Number(block) * 2 ** 24;
      if (first <= start && start <= last) return { term: excerptOfTerm(term.text), cloud };
    }
  }
  return undefined;
}
