/**
 * The networks of a domain's MX hosts and of the ranges that its SPF record authorizes, from the
 * dataset.
 */
import { setImmediate as nextTick } from 'node:timers/promises';
import type { Dataset } from '@whence/dataset/dataset';
import { type Match, prefixLength } from '@whence/dataset/match';
import {
  addressBits,
  formatPrefix,
  fromBigInt,
  parsePrefix,
  type Range,
  widestPrefixLength,
} from '@whence/dataset/prefix';
import { formatFinding, limitFindings } from '@whence/email/findings';
import type { MailSenders } from '@whence/email/mail-senders';
import type { ValueOf } from '../http/json-schema.ts';
import type { networks } from './report-schema.ts';

export type NetworksReport = ValueOf<typeof networks>;
type MxNetwork = NetworksReport['mx'][number];
type SenderNetwork = NetworksReport['senders'][number];
type NetworkShare = SenderNetwork['shares'][number];
type MailCarrier = NetworksReport['carriers'][number];
/**
 * What the dataset knows about an address. For unannounced space, `asn` is 0 and the texts are
 * empty.
 */
type MailNetwork = Omit<MxNetwork, 'host' | 'address'>;

const MAX_SENDERS = 100;
const MAX_MX_ADDRESSES = 50;
const MAX_CARRIERS = 20;
const MAX_NAME_CHARACTERS = 100;
/** Per range, and in total. */
const MAX_RUNS_OF_RANGE = 64;
const MAX_RUNS = 4_000;
const RANGES_PER_TICK = 20;

/**
 * Yields to other requests: two thousand ranges, which an untrusted zone may list, take about 30
 * ms.
 */
export async function networksOf(dataset: Dataset, senders: MailSenders): Promise<NetworksReport> {
  const mx = senders.mx.flatMap(({ host, addresses }) =>
    addresses.map((address) => mxNetwork(dataset, host, address)),
  );
  const ranges = distinctRanges(senders);
  const listed: ListedSender[] = [];
  let runsLeft = MAX_RUNS;
  for (const { text, range, recordOf } of ranges.slice(0, MAX_SENDERS)) {
    if (listed.length % RANGES_PER_TICK === 0) await nextTick();
    const { network, asnCount, shares, runs } = networksIn(
      dataset,
      range,
      Math.min(runsLeft, MAX_RUNS_OF_RANGE),
    );
    runsLeft -= runs;
    const sender = {
      range: text,
      record_domain: recordOf,
      ...network,
      asn_count: asnCount,
      shares,
    };
    const isCounted = listed.some((larger) => contains(larger.range, range));
    const size = range.version === 4 && !isCounted ? Number(range.end - range.start + 1n) : 0;
    listed.push({ sender, range, size });
  }
  return {
    carriers: carriersOf(mx, listed),
    mx: mx.slice(0, MAX_MX_ADDRESSES),
    senders: listed.map(({ sender }) => sender),
    range_count: ranges.length + senders.rangesLeftOut,
    ipv4_addresses: senders.ipv4Addresses,
    ipv6_48s: senders.ipv6Slash48s,
    open_to_all: senders.isOpenToAll,
    unlisted_terms: [...senders.unlistedTerms],
    errors: limitFindings(senders.errors).map(formatFinding),
  };
}

/** `size`: IPv4 addresses that no larger range contains. */
type ListedSender = {
  readonly sender: SenderNetwork;
  readonly range: Range;
  readonly size: number;
};
type DistinctRange = { readonly text: string; readonly range: Range; readonly recordOf: string };

/**
 * With host bits cleared, so that two forms of a range are one; IPv4 before IPv6, largest first,
 * then by address.
 */
function distinctRanges({ ranges }: MailSenders): DistinctRange[] {
  const distinct = new Map<string, DistinctRange>();
  for (const { range: written, recordOf } of ranges) {
    const range = parsePrefix(written);
    if (range === undefined) continue;
    const length = widestPrefixLength(
      range.start,
      range.start,
      range.end,
      addressBits(range.version),
    );
    const text = formatPrefix(fromBigInt(range.start, range.version), length);
    if (!distinct.has(text)) distinct.set(text, { text, range, recordOf });
  }
  const size = ({ range }: DistinctRange) => range.end - range.start;
  return [...distinct.values()].sort((a, b) => {
    if (a.range.version !== b.range.version) return a.range.version - b.range.version;
    const difference = size(b) - size(a);
    if (difference !== 0n) return difference > 0n ? 1 : -1;
    return a.range.start < b.range.start ? -1 : 1;
  });
}

function contains(outer: Range, { version, start, end }: Range): boolean {
  return outer.version === version && outer.start <= start && end <= outer.end;
}

function mxNetwork(dataset: Dataset, host: string, address: string): MxNetwork {
  const range = parsePrefix(address);
  return {
    host,
    address,
    ...(range === undefined ? UNKNOWN : networksIn(dataset, range, 1).network),
  };
}

const UNKNOWN: MailNetwork = {
  prefix: '',
  asn: 0,
  asn_name: '',
  country: '',
  connection_type: '',
  threat_level: '',
};

type RangeNetworks = {
  network: MailNetwork;
  asnCount: number;
  shares: NetworkShare[];
  runs: number;
};

