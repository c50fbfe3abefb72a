// The addresses behind a domain's mail: of its MX hosts, and those that SPF lets send, which is an
// upper bound: a term with `-`, `~` or `?` before it may take addresses out. Within the budget of
// the check.
import type { Resolver } from '../dns/answer.ts';
import { EventLoopSlices } from '../dns/event-loop-slices.ts';
import type { Finding } from '../findings/finding.ts';
import type { MxFindings } from '../mx/mx.ts';
import { AddressLookup, type CompiledRecord, compileSpf } from '../spf/evaluate.ts';
import type { SpfFindings } from '../spf/lookups.ts';
import { type Passing, unionSize } from '../spf/passing.ts';
import { ALL_IPV4 } from '../spf/sender-count.ts';
import { excerptOfTerm } from '../spf/spf.ts';

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
/** Shown addresses of one host. A zone can list thousands. */
const MAX_ADDRESSES = 50;
const ALL_SLASH48S = 2 ** 48;
const BITS_BELOW_48 = 80n;

export async function findMailSenders(
  domain: string,
  { mx, spf }: { readonly mx: MxFindings; readonly spf: SpfFindings },
  resolver: Resolver,
): Promise<MailSenders> {
  const lookUp = new AddressLookup(resolver);
  const hosts =
    mx.state === 'implicit' ? [domain] : mx.report.records.filter((host) => host !== '.');
  const [mxAddresses, root] = await Promise.all([
    Promise.all(
      hosts.map(async (host) => ({ host, addresses: (await lookUp.addresses(host)).addresses })),
    ),
    compileSpf(spf.tree, lookUp),
  ]);
  const passing = passingRecords(root);
  const hasAll = passing.some(({ terms }) => terms.some(({ kind }) => kind === 'all'));
  const unlisted = passing.flatMap(({ terms }) =>
    terms.filter((term) => term.kind === 'unknown' && !term.networks),
  );
  const slices = new EventLoopSlices();
  const sizes: Passing[] = [];
  for (const { networks } of passing) {
    await slices.next();
    sizes.push(sizesOf(networks));
  }
  await slices.next();
  return {
    mx: mxAddresses.map(({ host, addresses }) => ({
      host,
      addresses: addresses.slice(0, MAX_ADDRESSES),
    })),
    ...listRanges(passing),
    ipv4Addresses: hasAll ? ALL_IPV4 : unionSize(sizes.map(({ ipv4 }) => ipv4)),
    ipv6Slash48s: hasAll ? ALL_SLASH48S : unionSize(sizes.map(({ slash48s }) => slash48s)),
    isOpenToAll: hasAll || spf.openToAll?.kind === 'term',
    unlistedTerms: [...new Set(unlisted.map(({ text }) => excerptOfTerm(text)))].slice(
      0,
      MAX_UNLISTED,
    ),
    errors: lookUp.errors.toArray(),
  };
}

type PassingRecord = CompiledRecord & { readonly networks: readonly Network[] };
type Network = Extract<CompiledRecord['terms'][number], { kind: 'networks' }>['networks'][number];

/**
 * The record and those that it leads to, each once, with what lets senders pass; own networks
 * before those behind names.
 */
function passingRecords(record: CompiledRecord, seen = new Set<CompiledRecord>()): PassingRecord[] {
  if (seen.has(record)) return [];
  seen.add(record);
  const terms = record.terms.filter(({ qualifier }) => qualifier === '+');
  const byLookup = [...terms].sort((a, b) => a.lookups - b.lookups);
  const networks = byLookup.flatMap((term) => ('networks' in term ? (term.networks ?? []) : []));
  return [
    { ...record, terms, networks },
    ...terms.flatMap((term) => ('record' in term ? passingRecords(term.record, seen) : [])),
  ];
}

function sizesOf(networks: readonly Network[]): Passing {
  const ipv4 = networks.flatMap(({ version, first, last }) =>
    version === 4 ? [Number(first), Number(last)] : [],
  );
  const slash48s = networks.flatMap(({ version, length, first, last }) =>
    version === 6 && length <= 48
      ? [first, last].map((end) => Number(BigInt(end) >> BITS_BELOW_48))
      : [],
  );
  return { ipv4: Float64Array.from(ipv4), slash48s: Float64Array.from(slash48s) };
}

function listRanges(passing: readonly PassingRecord[]): {
  ranges: SenderRange[];
  rangesLeftOut: number;
} {
  const ranges = new Map<string, SenderRange>();
  let rangesLeftOut = 0;
  for (const { name: recordOf, networks } of passing)
    for (const { address, length } of networks) {
      const range = `${address}/${length}`;
      if (ranges.size === MAX_RANGES) rangesLeftOut++;
      else if (!ranges.has(range)) ranges.set(range, { range, recordOf });
    }
  return { ranges: [...ranges.values()], rangesLeftOut };
}
