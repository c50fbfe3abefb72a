/**
 * Who carries a domain's mail: the networks of its MX hosts and of every range that its SPF record lets send, from the
 * dataset.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { prefixLength } from '@whence/dataset/format';
import {
  addressBits,
  formatPrefix,
  fromBigInt,
  parsePrefix,
  type Range,
  widestPrefixLength,
} from '@whence/dataset/prefix';
import type { Dataset } from '@whence/dataset/read';
import type { ConnectionType, ThreatLevel } from '@whence/dataset/record';
import { limitFindings } from '@whence/email/finding-list';
import { formatFinding } from '@whence/email/finding-text';
import type { MailSenders } from '@whence/email/mail-senders';
import { runsWithin } from './prefix-runs.ts';

/** What the dataset has of an address. For space that is not announced, `asn` is 0 and the texts are empty. */
export type MailNetwork = {
  prefix: string;
  asn: number;
  asn_name: string;
  country: string;
  connection_type: ConnectionType | '';
  threat_level: ThreatLevel | '';
};

export type MxNetwork = MailNetwork & { host: string; address: string };

/** Of the largest part of the range that is one network; `asn_count` is how many networks announce parts of it. */
export type SenderNetwork = MailNetwork & { range: string; record_domain: string; asn_count: number };

export type MailCarrier = { asn: number; asn_name: string; mx_hosts: number; ipv4_addresses: number };

export type NetworksReport = {
  /** Networks by how much they carry: MX hosts, then IPv4 addresses that may send. */
  carriers: MailCarrier[];
  mx: MxNetwork[];
  /** The largest first. */
  senders: SenderNetwork[];
  /** Of all ranges, also those that `senders` leaves out. */
  range_count: number;
  /** How many may send as the domain. */
  ipv4_addresses: number;
  ipv6_48s: number;
  open_to_all: boolean;
  /** Terms of SPF whose addresses only a receiver can know. */
  unlisted_terms: string[];
  errors: string[];
};

const MAX_SENDERS = 100;
const MAX_MX_ADDRESSES = 50;
const MAX_CARRIERS = 20;
const MAX_NAME_CHARACTERS = 100;
/** In one range, and in all. */
const MAX_RUNS_OF_RANGE = 64;
const MAX_RUNS = 4_000;
const RANGES_PER_TURN = 20;

/** Gives way to other requests: with two thousand ranges, which a stranger's zone may have, it takes some 30 ms. */
export async function networksOf(dataset: Dataset, senders: MailSenders): Promise<NetworksReport> {
  const mx = senders.mx.flatMap(({ host, addresses }) => addresses.map((address) => mxNetwork(dataset, host, address)));
  const ranges = distinctRanges(senders);
  const listed: ListedSender[] = [];
  let runsLeft = MAX_RUNS;
  for (const { text, range, recordOf } of ranges.slice(0, MAX_SENDERS)) {
    if (listed.length % RANGES_PER_TURN === 0) await nextTurn();
    const { network, asnCount, runs } = largestNetwork(dataset, range, Math.min(runsLeft, MAX_RUNS_OF_RANGE));
    runsLeft -= runs;
    const sender = { range: text, record_domain: recordOf, ...network, asn_count: asnCount };
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

/** `size`: IPv4 addresses that no larger range has. */
type ListedSender = { readonly sender: SenderNetwork; readonly range: Range; readonly size: number };
type DistinctRange = { readonly text: string; readonly range: Range; readonly recordOf: string };

/** With host bits cleared, so that the same range in two forms is one; the largest first, IPv4 before IPv6, in order of address. */
function distinctRanges({ ranges }: MailSenders): DistinctRange[] {
  const distinct = new Map<string, DistinctRange>();
  for (const { range: written, recordOf } of ranges) {
    const range = parsePrefix(written);
    if (range === undefined) continue;
    const length = widestPrefixLength(range.start, range.start, range.end, addressBits(range.version));
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
  return { host, address, ...(range === undefined ? UNKNOWN : largestNetwork(dataset, range, 1).network) };
}

const UNKNOWN: MailNetwork = {
  prefix: '',
  asn: 0,
  asn_name: '',
  country: '',
  connection_type: '',
  threat_level: '',
};

/** Of at most so many runs; a range with more is judged by its beginning. */
function largestNetwork(
  dataset: Dataset,
  { version, start, end }: Range,
  maxRuns: number,
): { network: MailNetwork; asnCount: number; runs: number } {
  let network = UNKNOWN;
  let largest = 0n;
  let runs = 0;
  const asns = new Set<number>();
  for (const run of runsWithin(dataset, version, start, end)) {
    if (++runs > maxRuns) break;
    if (run.match === 0) continue;
    asns.add(dataset.asnNumber(run.match));
    const size = run.end - run.start + 1n;
    if (size <= largest) continue;
    largest = size;
    const address = fromBigInt(run.start, version);
    const { asn, asn_name, country, connection_type, threat } = dataset.record(address, run.match);
    network = {
      prefix: formatPrefix(address, prefixLength(run.match)),
      asn,
      asn_name: asn_name.slice(0, MAX_NAME_CHARACTERS),
      country,
      connection_type,
      threat_level: threat.level,
    };
  }
  return { network, asnCount: asns.size, runs };
}

function carriersOf(mx: readonly MxNetwork[], senders: readonly ListedSender[]): MailCarrier[] {
  const carriers = new Map<number, MailCarrier & { hosts: Set<string> }>();
  const carrierOf = ({ asn, asn_name }: MailNetwork) => {
    const carrier = carriers.get(asn) ?? { asn, asn_name, mx_hosts: 0, ipv4_addresses: 0, hosts: new Set() };
    carriers.set(asn, carrier);
    return carrier;
  };
  for (const network of mx) carrierOf(network).hosts.add(network.host);
  for (const { sender, size } of senders) carrierOf(sender).ipv4_addresses += size;
  return [...carriers.values()]
    .filter(({ asn }) => asn !== 0)
    .map(({ hosts, ...carrier }) => ({ ...carrier, mx_hosts: hosts.size }))
    .sort((a, b) => b.mx_hosts - a.mx_hosts || b.ipv4_addresses - a.ipv4_addresses)
    .slice(0, MAX_CARRIERS);
}
