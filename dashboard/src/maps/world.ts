/**
 * Countries as shapes in a plane, from Natural Earth by way of `world-atlas`, which names them by
 * ISO 3166-1 numbers. Countries and territories that are too small for its scale of 1:110 million
 * are points.
 */
import { geoEqualEarth, geoPath } from 'd3-geo';
import { feature } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';
import atlas from 'world-atlas/countries-110m.json';
import countries from './countries.csv?raw';

export const WORLD = { width: 960, height: 430 };

export type CountryShape =
  | { readonly code: string; readonly path: string }
  | { readonly code: string; readonly x: number; readonly y: number };

function project(): CountryShape[] {
  // The file has this form; its own type is that of every number in it.
  const topology = atlas as unknown as Topology<{
    countries: GeometryCollection<{ name: string }>;
  }>;
  const { features } = feature(topology, topology.objects.countries);
  // Nothing is registered in Antarctica, and it takes a quarter of the picture.
  const shown = features.filter(({ id }) => id !== ANTARCTICA);
  const projection = geoEqualEarth().fitSize([WORLD.width, WORLD.height], {
    type: 'FeatureCollection',
    features: shown,
  });
  const pathOf = geoPath(projection).digits(1);
  return [
    ...shown.map((country) => ({
      code:
        SHAPE_CODES.get(String(country.id)) ?? (country.properties.name === 'Kosovo' ? 'XK' : ''),
      path: pathOf(country) ?? '',
    })),
    ...POINTS.map(([code, longitude, latitude]) => {
      const [x, y] = projection([longitude, latitude]) ?? [0, 0];
      return { code, x: Math.round(x), y: Math.round(y) };
    }),
  ];
}

const ANTARCTICA = '010';

/**
 * ISO 3166-1: codes with the number of their shape, or with the place of a country that is too
 * small for one.
 */
const ROWS = countries
  .trim()
  .split('\n')
  .map((line) => line.split(','));
const SHAPE_CODES = new Map(ROWS.map(([code = '', number = '']) => [number, code]));
const POINTS = ROWS.filter(([, number]) => number === '').map(
  ([code = '', , longitude, latitude]) => [code, Number(longitude), Number(latitude)] as const,
);

/**
 * Computed once, when the map is first loaded. Shapes without a code belong to no country of ISO
 * 3166.
 */
export const COUNTRY_SHAPES: readonly CountryShape[] = project();
