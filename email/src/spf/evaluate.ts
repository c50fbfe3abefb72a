// What SPF says of an address (check_host, RFC 7208 §4), from the records that lookups.ts has read. The addresses
// behind `a` and `mx` are asked once: reports have thousands of addresses.
import { isIPv4, isIPv6 } from 'node:net';
import type { Answer, Resolver } from '../dns/answer.ts';
import { EventLoopSlices } from '../dns/event-loop-slices.ts';
import { hasCode } from '../findings/finding.ts';
import type { Qualifier } from '../report.ts';
import { MAX_LOOKUPS } from './limits.ts';
import { SPF_LIMIT_CODES, type SpfNode } from './lookups.ts';
import { blockOf, ipv4Number } from './passing.ts';
import { evaluatedTerms, parseSpf, type SpfTerm } from './spf.ts';

/** `unknown`: only a receiver can tell (`exists`, `ptr`, macros), or DNS did not answer. */
export type SpfResult = 'pass' | 'fail' | 'softfail' | 'neutral' | 'none' | 'permerror' | 'unknown';

/** A term that lets an address pass. `records` lead to it, that of the domain first; `ownTerm` is the domain's own. */
export type SpfMatch = { readonly term: string; readonly ownTerm: string; readonly records: readonly string[] };

export type SpfEvaluator = {
  resultOf(address: string): SpfResult;
  /** Every term that lets the address pass, whatever terms stand before it. */
  matchesOf(address: string): SpfMatch[];
};

export async function createSpfEvaluator(tree: SpfNode, resolver: Resolver): Promise<SpfEvaluator> {
  const root = await new Compiler(resolver).compile(tree);
  return {
    resultOf(address) {
      const at = parseAddress(address);
      return at === undefined ? 'unknown' : evaluate(root, at, { lookups: 0 });
    },
    matchesOf(address) {
      const at = parseAddress(address);
      return at === undefined ? [] : matches(root, at, [], '');
    },
  };
}

/** IPv4 as a number, IPv6 as a bigint. */
type Address = { readonly version: 4 | 6; readonly number: number | bigint };
type Network = { readonly version: 4 | 6; readonly first: number | bigint; readonly last: number | bigint };

type Compiled = { readonly text: string; readonly qualifier: Qualifier; readonly lookups: 0 | 1 } & (
  | { readonly kind: 'all' }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'networks'; readonly networks: readonly Network[] }
  | { readonly kind: 'include' | 'redirect'; readonly record: CompiledRecord }
);
type CompiledRecord = {
  readonly name: string;
  /** The result of a record that cannot be evaluated. */
  readonly fault: 'none' | 'permerror' | 'unknown' | undefined;
  readonly terms: readonly Compiled[];
};

const RESULTS = { '+': 'pass', '-': 'fail', '~': 'softfail', '?': 'neutral' } as const;

function evaluate(record: CompiledRecord, at: Address, spent: { lookups: number }): SpfResult {
  if (record.fault !== undefined) return record.fault;
  let isUncertain = false;
  for (const term of record.terms) {
    spent.lookups += term.lookups;
    if (spent.lookups > MAX_LOOKUPS) return 'permerror';
    if (term.kind === 'unknown') {
      // Whether it matches or not, a later `+` lets pass.
      if (term.qualifier !== '+') return 'unknown';
      isUncertain = true;
      continue;
    }
    let result: SpfResult | undefined;
    if ('record' in term) {
      const inner = evaluate(term.record, at, spent);
      if (inner === 'none' || inner === 'permerror') result = 'permerror';
      else if (inner === 'unknown' || term.kind === 'redirect') result = inner;
      else if (inner === 'pass') result = RESULTS[term.qualifier];
    } else if (term.kind === 'all' || isWithinAny(at, term.networks)) result = RESULTS[term.qualifier];
    if (result !== undefined) return isUncertain && result !== 'pass' ? 'unknown' : result;
  }
  return isUncertain ? 'unknown' : 'neutral';
}

function matches(record: CompiledRecord, at: Address, above: readonly string[], ownTerm: string): SpfMatch[] {
  const records = [...above, record.name];
  return record.terms
    .filter(({ qualifier }) => qualifier === '+')
    .flatMap((term) => {
      const own = ownTerm === '' ? term.text : ownTerm;
      if ('record' in term) return matches(term.record, at, records, own);
      const isMatch = term.kind === 'networks' && isWithinAny(at, term.networks);
      return isMatch ? [{ term: term.text, ownTerm: own, records }] : [];
    });
}

function isWithinAny({ version, number }: Address, networks: readonly Network[]): boolean {
  return networks.some((one) => one.version === version && one.first <= number && number <= one.last);
}

class Compiler {
  readonly #resolver: Resolver;
  readonly #slices = new EventLoopSlices();
  /** A record that is included twice is compiled once. */
  readonly #records = new Map<string, CompiledRecord>();

  constructor(resolver: Resolver) {
    this.#resolver = resolver;
  }

