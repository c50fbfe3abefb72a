// What SPF says of an address (check_host, RFC 7208 §4), from the records that lookups.ts has read.
// The addresses behind `a` and `mx` are queried once: reports contain thousands of addresses.
import { isIPv4, isIPv6 } from 'node:net';
import type { Answer, RecordType, Resolver } from '../dns/answer.ts';
import { EventLoopSlices } from '../dns/event-loop-slices.ts';
import { dnsFailure, FindingList, hasCode } from '../findings/finding.ts';
import { MAX_LOOKUPS, MAX_VOID_LOOKUPS, type Qualifier } from '../report.ts';
import { SPF_LIMIT_CODES, type SpfNode } from './lookups.ts';
import { blockOf, ipv4Number, ipv6Groups } from './passing.ts';
import { evaluatedTerms, isReadable, parseSpf, type SpfTerm } from './spf.ts';

/** `unknown`: only a receiver can tell (`exists`, `ptr`, macros), or DNS did not answer. */
export type SpfResult = 'pass' | 'fail' | 'softfail' | 'neutral' | 'none' | 'permerror' | 'unknown';

/**
 * A term that lets an address pass, or with `?` says neither that it may send nor that it may not.
 * `records` lead to it, that of the domain first; `ownTerm` is the domain's own.
 */
export type SpfMatch = {
  readonly qualifier: Qualifier;
  readonly term: string;
  readonly ownTerm: string;
  readonly records: readonly string[];
};

export type SpfEvaluator = {
  resultOf(address: string): SpfResult;
  /**
   * Every such term, whatever terms stand before it. Also those of a record that receivers cannot
   * evaluate: it says whose an address was meant to be.
   */
  matchesOf(address: string): SpfMatch[];
  /** The networks of such terms of all records, each as often as it occurs. */
  readonly ranges: readonly AddressRange[];
};

export async function createSpfEvaluator(tree: SpfNode, resolver: Resolver): Promise<SpfEvaluator> {
  const root = await compileSpf(tree, new AddressLookup(resolver));
  const ranges = rangesOf(root);
  return {
    resultOf(address) {
      const at = parseAddress(address);
      return at === undefined ? 'unknown' : evaluate(root, at, { lookups: 0, voids: 0 });
    },
    matchesOf(address) {
      const at = parseAddress(address);
      return at === undefined || !isWithinAny(at, ranges) ? [] : matches(root, at);
    },
    ranges,
  };
}

/** IPv4 as a number, IPv6 as a bigint. */
type Address = { readonly version: 4 | 6; readonly number: number | bigint };
export type AddressRange = {
  readonly version: 4 | 6;
  readonly first: number | bigint;
  readonly last: number | bigint;
};
/** `address` and `length` as written, or as DNS has the address. */
type Network = AddressRange & { readonly address: string; readonly length: number };

type Compiled = {
  readonly text: string;
  readonly qualifier: Qualifier;
  readonly lookups: 0 | 1;
} & (
  | { readonly kind: 'all' }
  /** `networks`: DNS did not answer for others. */
  | { readonly kind: 'unknown'; readonly networks?: readonly Network[] }
  | { readonly kind: 'networks'; readonly networks: readonly Network[] }
  | { readonly kind: 'include' | 'redirect'; readonly record: CompiledRecord }
);
export type CompiledRecord = {
  readonly name: string;
  /** The result of a record that cannot be evaluated. */
  readonly fault: 'none' | 'permerror' | 'unknown' | undefined;
  /** Those that could be read. */
  readonly terms: readonly Compiled[];
};

const RESULTS = { '+': 'pass', '-': 'fail', '~': 'softfail', '?': 'neutral' } as const;

function evaluate(
  record: CompiledRecord,
  at: Address,
  spent: { lookups: number; voids: number },
): SpfResult {
  if (record.fault !== undefined) return record.fault;
  let isUncertain = false;
  for (const term of record.terms) {
    spent.lookups += term.lookups;
    if (term.kind === 'networks' && term.networks.length === 0) spent.voids++;
    if (spent.lookups > MAX_LOOKUPS || spent.voids > MAX_VOID_LOOKUPS) return 'permerror';
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
    } else if (term.kind === 'all' || isWithinAny(at, term.networks))
      result = RESULTS[term.qualifier];
    if (result !== undefined) return isUncertain && result !== 'pass' ? 'unknown' : result;
  }
  return isUncertain ? 'unknown' : 'neutral';
}

function matches(
  { name, terms }: CompiledRecord,
  at: Address,
  above: SpfMatch = { qualifier: '+', term: '', ownTerm: '', records: [] },
): SpfMatch[] {
  return terms.flatMap((term) => {
    if (!isOpen(term)) return [];
    const match: SpfMatch = {
      qualifier: above.qualifier === '?' ? '?' : term.qualifier,
      term: term.text,
      ownTerm: above.ownTerm || term.text,
      records: [...above.records, name],
    };
    if ('record' in term) return matches(term.record, at, match);
    return term.kind === 'networks' && isWithinAny(at, term.networks) ? [match] : [];
  });
}

function rangesOf(record: CompiledRecord): AddressRange[] {
  return record.terms.filter(isOpen).flatMap((term): readonly AddressRange[] => {
    if ('record' in term) return rangesOf(term.record);
    return term.kind === 'networks' ? term.networks : [];
  });
}

/** It does not say that an address may not send. */
const isOpen = ({ qualifier }: Compiled) => qualifier === '+' || qualifier === '?';

function isWithinAny({ version, number }: Address, networks: readonly AddressRange[]): boolean {
  return networks.some(
    (range) => range.version === version && range.first <= number && number <= range.last,
  );
}

