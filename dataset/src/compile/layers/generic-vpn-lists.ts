// What is used of generic VPN lists. Their authors add whole hosting networks in which VPN services
// rent servers: 78% of the addresses on X4BNet's list of 2026-08 are two networks, with CDN nodes
// and the gateways of companies in them. A row that is narrower than a /24 (IPv6: /48) names
// servers and counts as it is. Of a wider row these parts count:
//
//   blocks, /24 or /48, that hold a server which a VPN service or a narrow row names
//   announced prefixes of whose blocks at least MIN_DENSITY hold such a server
//
// Lists are never complete: a block with MIN_NEIGHBOURS narrow rows counts as a whole, as
// neighbours of servers. Only in hosting networks, see describe.ts. Servers that services list
// themselves do not make neighbours, so that the measurement of a service that is held out does not
// depend on its own list.
//
// docs/dataset.md has the measurements behind both numbers.
import { addressBits } from '../../prefix.ts';
import { flatten, type Layer, Ranges, runAt } from '../../ranges.ts';
import { LayerCursor, sweep } from '../../sweep.ts';
import type { Overlay } from '../input/compile-input.ts';

const MIN_DENSITY = 0.1;
const MIN_NEIGHBOURS = 2;
const BLOCK_LENGTH = { 4: 24, 6: 48 } as const;
/** A row of a service with more blocks is a network, not a server. */
const MAX_BLOCKS = 256n;

/**
 * `routes`: announced prefixes. Returns the overlays with generic lists restricted, in the same
 * order.
 */
export function restrictGenericLists(
  overlays: readonly Overlay[],
  routes: Layer,
  version: 4 | 6,
): readonly Overlay[] {
  if (!overlays.some(isGenericList)) return overlays;
  const hostBits = BigInt(addressBits(version) - BLOCK_LENGTH[version]);
  const isNarrow = (start: bigint, end: bigint) => end - start + 1n < 1n << hostBits;
  const blocks = new Set<bigint>();
  for (const overlay of overlays) {
    if (!overlay.drives.includes('is_vpn') || overlay.isRelay === true) continue;
    overlay.ranges[version].forEach((start, end) => {
      if (
        isGenericList(overlay)
          ? !isNarrow(start, end)
          : (end >> hostBits) - (start >> hostBits) >= MAX_BLOCKS
      )
        return;
      for (let block = start >> hostBits; block <= end >> hostBits; block++) blocks.add(block);
    });
  }
  const trusted = withDensePrefixes(blocks, hostBits, routes);
  return overlays.map((overlay) => {
    if (!isGenericList(overlay)) return overlay;
    const ranges = new Ranges();
    const rows = new LayerCursor(flatten(overlay.ranges[version]));
    const isTrusted = new LayerCursor(trusted);
    const { starts, ends } = overlay.ranges[version];
    const own = overlay.statements;
    const neighbours = neighbourBlocks(overlay.ranges[version], hostBits);
    const counts = [...new Set(neighbours.map(([, count]) => count))];
    // Rows are narrower or come later, so they decide where there are any.
    for (const [block, count] of neighbours)
      ranges.add(
        block << hostBits,
        ((block + 1n) << hostBits) - 1n,
        2 * own.length + counts.indexOf(count),
      );
    sweep([rows, isTrusted], (start, end) => {
      if (rows.row < 0) return;
      if (isNarrow(starts[rows.row] as bigint, ends[rows.row] as bigint))
        ranges.add(start, end, rows.value);
      else if (isTrusted.row >= 0) ranges.add(start, end, own.length + rows.value);
    });
    const wide = own.map((statement) => ({ ...statement, isWide: true }));
    const statements = [...own, ...wide, ...counts.map((count) => ({ neighbours: count }))];
    return { ...overlay, statements, ranges: { ...overlay.ranges, [version]: ranges } };
  });
}

const isGenericList = ({ drives, tooOld = [], isGeneric }: Overlay) =>
  isGeneric === true && [...drives, ...tooOld].includes('is_vpn');

/**
 * The blocks with enough narrow rows of a list, and how many; without those that a wide row of it
 * covers.
 */
function neighbourBlocks(ranges: Ranges, hostBits: bigint): [block: bigint, count: number][] {
  const counts = new Map<bigint, number>();
  const wide = new Ranges();
  ranges.forEach((start, end) => {
    const block = start >> hostBits;
    if (end - start + 1n >= 1n << hostBits) wide.add(start, end, 0);
    else counts.set(block, (counts.get(block) ?? 0) + 1);
  });
  const covered = flatten(wide);
  return [...counts].filter(
    ([block, count]) => count >= MIN_NEIGHBOURS && runAt(covered, block << hostBits) < 0,
  );
}

function withDensePrefixes(blocks: ReadonlySet<bigint>, hostBits: bigint, routes: Layer): Layer {
  const trusted = new Ranges();
  const countOfRoute = new Map<number, number>();
  for (const block of blocks) {
    trusted.add(block << hostBits, ((block + 1n) << hostBits) - 1n, 0);
    const route = routes.rows[runAt(routes, block << hostBits)];
    if (route !== undefined) countOfRoute.set(route, (countOfRoute.get(route) ?? 0) + 1);
  }
  for (const [route, count] of countOfRoute) {
    const start = routes.ranges.starts[route] as bigint;
    const end = routes.ranges.ends[route] as bigint;
    if (count >= Number((end - start + 1n) >> hostBits) * MIN_DENSITY) trusted.add(start, end, 0);
  }
  return flatten(trusted);
}