  async compile(node: SpfNode): Promise<CompiledRecord> {
    const known = this.#records.get(node.name);
    if (known !== undefined) return known;
    await this.#slices.next();
    const fault = faultOf(node);
    const terms = fault === undefined ? evaluatedTerms(parseSpf(node.raw).terms) : [];
    const compiled = await Promise.all(terms.map((term) => this.#compileTerm(term, node)));
    // RFC 7208 §6.1: a redirect comes last, wherever it stands.
    const sorted = compiled.flat().sort((a, b) => Number(a.kind === 'redirect') - Number(b.kind === 'redirect'));
    const record = { name: node.name, fault, terms: sorted };
    this.#records.set(node.name, record);
    return record;
  }

  async #compileTerm(term: SpfTerm, { children }: SpfNode): Promise<Compiled[]> {
    const { kind, text } = term;
    if (kind === 'exp' || kind === 'unknown') return [];
    const qualifier = kind === 'redirect' ? '+' : term.qualifier;
    if (kind === 'all') return [{ text, qualifier, lookups: 0, kind }];
    if (kind === 'ip4' || kind === 'ip6')
      return [{ text, qualifier, lookups: 0, kind: 'networks', networks: networksOf([term.address], term) }];
    const target = children.find(({ via }) => via === text);
    const asked = { text, qualifier, lookups: 1 } as const;
    const isKnown = target !== undefined && !target.name.includes('%');
    if (isKnown && (kind === 'include' || kind === 'redirect'))
      return [{ ...asked, kind, record: await this.compile(target) }];
    if (!isKnown || !('ip4Length' in term)) return [{ ...asked, kind: 'unknown' }];
    const addresses = await (kind === 'a' ? this.#addresses([target.name]) : this.#mxAddresses(target.name));
    if (addresses === undefined) return [{ ...asked, kind: 'unknown' }];
    return [{ ...asked, kind: 'networks', networks: networksOf(addresses, term) }];
  }

  async #mxAddresses(name: string): Promise<string[] | undefined> {
    const answer = await this.#resolver.mx(name);
    if (answer.kind === 'failure') return undefined;
    const hosts = answer.kind === 'found' ? answer.records.map(({ exchange }) => exchange) : [];
    return this.#addresses(hosts.filter((host) => host !== '.').slice(0, MAX_LOOKUPS));
  }

  /** Undefined if DNS did not answer for one of the hosts. */
  async #addresses(hosts: readonly string[]): Promise<string[] | undefined> {
    const answers: Answer<string>[] = await Promise.all(
      hosts.flatMap((host) => [this.#resolver.a(host), this.#resolver.aaaa(host)]),
    );
    if (answers.some(({ kind }) => kind === 'failure')) return undefined;
    return answers.flatMap((answer) => (answer.kind === 'found' ? answer.records : []));
  }
}

function faultOf({ raw, errors }: SpfNode): CompiledRecord['fault'] {
  if (hasCode(errors, 'dns_temporary_failure', 'dns_budget_exhausted', 'alias_too_long')) return 'unknown';
  // The limits of the whole tree are errors of its root; which address exceeds them is counted.
  if (raw === '') return 'none';
  return errors.some(({ code }) => !SPF_LIMIT_CODES.includes(code)) ? 'permerror' : undefined;
}

function networksOf(
  addresses: readonly string[],
  term: Extract<SpfTerm, { kind: 'ip4' | 'ip6' | 'a' | 'mx' }>,
): Network[] {
  return addresses.flatMap((text): Network[] => {
    const at = parseAddress(text);
    if (at === undefined) return [];
    const length = 'length' in term ? term.length : at.version === 4 ? term.ip4Length : term.ip6Length;
    if (typeof at.number === 'number') {
      const [first, last] = blockOf(at.number, 32 - length);
      return [{ version: 4, first, last }];
    }
    const bits = BigInt(128 - length);
    const first = (at.number >> bits) << bits;
    return [{ version: 6, first, last: first + (1n << bits) - 1n }];
  });
}

/** One address is evaluated with many records in a row. */
let last: { readonly text: string; readonly address: Address | undefined } = { text: '', address: undefined };

function parseAddress(text: string): Address | undefined {
  if (text !== last.text) last = { text, address: parse(text) };
  return last.address;
}

function parse(text: string): Address | undefined {
  if (isIPv4(text)) return { version: 4, number: ipv4Number(text) };
  return isIPv6(text) ? { version: 6, number: ipv6Number(text) } : undefined;
}

/** In any form of RFC 4291 §2.2. */
function ipv6Number(text: string): bigint {
  const [head = '', tail] = text.replace(/%.*$/, '').split('::');
  const groups = groupsOf(head);
  if (tail !== undefined) {
    const after = groupsOf(tail);
    while (groups.length + after.length < 8) groups.push(0);
    groups.push(...after);
  }
  return groups.reduce((number, group) => (number << 16n) + BigInt(group), 0n);
}

function groupsOf(text: string): number[] {
  if (text === '') return [];
  return text.split(':').flatMap((group) => {
    if (!group.includes('.')) return [Number.parseInt(group, 16)];
    const number = ipv4Number(group);
    return [Math.floor(number / 0x10000), number % 0x10000];
  });
}