/**
 * From the runs if there are at most `maxRuns`, otherwise from addresses at equal distances over
 * the whole range.
 */
export function networksIn(dataset: Dataset, range: Range, maxRuns: number): RangeNetworks {
  const { version, start, end } = range;
  const parts: RangePart[] = [];
  let runs = 0;
  for (const { at, match, end: last } of runsWithin(dataset, version, start, end)) {
    if (++runs > maxRuns) break;
    parts.push({ at, match, size: Number(last - at + 1n) });
  }
  return { ...summarize(dataset, range, runs > maxRuns ? sampleOf(dataset, range) : parts), runs };
}

/**
 * In ascending order, unannounced space (match 0) included. Adjacent runs with the same match are
 * merged.
 */
function* runsWithin(
  dataset: Dataset,
  version: 4 | 6,
  start: bigint,
  end: bigint,
): Generator<RangeRun> {
  let open: RangeRun | undefined;
  for (let at = start; at <= end; ) {
    const address = fromBigInt(at, version);
    const match = dataset.find(address);
    const bounds = dataset.bounds(address);
    // In unannounced space a table may not know the end of the run; then it advances by one
    // address.
    const last = bounds.end < at ? at : bounds.end;
    const runEnd = last > end ? end : last;
    if (open?.match === match) open.end = runEnd;
    else {
      if (open !== undefined) yield open;
      open = { at, end: runEnd, match };
    }
    at = runEnd + 1n;
  }
  if (open !== undefined) yield open;
}

type RangeRun = { readonly at: bigint; end: bigint; readonly match: Match };

/** `at` is an address in the part; `size` counts addresses, or samples. */
type RangePart = { readonly at: bigint; readonly match: Match; readonly size: number };

const SAMPLES = 128;
const MAX_SHARES = 5;

function sampleOf(dataset: Dataset, { version, start, end }: Range): RangePart[] {
  const step = (end - start + 1n) / BigInt(SAMPLES) || 1n;
  const samples: RangePart[] = [];
  // From the middle of each piece: the first address of a block is often that of another network.
  for (let at = start + step / 2n; at <= end && samples.length < SAMPLES; at += step)
    samples.push({ at, match: dataset.find(fromBigInt(at, version)), size: 1 });
  return samples;
}

function summarize(
  dataset: Dataset,
  { version }: Range,
  parts: readonly RangePart[],
): Omit<RangeNetworks, 'runs'> {
  const sizes = new Map<number, { size: number; largest: RangePart }>();
  for (const part of parts) {
    if (part.match === 0) continue;
    const asn = dataset.asnNumber(part.match);
    const network = sizes.get(asn);
    if (network === undefined) sizes.set(asn, { size: part.size, largest: part });
    else
      sizes.set(asn, {
        size: network.size + part.size,
        largest: part.size > network.largest.size ? part : network.largest,
      });
  }
  const total = parts.reduce((sum, { size }) => sum + size, 0);
  const [first, ...others] = [...sizes.values()].sort((a, b) => b.size - a.size);
  if (first === undefined) return { network: UNKNOWN, asnCount: 0, shares: [] };
  const named = [first, ...others.slice(0, MAX_SHARES - 1)].map(({ size, largest }) => ({
    network: networkAt(dataset, version, largest),
    percent: Math.round((size / total) * 100),
  }));
  return {
    network: named[0]?.network ?? UNKNOWN,
    asnCount: sizes.size,
    shares: named.map(({ network: { asn, asn_name }, percent }) => ({ asn, asn_name, percent })),
  };
}

function networkAt(dataset: Dataset, version: 4 | 6, { at, match }: RangePart): MailNetwork {
  const address = fromBigInt(at, version);
  const { asn, asn_name, country, connection_type, threat } = dataset.record(address, match);
  return {
    prefix: formatPrefix(address, prefixLength(match)),
    asn,
    asn_name: asn_name.slice(0, MAX_NAME_CHARACTERS),
    country,
    connection_type,
    threat_level: dataset.threatGap(version, match) === undefined ? threat.level : '',
  };
}

function carriersOf(mx: readonly MxNetwork[], senders: readonly ListedSender[]): MailCarrier[] {
  const carriers = new Map<number, MailCarrier & { hosts: Set<string> }>();
  const carrierOf = ({ asn, asn_name }: Pick<MailNetwork, 'asn' | 'asn_name'>) => {
    const carrier = carriers.get(asn) ?? {
      asn,
      asn_name,
      mx_hosts: 0,
      ipv4_addresses: 0,
      hosts: new Set(),
    };
    carriers.set(asn, carrier);
    return carrier;
  };
  for (const network of mx) carrierOf(network).hosts.add(network.host);
  for (const { sender, size } of senders)
    for (const { asn, asn_name, percent } of sender.shares)
      carrierOf({ asn, asn_name }).ipv4_addresses += Math.round((size * percent) / 100);
  return [...carriers.values()]
    .filter(({ asn }) => asn !== 0)
    .map(({ hosts, ...carrier }) => ({ ...carrier, mx_hosts: hosts.size }))
    .sort((a, b) => b.mx_hosts - a.mx_hosts || b.ipv4_addresses - a.ipv4_addresses)
    .slice(0, MAX_CARRIERS);
}
