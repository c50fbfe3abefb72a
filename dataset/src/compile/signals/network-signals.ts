/** All evidence for the kind of a network, as keys of the table of points, by what it is about. */
import { type KnownWords, nameSignals } from './name-signals.ts';
import { regionSignals } from './region-signals.ts';
import { type RouteShape, routeSignals } from './route-shapes.ts';

export type NetworkSignals = Readonly<Record<'name' | 'registration' | 'announcements', Iterable<string>>>;

/** `known`: shared by the networks of a build, so that each word is looked at once. */
export function networkSignals(
  asn: number,
  name: string,
  shape: RouteShape | undefined,
  known?: KnownWords,
): NetworkSignals {
  return {
    name: nameSignals(name, known),
    registration: regionSignals(asn, shape?.country),
    announcements: shape === undefined ? [] : routeSignals(shape),
  };
}
