// The addresses behind a domain's mail: of its MX hosts, and those that SPF lets send, which is an upper bound: a term
// with `-`, `~` or `?` before it may take addresses out. Within the budget of the check.
import type { Answer, RecordType, Resolver } from '../dns/answer.ts';
import { EventLoopSlices } from '../dns/event-loop-slices.ts';
import { dnsFailure, type Finding } from '../findings/finding.ts';
import { FindingList } from '../findings/finding-list.ts';
import type { MxFindings } from '../mx/mx.ts';
import type { SpfFindings, SpfNode } from '../spf/lookups.ts';
import { type Passing, passingNetworks, unionSize } from '../spf/passing.ts';
import { ALL_IPV4 } from '../spf/sender-count.ts';
import { evaluatedTerms, excerptOfTerm, isReadable, parseSpf, type SpfTerm } from '../spf/spf.ts';

export type MailSenders = {
  readonly mx: readonly { readonly host: string; readonly addresses: readonly string[] }[];
  /** Each once, in the order of the records. */
  readonly ranges: readonly SenderRange[];
  /** Beyond MAX_RANGES, repetitions included. */
  readonly rangesLeftOut: number;
  /** In the union of all ranges. */
  readonly ipv4Addresses: number;
  /** In /48s, of ranges that hold at least one. */
  readonly ipv6Slash48s: number;
  /** `+all`, or another way to let everyone pass. */
  readonly isOpenToAll: boolean;
  /** Terms whose addresses only a receiver can know: `exists`, `ptr`, macros. */
  readonly unlistedTerms: readonly string[];
  /** What could not be asked. */
  readonly errors: readonly Finding[];
};

/** An address or a CIDR block as written, and the domain whose record has it. */
type SenderRange = { readonly range: string; readonly recordOf: string };

/** A record of 16 KiB may have 1,700 of them, and a tree 100 records. */
const MAX_RANGES = 2_000;
const MAX_UNLISTED = 20;
/** Addresses of one host. A zone can list thousands. */
const MAX_ADDRESSES = 50;
const MAX_MX_HOSTS = 10;
const ALL_SLASH48S = 2 ** 48;

export async function findMailSenders(
  domain: string,
  { mx, spf }: { readonly mx: MxFindings; readonly spf: SpfFindings },
  resolver: Resolver,
): Promise<MailSenders> {
  const errors = new FindingList();
  const lookUp = new AddressLookup(resolver, errors);
  // A record of 16 KiB takes some milliseconds, and a tree may have a hundred.
  const slices = new EventLoopSlices();
  const walk = new SenderWalk(lookUp, slices);
  const hosts = mx.state === 'implicit' ? [domain] : mx.report.records.filter((host) => host !== '.');
  const [mxAddresses, passed] = await Promise.all([
    Promise.all(hosts.map(async (host) => ({ host, addresses: await lookUp.addresses(host) }))),
    walk.visit(spf.tree),
  ]);
  const records = [...new Map(passed.map((part) => [part.terms, part])).values()];
  const networks: Passing[] = [];
  for (const { terms } of records) {
    await slices.next();
    networks.push(passingNetworks(terms));
  }
  await slices.next();
  return {
    mx: mxAddresses,
    ...listRanges(records),
    ipv4Addresses: walk.hasAll ? ALL_IPV4 : unionSize(networks.map(({ ipv4 }) => ipv4)),
    ipv6Slash48s: walk.hasAll ? ALL_SLASH48S : unionSize(networks.map(({ slash48s }) => slash48s)),
    isOpenToAll: walk.hasAll || spf.openToAll?.kind === 'term',
    unlistedTerms: [...walk.unlisted].slice(0, MAX_UNLISTED),
    errors: errors.toArray(),
  };
}

class AddressLookup {
  readonly #resolver: Resolver;
  readonly #errors: FindingList;
  /** A resolver asks each question once; its failure is reported once too. */
  readonly #failed = new Set<string>();

  constructor(resolver: Resolver, errors: FindingList) {
    this.#resolver = resolver;
    this.#errors = errors;
  }

