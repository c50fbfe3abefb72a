/** All evidence for the kind of a network, as keys of the table of points. */
import { nameSignals } from './name-signals.ts';
import { regionSignals } from './region-signals.ts';
import { type RouteShape, routeSignals } from './route-shapes.ts';

export function networkSignals(asn: number, name: string, shape: RouteShape | undefined): Set<string> {
  const signals = nameSignals(name);
  for (const signal of regionSignals(asn, shape?.country)) signals.add(signal);
  if (shape !== undefined) for (const signal of routeSignals(shape)) signals.add(signal);
  return signals;
}