/** Addresses behind names, with what DNS did not answer for as errors. */
export class AddressLookup {
  readonly errors = new FindingList();
  readonly #resolver: Resolver;
  /** A resolver sends each query once; its failure is reported once too. */
  readonly #failed = new Set<string>();

  constructor(resolver: Resolver) {
    this.#resolver = resolver;
  }

  async addresses(host: string): Promise<HostAddresses> {
    const [ipv4, ipv6] = await Promise.all([this.#resolver.a(host), this.#resolver.aaaa(host)]);
    const addresses = [...this.#recordsOf(host, 'A', ipv4), ...this.#recordsOf(host, 'AAAA', ipv6)];
    return { addresses, isComplete: ipv4.kind !== 'failure' && ipv6.kind !== 'failure' };
  }

  async mxAddresses(name: string): Promise<HostAddresses> {
    const answer = await this.#resolver.mx(name);
    const hosts = this.#recordsOf(name, 'MX', answer).filter(({ exchange }) => exchange !== '.');
    const hostAddresses = await Promise.all(
      hosts.slice(0, MAX_LOOKUPS).map(({ exchange }) => this.addresses(exchange)),
    );
    const isComplete = answer.kind !== 'failure' && hostAddresses.every((part) => part.isComplete);
    return { addresses: hostAddresses.flatMap(({ addresses }) => addresses), isComplete };
  }

  #recordsOf<T>(name: string, type: RecordType, answer: Answer<T>): readonly T[] {
    if (answer.kind === 'found') return answer.records;
    const question = `${name} ${type}`;
    if (answer.kind === 'failure' && !this.#failed.has(question)) {
      this.#failed.add(question);
      this.errors.add(dnsFailure(name, type, answer));
    }
    return [];
  }
}

type HostAddresses = { readonly addresses: readonly string[]; readonly isComplete: boolean };

/** Every record of the tree once, with the networks of its terms. */
export function compileSpf(tree: SpfNode, lookUp: AddressLookup): Promise<CompiledRecord> {
  return new Compiler(lookUp).compile(tree);
}

class Compiler {
  readonly #lookUp: AddressLookup;
  readonly #slices = new EventLoopSlices();
  readonly #records = new Map<string, Promise<CompiledRecord>>();

  constructor(lookUp: AddressLookup) {
    this.#lookUp = lookUp;
  }

  compile(node: SpfNode): Promise<CompiledRecord> {
    // One that leads back to itself is not read a second time, and so is no record here.
    if (node.raw === '') return this.#compileRecord(node);
    const record = this.#records.get(node.name) ?? this.#compileRecord(node);
    this.#records.set(node.name, record);
    return record;
  }

  async #compileRecord(node: SpfNode): Promise<CompiledRecord> {
    await this.#slices.next();
    const fault = faultOf(node);
    const terms = isReadable(node.raw) ? evaluatedTerms(parseSpf(node.raw).terms) : [];
    const compiled = await Promise.all(terms.map((term) => this.#compileTerm(term, node)));
    // RFC 7208 §6.1: a redirect comes last, wherever it stands.
    const sorted = compiled
      .flat()
      .sort((a, b) => Number(a.kind === 'redirect') - Number(b.kind === 'redirect'));
    return { name: node.name, fault, terms: sorted };
  }

  async #compileTerm(term: SpfTerm, { children }: SpfNode): Promise<Compiled[]> {
    const { kind, text } = term;
    if (kind === 'exp' || kind === 'unknown') return [];
    const qualifier = kind === 'redirect' ? '+' : term.qualifier;
    if (kind === 'all') return [{ text, qualifier, lookups: 0, kind }];
    if (kind === 'ip4' || kind === 'ip6')
      return [
        {
          text,
          qualifier,
          lookups: 0,
          kind: 'networks',
          networks: networksOf([term.address], term),
        },
      ];
    const target = children.find(({ via }) => via === text);
    const costly = { text, qualifier, lookups: 1 } as const;
    const isKnown = target !== undefined && !target.name.includes('%');
    if (isKnown && (kind === 'include' || kind === 'redirect'))
      return [{ ...costly, kind, record: await this.compile(target) }];
    if (!isKnown || !('ip4Length' in term)) return [{ ...costly, kind: 'unknown' }];
    const { addresses, isComplete } = await (kind === 'a'
      ? this.#lookUp.addresses(target.name)
      : this.#lookUp.mxAddresses(target.name));
    return [
      {
        ...costly,
        kind: isComplete ? 'networks' : 'unknown',
        networks: networksOf(addresses, term),
      },
    ];
  }
}

function faultOf({ raw, errors }: SpfNode): CompiledRecord['fault'] {
  if (hasCode(errors, 'dns_temporary_failure', 'dns_budget_exhausted', 'alias_too_long'))
    return 'unknown';
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
    const length =
      'length' in term ? term.length : term[at.version === 4 ? 'ip4Length' : 'ip6Length'];
    if (typeof at.number === 'number') {
      const [first, last] = blockOf(at.number, 32 - length);
      return [{ address: text, length, version: 4, first, last }];
    }
    const bits = BigInt(128 - length);
    const first = (at.number >> bits) << bits;
    return [{ address: text, length, version: 6, first, last: first + (1n << bits) - 1n }];
  });
}

/** One address is evaluated with many records in a row. */
let last: { readonly text: string; readonly address: Address | undefined } = {
  text: '',
  address: undefined,
};

export function parseAddress(text: string): Address | undefined {
  if (text !== last.text) last = { text, address: parse(text) };
  return last.address;
}

function parse(text: string): Address | undefined {
  if (isIPv4(text)) return { version: 4, number: ipv4Number(text) };
  if (!isIPv6(text)) return undefined;
  return {
    version: 6,
    number: ipv6Groups(text).reduce((number, group) => (number << 16n) + BigInt(group), 0n),
  };
}