  async addresses(host: string): Promise<string[]> {
    const [ipv4, ipv6] = await Promise.all([this.#resolver.a(host), this.#resolver.aaaa(host)]);
    return [...this.#recordsOf(host, 'A', ipv4), ...this.#recordsOf(host, 'AAAA', ipv6)].slice(0, MAX_ADDRESSES);
  }

  async mxAddresses(name: string): Promise<string[]> {
    const hosts = this.#recordsOf(name, 'MX', await this.#resolver.mx(name));
    const names = hosts.map(({ exchange }) => exchange).filter((exchange) => exchange !== '.');
    const found = await Promise.all(names.slice(0, MAX_MX_HOSTS).map((host) => this.addresses(host)));
    return found.flat();
  }

  #recordsOf<T>(name: string, type: RecordType, answer: Answer<T>): readonly T[] {
    if (answer.kind === 'found') return answer.records;
    const question = `${name} ${type}`;
    if (answer.kind === 'failure' && !this.#failed.has(question)) {
      this.#failed.add(question);
      this.#errors.add(dnsFailure(name, type, answer));
    }
    return [];
  }
}

/** Networks that a record lets pass, by its own terms or by the addresses behind one of them. */
type Passed = { readonly terms: readonly SpfTerm[]; readonly recordOf: string };

/** Over the records that let senders pass. What it finds is in the order of the records, whenever answers arrive. */
class SenderWalk {
  readonly unlisted = new Set<string>();
  /** `+all`, here or in an include. */
  hasAll = false;
  readonly #lookUp: AddressLookup;
  readonly #slices: EventLoopSlices;
  /** A record that is included twice is parsed once. */
  readonly #parsed = new Map<string, readonly SpfTerm[]>();

  constructor(lookUp: AddressLookup, slices: EventLoopSlices) {
    this.#lookUp = lookUp;
    this.#slices = slices;
  }

  async visit(node: SpfNode): Promise<Passed[]> {
    if (node.raw === '' || !isReadable(node.raw)) return [];
    const terms = await this.#termsOf(node);
    // A term that is repeated leads to the same addresses.
    const others = new Map(terms.flatMap((term) => (isNetwork(term) ? [] : [[term.text, term]])));
    const followed = await Promise.all(Array.from(others.values(), (term) => this.#follow(term, node)));
    return [{ terms, recordOf: node.name }, ...followed.flat()];
  }

  async #termsOf({ name, raw }: SpfNode): Promise<readonly SpfTerm[]> {
    await this.#slices.next();
    const terms = this.#parsed.get(name) ?? evaluatedTerms(parseSpf(raw).terms).filter(passes);
    this.#parsed.set(name, terms);
    return terms;
  }

  async #follow(term: SpfTerm, node: SpfNode): Promise<Passed[]> {
    if (term.kind === 'all') this.hasAll = true;
    if (!('domain' in term) || term.kind === 'exp') return [];
    const target = node.children.find(({ via }) => via === term.text);
    // Only a receiver can expand a macro; the name is then as written.
    if (target === undefined || term.kind === 'exists' || term.kind === 'ptr' || target.name.includes('%')) {
      this.unlisted.add(excerptOfTerm(term.text));
      return [];
    }
    if (term.kind !== 'a' && term.kind !== 'mx') return this.visit(target);
    const addresses = await (term.kind === 'a'
      ? this.#lookUp.addresses(target.name)
      : this.#lookUp.mxAddresses(target.name));
    return [{ terms: addresses.map((address) => networkOf(address, term)), recordOf: node.name }];
  }
}

function networkOf(address: string, { text, ip4Length, ip6Length }: Extract<SpfTerm, { kind: 'a' | 'mx' }>): SpfTerm {
  const isIpv6 = address.includes(':');
  const length = isIpv6 ? ip6Length : ip4Length;
  return { kind: isIpv6 ? 'ip6' : 'ip4', qualifier: '+', address, length, text };
}

function listRanges(passed: readonly Passed[]): { ranges: SenderRange[]; rangesLeftOut: number } {
  const ranges = new Map<string, SenderRange>();
  let rangesLeftOut = 0;
  for (const { terms, recordOf } of passed)
    for (const term of terms) {
      if (!isNetwork(term)) continue;
      if (ranges.size === MAX_RANGES) rangesLeftOut++;
      else {
        const range = `${term.address}/${term.length}`;
        if (!ranges.has(range)) ranges.set(range, { range, recordOf });
      }
    }
  return { ranges: [...ranges.values()], rangesLeftOut };
}

function isNetwork(term: SpfTerm): term is Extract<SpfTerm, { kind: 'ip4' | 'ip6' }> {
  return term.kind === 'ip4' || term.kind === 'ip6';
}

function passes(term: SpfTerm): boolean {
  return term.kind === 'redirect' || ('qualifier' in term && term.qualifier === '+');
}
