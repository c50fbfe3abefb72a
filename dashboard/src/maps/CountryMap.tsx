/** The map of the world, whose shapes and code are loaded when a page shows it. */
import { lazy, Suspense } from 'react';
import classes from './CountryMap.module.css';
import type { WorldMapProps } from './WorldMap.tsx';

const WorldMap = lazy(async () => ({ default: (await import('./WorldMap.tsx')).WorldMap }));

/** Nothing for a single country, which a map does not make clearer. */
export function CountryMap(props: WorldMapProps) {
  if (props.amounts.filter(({ code, amount }) => amount > 0 && code !== 'ZZ').length < 2)
    return null;
  return (
    <Suspense fallback={<div className={classes['space']} aria-busy />}>
      <WorldMap {...props} />
    </Suspense>
  );
}
