import { rirOfAsn } from '../../data-files/rir.ts';
import { type KnownWords, nameSignals } from './name-signals.ts';
import { type RouteShape, routeSignals } from './route-shapes.ts';

export type NetworkSignals = Readonly<
  Record<'name' | 'registration' | 'announcements', Iterable<string>>
>;

/** `known`: shared by the networks of a build, so that each word is looked at once. */
export function networkSignals(
  asn: number,
  name: string,
  shape: RouteShape | undefined,
  knownWords?: KnownWords,
): NetworkSignals {
  return {
    name: nameSignals(name, knownWords),
    registration: regionSignals(asn, shape?.country),
    announcements: shape === undefined ? [] : routeSignals(shape),
  };
}

/** Numbers up to here were given out until about 2009, and to larger organisations. */
const LAST_16_BIT = 65_535;

/**
 * Most small networks sell access in Brazil, and use it in the United States. `country`: of most of
 * its space.
 */
export function regionSignals(asn: number, country: string | undefined): string[] {
  const registry = rirOfAsn(asn);
  return [
    ...(country === undefined ? [] : [`country ${country}`]),
    asn <= LAST_16_BIT ? 'old number' : `number of ${registry ?? 'no registry'}`,
  ];
}
