// Addresses without a network: IANA's Special-Purpose Address Registries (2025-05), multicast and
// site-local. None has a record, even if announced (AS112, Teredo relays). IPv4-mapped ones are
// looked up as IPv4.
import type { Address } from './address.ts';
import { parsePrefix, type Range, toBigInt } from './prefix.ts';

export type SpecialPurpose = {
  readonly prefix: string;
  readonly name: string;
  readonly rfc: string;
};

export function findSpecialPurpose(address: Address): SpecialPurpose | undefined {
  return findEntry(address)?.row;
}

/**
 * No request from the internet can come from it. Not globally reachable entries, nor 6to4 and
 * Teredo.
 */
export function isPrivateAddress(address: Address): boolean {
  return findEntry(address)?.isReachable === false;
}

function findEntry(address: Address): (typeof entries)[number] | undefined {
  // Most addresses share their first 16 bits with no entry, and need no bigint.
  if (LEADING_BITS[address.version][address.w0 >>> 16] === 0) return undefined;
  const value = toBigInt(address);
  let best: (typeof entries)[number] | undefined;
  for (const entry of entries) {
    const { version, start, end } = entry.range;
    if (version !== address.version || value < start || value > end) continue;
    if (best === undefined || end - start < best.range.end - best.range.start) best = entry;
  }
  return best;
}

export function specialPurposeRanges(version: 4 | 6): Range[] {
  return entries.map(({ range }) => range).filter((range) => range.version === version);
}

const rows: readonly (readonly [
  prefix: string,
  name: string,
  rfc: number,
  reachable?: 'reachable',
])[] = [
  ['0.0.0.0/8', 'This network', 791],
  ['0.0.0.0/32', 'This host on this network', 1122],
  ['10.0.0.0/8', 'Private use', 1918],
  ['100.64.0.0/10', 'Shared address space (carrier-grade NAT)', 6598],
  ['127.0.0.0/8', 'Loopback', 1122],
  ['169.254.0.0/16', 'Link local', 3927],
  ['172.16.0.0/12', 'Private use', 1918],
  ['192.0.0.0/24', 'IETF protocol assignments', 6890],
  ['192.0.0.0/29', 'IPv4 service continuity', 7335],
  ['192.0.0.8/32', 'IPv4 dummy address', 7600],
  ['192.0.0.9/32', 'Port Control Protocol anycast', 7723, 'reachable'],
  ['192.0.0.10/32', 'TURN anycast', 8155, 'reachable'],
  ['192.0.0.170/31', 'NAT64/DNS64 discovery', 8880],
  ['192.0.2.0/24', 'Documentation (TEST-NET-1)', 5737],
  ['192.31.196.0/24', 'AS112', 7535, 'reachable'],
  ['192.52.193.0/24', 'Automatic Multicast Tunneling', 7450, 'reachable'],
  ['192.88.99.0/24', 'Deprecated 6to4 relay anycast', 7526, 'reachable'],
  ['192.88.99.2/32', '6a44 relay anycast', 6751, 'reachable'],
  ['192.168.0.0/16', 'Private use', 1918],
  ['192.175.48.0/24', 'Direct delegation AS112 service', 7534, 'reachable'],
  ['198.18.0.0/15', 'Benchmarking', 2544],
  ['198.51.100.0/24', 'Documentation (TEST-NET-2)', 5737],
  ['203.0.113.0/24', 'Documentation (TEST-NET-3)', 5737],
  ['224.0.0.0/4', 'Multicast', 5771],
  ['233.252.0.0/24', 'Documentation (MCAST-TEST-NET)', 6676],
  ['240.0.0.0/4', 'Reserved', 1112],
  ['255.255.255.255/32', 'Limited broadcast', 919],
  ['::/128', 'Unspecified address', 4291],
  ['::1/128', 'Loopback', 4291],
  ['64:ff9b::/96', 'IPv4-IPv6 translation', 6052, 'reachable'],
  ['64:ff9b:1::/48', 'IPv4-IPv6 translation, local use', 8215],
  ['100::/64', 'Discard only', 6666],
  ['100:0:0:1::/64', 'Dummy IPv6 prefix', 9780],
  ['2001::/23', 'IETF protocol assignments', 2928],
  ['2001::/32', 'Teredo', 4380, 'reachable'],
  ['2001:1::1/128', 'Port Control Protocol anycast', 7723, 'reachable'],
  ['2001:1::2/128', 'TURN anycast', 8155, 'reachable'],
  ['2001:1::3/128', 'DNS-SD service registration anycast', 9665, 'reachable'],
  ['2001:2::/48', 'Benchmarking', 5180],
  ['2001:3::/32', 'Automatic Multicast Tunneling', 7450, 'reachable'],
  ['2001:4:112::/48', 'AS112', 7535, 'reachable'],
  ['2001:10::/28', 'Deprecated ORCHID', 4843],
  ['2001:20::/28', 'ORCHIDv2', 7343, 'reachable'],
  ['2001:30::/28', 'Drone remote id entity tags', 9374, 'reachable'],
  ['2001:db8::/32', 'Documentation', 3849],
  ['2002::/16', '6to4', 3056, 'reachable'],
  ['2620:4f:8000::/48', 'Direct delegation AS112 service', 7534, 'reachable'],
  ['3fff::/20', 'Documentation', 9637],
  ['5f00::/16', 'Segment routing (SRv6) SIDs', 9602],
  ['fc00::/7', 'Unique local', 4193],
  ['fe80::/10', 'Link local', 4291],
  ['fec0::/10', 'Deprecated site local', 3879],
  ['ff00::/8', 'Multicast', 4291],
];

const entries = rows.map(([prefix, name, rfc, reachable]) => {
  const range = parsePrefix(prefix);
  if (range === undefined) throw new Error(`special-purpose table: ${prefix} is not a prefix`);
  return { row: { prefix, name, rfc: `RFC ${rfc}` }, range, isReachable: reachable !== undefined };
});

/** Whether an entry has addresses with these first 16 bits. */
const LEADING_BITS = { 4: new Uint8Array(65536), 6: new Uint8Array(65536) };
for (const { version, start, end } of entries.map(({ range }) => range)) {
  const shift = version === 4 ? 16n : 112n;
  LEADING_BITS[version].fill(1, Number(start >> shift), Number(end >> shift) + 1);
}
