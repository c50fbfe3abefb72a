// What a network announces, as evidence for its kind: access providers hold the smallest allocation
// of a registry or a few large blocks, offices one /24, hosting companies many rented /24s of
// several countries.

import { decodeCountry } from '../../country-code.ts';
import { getOrInsert } from '../../get-or-insert.ts';
import { flatten, type Layer, type Ranges, runAt } from '../../ranges.ts';
import type { CompileInput } from '../input/compile-input.ts';

export type RouteShape = {
  ipv4Prefixes: number;
  ipv4Addresses: number;
  ipv6Prefixes: number;
  /** The country in which its largest block is registered; IPv4 if it has any. */
  readonly country: string | undefined;
};

type Counted = Omit<RouteShape, 'country'> & {
  largest: { version: 4 | 6; start: bigint; size: bigint };
};

/**
 * By AS number. Each source only for networks that no earlier one has; lists of ranges, which the
 * points were fitted on, first.
 */
export function routeShapes({
  routes,
  delegated,
}: Pick<CompileInput, 'routes' | 'delegated'>): Map<number, RouteShape> {
  const counted = new Map<number, Counted>();
  for (const { ranges } of [...routes].reverse()) {
    const earlier = new Set(counted.keys());
    count(counted, ranges[4], 4, earlier);
    count(counted, ranges[6], 6, earlier);
  }
  const registered = { 4: flatten(delegated.ranges[4]), 6: flatten(delegated.ranges[6]) };
  return new Map(
    [...counted].map(
      ([
        asn,
        {
          largest: { version, start },
          ...shape
        },
      ]) => {
        const country = valueAt(registered[version], start);
        return [
          asn,
          { ...shape, country: country === undefined ? undefined : decodeCountry(country) },
        ];
      },
    ),
  );
}

function count(
  shapes: Map<number, Counted>,
  ranges: Ranges,
  version: 4 | 6,
  skipped: ReadonlySet<number>,
): void {
  ranges.forEach((start, end, asn) => {
    if (skipped.has(asn)) return;
    const size = end - start + 1n;
    const shape = getOrInsert(shapes, asn, () => {
      const largest = { version, start, size: 0n };
      return { ipv4Prefixes: 0, ipv4Addresses: 0, ipv6Prefixes: 0, largest };
    });
    if (version === 4) {
      shape.ipv4Prefixes++;
      shape.ipv4Addresses += Number(size);
    } else shape.ipv6Prefixes++;
    if (shape.largest.version === version && size > shape.largest.size)
      shape.largest = { version, start, size };
  });
}

/** Upper limits of the buckets, in /24s. */
const SIZES = [0, 1, 2, 4, 8, 16, 64, 256] as const;

export function routeSignals({ ipv4Prefixes, ipv4Addresses, ipv6Prefixes }: RouteShape): string[] {
  const blocks = ipv4Addresses / 256;
  const size = SIZES.find((limit) => blocks <= limit);
  const signals = [
    size === undefined ? 'more than 256 /24s' : `up to ${size} /24s`,
    `IPv6 prefixes: ${countOfPrefixes(ipv6Prefixes)}`,
    `IPv4 prefixes: 2^${Math.min(4, Math.floor(Math.log2(ipv4Prefixes + 1)))}`,
  ];
  if (ipv4Prefixes > 0)
    signals.push(
      `mean prefix: 2^${Math.min(5, Math.floor(Math.log2(blocks / ipv4Prefixes + 1)))} /24s`,
    );
  return signals;
}

function countOfPrefixes(count: number): string {
  if (count <= 1) return String(count);
  return count <= 3 ? '2-3' : 'many';
}

function valueAt(layer: Layer, address: bigint): number | undefined {
  const run = runAt(layer, address);
  return run < 0 ? undefined : layer.ranges.values[layer.rows[run] as number];
}
