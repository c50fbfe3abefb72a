/**
 * Rows that no list may have. One line `0.0.0.0/0` in a list of Tor exits would make the whole internet a Tor exit, so a
 * row may only be as wide as makes sense for what the list decides, and a list with too many wide rows is refused.
 * Rows inside special-purpose space are dropped: aggregates list it so that firewalls block it, which says nothing about
 * the addresses, and they may be those of the operator's own networks.
 */
import { addressBits, formatPrefix, fromBigInt } from '../prefix.ts';
import { type FamilyRanges, flatten, Ranges } from '../ranges.ts';
import { specialPurposeRanges } from '../tables/special-purpose.ts';
import type { Drive } from './feed.ts';
import type { Parsed } from './parsed.ts';

/** The shortest prefix of a row, by what the list decides. Hijacked space is wide, a Tor exit is a single address. */
export const SHORTEST_PREFIXES: Partial<Readonly<Record<Drive, Readonly<Record<4 | 6, number>>>>> = {
  is_tor_exit: { 4: 24, 6: 48 },
  is_proxy: { 4: 24, 6: 48 },
  is_vpn: { 4: 16, 6: 29 },
  is_ai_crawler: { 4: 16, 6: 29 },
  crawler: { 4: 16, 6: 29 },
  cloud_provider: { 4: 9, 6: 19 },
  is_datacenter: { 4: 9, 6: 19 },
  blocklist: { 4: 8, 6: 19 },
  criminal_netblock: { 4: 8, 6: 19 },
};

/** A list with a larger share of rows that are too wide is refused. */
const MAX_WIDE_SHARE = 0.01;

export type PlausibleRows =
  | { readonly kind: 'plausible'; readonly parsed: Parsed; readonly tooWide: number }
  | { readonly kind: 'refused'; readonly reason: string };

export function plausibleRows(parsed: Parsed, drives: readonly Drive[]): PlausibleRows {
  // Routes are checked row by row where they are collected; the other shapes have no ranges.
  if (parsed.shape !== 'prefixes' && parsed.shape !== 'countries' && parsed.shape !== 'delegations')
    return { kind: 'plausible', parsed, tooWide: 0 };
  for (const version of [4, 6] as const)
    if (hasDefaultRoute(parsed.ranges[version], version))
      return {
        kind: 'refused',
        reason: `it lists ${formatPrefix(fromBigInt(0n, version), 0)}, all addresses of IPv${version}`,
      };
  if (parsed.shape !== 'prefixes') return { kind: 'plausible', parsed, tooWide: 0 };
  const shortest = shortestPrefixes(drives);
  const ipv4 = narrowRows(parsed.ranges[4], 4, shortest[4]);
  const ipv6 = narrowRows(parsed.ranges[6], 6, shortest[6]);
  const tooWide = ipv4.tooWide + ipv6.tooWide;
  if (tooWide > parsed.records * MAX_WIDE_SHARE) {
    const rows = `${tooWide.toLocaleString('en-US')} of ${parsed.records.toLocaleString('en-US')} rows`;
    return {
      kind: 'refused',
      reason: `${rows} are wider than /${shortest[4]} or /${shortest[6]} (IPv6), the widest that ${drives.join(', ')} may have`,
    };
  }
  const ranges: FamilyRanges = { 4: ipv4.ranges, 6: ipv6.ranges };
  return { kind: 'plausible', parsed: { ...parsed, ranges }, tooWide };
}

function hasDefaultRoute({ starts, ends }: Ranges, version: 4 | 6): boolean {
  const last = (1n << BigInt(addressBits(version))) - 1n;
  return starts.some((start, row) => start === 0n && ends[row] === last);
}

/** A list that decides several things must be narrow enough for all of them. */
function shortestPrefixes(drives: readonly Drive[]): Record<4 | 6, number> {
  const lengths = drives.flatMap((drive) => SHORTEST_PREFIXES[drive] ?? []);
  return {
    4: Math.max(0, ...lengths.map((length) => length[4])),
    6: Math.max(0, ...lengths.map((length) => length[6])),
  };
}

function narrowRows(ranges: Ranges, version: 4 | 6, shortest: number): { ranges: Ranges; tooWide: number } {
  const kept = new Ranges();
  let tooWide = 0;
  const widest = 1n << BigInt(addressBits(version) - shortest);
  const isSpecial = specialSpace(version);
  const { starts, ends, values } = ranges;
  for (let row = 0; row < values.length; row++) {
    const start = starts[row] as bigint;
    const end = ends[row] as bigint;
    if (isSpecial(start, end)) continue;
    if (end - start >= widest) tooWide++;
    else kept.add(start, end, values[row] as number);
  }
  return { ranges: kept, tooWide };
}

/** Whether a range is inside special-purpose space. Neighbouring blocks count as one: 224.0.0.0/3 is two of them. */
function specialSpace(version: 4 | 6): (start: bigint, end: bigint) => boolean {
  const blocks = new Ranges();
  for (const { start, end } of specialPurposeRanges(version)) blocks.add(start, end, 0);
  const layer = flatten(blocks);
  const starts: bigint[] = [];
  const ends: bigint[] = [];
  for (let run = 0; run < layer.starts.length; run++) {
    const start = layer.starts[run] as bigint;
    const end = layer.ends[run] as bigint;
    if (ends.at(-1) === start - 1n) ends[ends.length - 1] = end;
    else {
      starts.push(start);
      ends.push(end);
    }
  }
  return (start, end) => {
    let from = 0;
    let to = starts.length;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((ends[middle] as bigint) < start) from = middle + 1;
      else to = middle;
    }
    return from < starts.length && (starts[from] as bigint) <= start && end <= (ends[from] as bigint);
  };
}
