// Rows that no list may have: one line `0.0.0.0/0` would make the whole internet a Tor exit.
// Special-purpose space is dropped: aggregates list it so that firewalls block it, and it may be
// the operator's own.
import { addressBits, formatRange } from '../prefix.ts';
import { type FamilyRanges, flatten, Ranges, runAt } from '../ranges.ts';
import { specialPurposeRanges } from '../special-purpose.ts';
import type { Drive } from './feed.ts';
import type { Parsed } from './parsed.ts';

type Limits = readonly [shortest4: number, shortest6: number, coverage4: number, coverage6: number];

/**
 * By what a list decides: the shortest prefixes of a row, and what all rows together may cover, as
 * prefix lengths; the latter is six times the largest list of its kind in 2026-08. Hijacked space
 * is wide, a Tor exit is a single address.
 */
const LIMITS: Partial<Readonly<Record<Drive, Limits>>> = {
  is_tor_exit: [24, 48, 15, 32],
  is_proxy: [24, 48, 14, 32],
  is_vpn: [16, 29, 6, 16],
  is_ai_crawler: [16, 29, 10, 24],
  crawler: [16, 29, 10, 24],
  scanner: [16, 29, 10, 24],
  known_good: [16, 29, 10, 24],
  country: [9, 19, 3, 14],
  cloud_provider: [9, 19, 3, 18],
  is_datacenter: [9, 19, 2, 14],
  blocklist: [8, 19, 5, 14],
  criminal_netblock: [8, 19, 5, 14],
};

/**
 * A row with more of the IPv4 space, or of global unicast IPv6 (2000::/3), is a default route or a
 * part of one.
 */
const DEFAULT_ROUTE_SHARE = { 4: 8n, 6: 4n } as const;
const UNICAST = {
  4: { start: 0n, end: (1n << 32n) - 1n },
  6: { start: 1n << 125n, end: (1n << 126n) - 1n },
} as const;

/** A list with a larger share of rows that are too wide is refused. */
const MAX_WIDE_SHARE = 0.01;

type PlausibleRows =
  | { readonly kind: 'plausible'; readonly parsed: Parsed; readonly tooWide: number }
  | { readonly kind: 'refused'; readonly reason: string };

/** `isAccepted`: the operator has checked the list, so its coverage is not limited. */
export function plausibleRows(
  parsed: Parsed,
  drives: readonly Drive[],
  isAccepted = false,
): PlausibleRows {
  // Routes are checked row by row where they are collected; the other shapes have no ranges.
  if (parsed.shape !== 'prefixes' && parsed.shape !== 'countries' && parsed.shape !== 'delegations')
    return { kind: 'plausible', parsed, tooWide: 0 };
  for (const version of [4, 6] as const) {
    const row = findDefaultRoute(parsed.ranges[version], version);
    if (row !== undefined)
      return {
        kind: 'refused',
        reason: `it lists ${row}, too large a part of IPv${version}`,
      };
  }
  if (parsed.shape !== 'prefixes') return { kind: 'plausible', parsed, tooWide: 0 };
  // A list that decides several things must be narrow enough for all of them.
  const limits = drives.flatMap((drive) => (LIMITS[drive] ? [LIMITS[drive]] : []));
  const longest = (at: 0 | 1 | 2 | 3) => Math.max(0, ...limits.map((lengths) => lengths[at]));
  const shortest = { 4: longest(0), 6: longest(1) };
  const coverage = { 4: longest(2), 6: longest(3) };
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
  for (const version of [4, 6] as const) {
    const length = coverage[version];
    if (
      !isAccepted &&
      length > 0 &&
      coveredBy(ranges[version]) > 1n << BigInt(addressBits(version) - length)
    )
      return {
        kind: 'refused',
        reason: `its rows cover more IPv${version} space than a /${length}, the most that ${drives.join(', ')} may cover`,
      };
  }
  return { kind: 'plausible', parsed: { ...parsed, ranges }, tooWide };
}

/**
 * The first row that is a default route or a large part of one: 0.0.0.0/0, 0.0.0.0/1, ::/0,
 * 2000::/3.
 */
function findDefaultRoute({ starts, ends }: Ranges, version: 4 | 6): string | undefined {
  const unicast = UNICAST[version];
  const most = (unicast.end - unicast.start + 1n) / DEFAULT_ROUTE_SHARE[version];
  for (let row = 0; row < starts.length; row++) {
    const start = starts[row] as bigint;
    const end = ends[row] as bigint;
    if (end - start < most) continue;
    const first = start < unicast.start ? unicast.start : start;
    const last = end > unicast.end ? unicast.end : end;
    if (last - first < most) continue;
    return formatRange({ version, start, end });
  }
  return undefined;
}

function coveredBy(ranges: Ranges): bigint {
  const { starts, ends } = flatten(ranges);
  return starts.reduce((sum, start, run) => sum + (ends[run] as bigint) - start + 1n, 0n);
}

function narrowRows(
  ranges: Ranges,
  version: 4 | 6,
  shortest: number,
): { ranges: Ranges; tooWide: number } {
  const kept = new Ranges();
  let tooWide = 0;
  const widest = 1n << BigInt(addressBits(version) - shortest);
  const isSpecial = specialSpace(version);
  ranges.forEach((start, end, value) => {
    if (isSpecial(start, end)) return;
    if (end - start >= widest) tooWide++;
    else kept.add(start, end, value);
  });
  return { ranges: kept, tooWide };
}

/**
 * Whether a range is inside special-purpose space. Neighbouring blocks count as one: 224.0.0.0/3 is
 * two of them.
 */
function specialSpace(version: 4 | 6): (start: bigint, end: bigint) => boolean {
  const blocks = new Ranges();
  for (const { start, end } of specialPurposeRanges(version)) blocks.add(start, end, 0);
  const layer = flatten(blocks);
  const starts: bigint[] = [];
  const ends: bigint[] = [];
  for (const [run, start] of layer.starts.entries()) {
    const end = layer.ends[run] as bigint;
    if (ends.at(-1) === start - 1n) ends[ends.length - 1] = end;
    else {
      starts.push(start);
      ends.push(end);
    }
  }
  return (start, end) => {
    const run = runAt({ starts, ends }, start);
    return run >= 0 && end <= (ends[run] as bigint);
  };
}
