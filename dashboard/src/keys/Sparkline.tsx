import { count } from '../format/number.ts';

const WIDTH = 96;
const HEIGHT = 24;

/**
 * Requests per hour as small bars, drawn as one path because a table has many of these. Screen
 * readers get the total.
 */
export function Sparkline({ values }: { values: readonly number[] }) {
  const largest = Math.max(...values, 1);
  const slot = WIDTH / Math.max(1, values.length);
  const total = values.reduce((sum, value) => sum + value, 0);
  const bars = values
    .map((value, hour) => {
      if (value === 0) return '';
      const height = Math.max(1.5, (value / largest) * (HEIGHT - 2));
      return `M${(hour * slot + 0.4).toFixed(1)} ${HEIGHT}v${-height.toFixed(1)}h${Math.max(1, slot - 0.9).toFixed(1)}V${HEIGHT}z`;
    })
    .join('');
  return (
    <svg
      width={WIDTH}
      height={HEIGHT}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={`${count(total, 'request')} in ${values.length} hours`}
    >
      <path d={`M0 ${HEIGHT - 0.5}h${WIDTH}`} stroke="var(--line-strong)" />
      <path d={bars} fill="var(--accent)" />
    </svg>
  );
}
