/**
 * Amounts by country on a map of the world. It is a picture for those who see it: the list of
 * countries beside it has the same numbers, and is what the keyboard and a screen reader use.
 */

import { useState } from 'react';
import { countryName } from '../format/names.ts';
import { count, formatNumber, formatShare } from '../format/number.ts';
import classes from './WorldMap.module.css';
import { COUNTRY_SHAPES, WORLD } from './world.ts';

export type WorldMapProps = {
  amounts: readonly CountryAmount[];
  /** The whole that shares refer to, as in the list beside it: `amounts` may leave some out. */
  total: number;
  /** What is counted: `addresses`. */
  unit: string;
  selected?: string | undefined;
  onSelect?: ((code: string) => void) | undefined;
};

/** Radius of a country that is too small for a shape. */
const POINT_RADIUS = 3.5;

export function WorldMap({ amounts, total, unit, selected, onSelect }: WorldMapProps) {
  const [pointed, setPointed] = useState<string>();
  const byCode = new Map(amounts.map((amount) => [amount.code, amount]));
  const largest = amounts.reduce((max, { amount }) => Math.max(max, amount), 0);
  const located = amounts.filter(({ code }) => code !== 'ZZ' && code !== '');
  return (
    <figure className={classes['figure']}>
      <figcaption className={classes['readout']}>
        {pointed !== undefined &&
          `${countryName(pointed)}: ${formatNumber(byCode.get(pointed)?.amount ?? 0)} ${unit}`}
      </figcaption>
      <svg
        className={classes['map']}
        viewBox={`0 0 ${WORLD.width} ${WORLD.height}`}
        role="img"
        aria-label={`Map of ${count(located.length, 'country', 'countries')}; the list of countries has the numbers`}
        onMouseLeave={() => setPointed(undefined)}
      >
        {COUNTRY_SHAPES.map((shape, index) => {
          const { code } = shape;
          const amount = byCode.get(code)?.amount ?? 0;
          // A point that has nothing to show would only hide the shape around it.
          if (amount === 0 && 'x' in shape) return null;
          const isChoosable = onSelect !== undefined && amount > 0;
          const common = {
            className: classes['country'],
            style: amount === 0 ? undefined : { fill: shadeOf(amount / largest) },
            'data-selected': selected === code || undefined,
            'data-choosable': isChoosable || undefined,
            onMouseEnter: () => setPointed(code === '' ? undefined : code),
            onClick: isChoosable ? () => onSelect(code) : undefined,
          };
          // biome-ignore lint/suspicious/noArrayIndexKey: the list of shapes never changes.
          if ('path' in shape) return <path key={index} d={shape.path} {...common} />;
          return <circle key={code} cx={shape.x} cy={shape.y} r={POINT_RADIUS} {...common} />;
        })}
      </svg>
      <div className={classes['legend']} aria-hidden>
        <span className={classes['swatch']} /> none
        <span className={classes['scale']} style={{ background: SCALE }} /> up to{' '}
        {formatShare(largest, total)} of the {unit}
      </div>
    </figure>
  );
}

/** So that a country with a small share differs from one with none. */
const LIGHTEST = 0.12;
const SCALE = `linear-gradient(to right, ${shadeOf(0)}, ${shadeOf(1)})`;

type CountryAmount = { readonly code: string; readonly amount: number };

/**
 * How dark a country is. Linear: a country with half of the largest amount has half of its shade.
 * The mixture follows the theme.
 */
function shadeOf(share: number): string {
  const strength = LIGHTEST + (1 - LIGHTEST) * share;
  return `color-mix(in srgb, var(--map-strong) ${Math.round(strength * 100)}%, var(--map-empty))`;
}
