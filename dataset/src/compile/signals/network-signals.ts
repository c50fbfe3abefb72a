/** All evidence for the kind of a network, as keys of the table of points. */
import { type KnownWords, nameSignals } from './name-signals.ts';
import { regionSignals } from './region-signals.ts';
import { type RouteShape, routeSignals } from './route-shapes.ts';

/** `known`: shared by the networks of a build, so that each word is looked at once. */
export function networkSignals(
  asn: number,
  name: string,
  shape: RouteShape | undefined,
  known?: KnownWords,
): Set<string> {
  const signals = nameSignals(name, known);
  for (const signal of regionSignals(asn, shape?.country)) signals.add(signal);
  if (shape !== undefined) for (const signal of routeSignals(shape)) signals.add(signal);
  return signals;
}
