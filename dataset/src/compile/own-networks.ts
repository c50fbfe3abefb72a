/** The operator's own networks, from the overrides, as a source of routes and names like any other. */
import { Ranges } from '../ranges.ts';
import type { NameSource, RouteSource } from './compile-input.ts';
import type { Overrides } from './overrides.ts';

export type OwnNetworks = RouteSource & NameSource;

export function ownNetworks(overrides: Overrides | undefined): OwnNetworks | undefined {
  if (overrides === undefined || overrides.networks.length === 0) return undefined;
  const ranges = { 4: new Ranges(), 6: new Ranges() };
  for (const { range, asn } of overrides.networks) ranges[range.version].add(range.start, range.end, asn);
  const names = overrides.networks.flatMap(({ asn, name }) => (name === undefined ? [] : [[asn, { name }] as const]));
  return { source: overrides.source, ranges, otherOrigins: [], names: new Map(names) };
}
