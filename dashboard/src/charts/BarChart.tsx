import { useElementSize } from '@mantine/hooks';
import { type KeyboardEvent, useState } from 'react';
import { Table } from '../components/Table.tsx';
import { formatNumber, formatShort } from '../format/number.ts';
import classes from './BarChart.module.css';
import { axisTop, type Series } from './series.ts';

type BarChartProps = {
  label: string;
  /** One per bar: its label under the axis and in the table. */
  names: readonly string[];
  series: readonly Series[];
  height?: number;
};

const LEFT = 44;
const BOTTOM = 22;
const TOP = 8;
const GAP = 1;
const COLOURS = [
  'var(--series-1)',
  'var(--series-2)',
  'var(--series-3)',
  'var(--series-4)',
  'var(--series-5)',
];

/**
 * Stacked bars over time. Arrow keys move from bar to bar and announce the values; a table has the
 * same data.
 */
export function BarChart({ label, names, series, height = 200 }: BarChartProps) {
  const [isTable, setIsTable] = useState(false);
  const [at, setAt] = useState<number>();
  const totals = names.map((_, index) =>
    series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0),
  );
  const move = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    setAt((current) =>
      Math.min(names.length - 1, Math.max(0, (current ?? (step > 0 ? -1 : names.length)) + step)),
    );
  };
  return (
    <figure className={classes['figure']}>
      <div className={classes['readout']}>
        <span aria-live="polite">
          {at === undefined ? (
            label
          ) : (
            <Readout name={names[at] ?? ''} total={totals[at] ?? 0} series={series} at={at} />
          )}
        </span>
        <button
          type="button"
          className={`${classes['toggle']} no-print`}
          onClick={() => setIsTable(!isTable)}
        >
          {isTable ? 'Show as chart' : 'Show as table'}
        </button>
      </div>
      {isTable ? (
        <ValueTable label={label} names={names} series={series} />
      ) : (
        <div
          tabIndex={0}
          role="group"
          aria-label={`${label}. Use the arrow keys.`}
          onKeyDown={move}
          onBlur={() => setAt(undefined)}
        >
          <Plot
            names={names}
            series={series}
            totals={totals}
            height={height}
            at={at}
            onAt={setAt}
          />
        </div>
      )}
      {series.length > 1 && (
        <div className={classes['labels']}>
          {series.map((bars, index) => (
            <span key={bars.id} className={classes['label']}>
              <span className={classes['swatch']} style={{ background: colourOf(bars, index) }} />
              {bars.label}
            </span>
          ))}
        </div>
      )}
    </figure>
  );
}

function Readout({
  name,
  total,
  series,
  at,
}: {
  name: string;
  total: number;
  series: readonly Series[];
  at: number;
}) {
  const parts = series.length < 2 ? [] : series.filter(({ values }) => (values[at] ?? 0) > 0);
  return (
    <>
      {name}: <strong>{formatNumber(total)}</strong>
      {parts.length > 0 &&
        ` (${parts.map(({ label, values }) => `${label} ${formatNumber(values[at] ?? 0)}`).join(', ')})`}
    </>
  );
}

type PlotProps = Required<Pick<BarChartProps, 'names' | 'series' | 'height'>> & {
  totals: readonly number[];
  at: number | undefined;
  onAt: (index: number | undefined) => void;
};

function Plot({ names, series, totals, height, at, onAt }: PlotProps) {
  const { ref, width } = useElementSize<HTMLDivElement>();
  const top = axisTop(Math.max(...totals, 0));
  const inner = { width: Math.max(0, width - LEFT), height: height - BOTTOM - TOP };
  const slot = inner.width / Math.max(1, names.length);
  const bar = Math.max(1, Math.min(36, slot - Math.max(1, slot * 0.22)));
  const indexAt = (x: number) =>
    x < LEFT ? undefined : Math.min(names.length - 1, Math.floor((x - LEFT) / slot));
  const y = (value: number) => TOP + inner.height * (1 - value / top);
  const shownNames = new Set([0, Math.floor((names.length - 1) / 2), names.length - 1]);
  return (
    <div ref={ref}>
      <svg
        className={classes['plot']}
        height={height}
        viewBox={`0 0 ${Math.max(1, width)} ${height}`}
        aria-hidden="true"
        onMouseLeave={() => onAt(undefined)}
        onMouseMove={({ nativeEvent }) => onAt(indexAt(nativeEvent.offsetX))}
      >
        {(Number.isInteger(top / 2) ? [0, top / 2, top] : [0, top]).map((value) => (
          <g key={value}>
            <line className={classes['grid']} x1={LEFT} x2={width} y1={y(value)} y2={y(value)} />
            <text className={classes['axis']} x={LEFT - 8} y={y(value) + 4} textAnchor="end">
              {formatShort(value)}
            </text>
          </g>
        ))}
        {names.map((name, index) => {
          const x = LEFT + slot * index;
          let below = 0;
          return (
            <g key={name}>
              <rect
                x={x}
                y={TOP}
                width={slot}
                height={inner.height}
                className={at === index ? classes['cursor'] : ''}
                fillOpacity={at === index ? 1 : 0}
              />
              {series.map((bars, order) => {
                const value = bars.values[index] ?? 0;
                if (value === 0) return null;
                const from = below;
                below += value;
                // Neighbours of similar lightness are told apart by the gap.
                const gap = from > 0 ? GAP : 0;
                const pixels = Math.max(1, y(from) - y(below) - gap);
                return (
                  <rect
                    key={bars.id}
                    x={x + (slot - bar) / 2}
                    y={y(below)}
                    width={bar}
                    height={pixels}
                    rx={Math.min(2, bar / 3)}
                    fill={colourOf(bars, order)}
                  />
                );
              })}
              {shownNames.has(index) && (
                <text
                  className={classes['axis']}
                  {...nameAnchor(index, names.length, { width, middle: x + slot / 2 })}
                  y={height - 5}
                >
                  {name}
                </text>
              )}
            </g>
          );
        })}
      </svg>
    </div>
  );
}

function ValueTable({
  label,
  names,
  series,
}: {
  label: string;
  names: readonly string[];
  series: readonly Series[];
}) {
  return (
    <Table
      label={label}
      rows={names.map((name, index) => ({ name, index }))}
      columns={[
        { name: 'When', cell: ({ name }) => name },
        ...series.map(({ label: column, values }) => ({
          name: column,
          align: 'end' as const,
          cell: ({ index }: { index: number }) => formatNumber(values[index] ?? 0),
        })),
      ]}
    />
  );
}

/** The first and the last name do not leave the chart. */
function nameAnchor(index: number, names: number, at: { width: number; middle: number }) {
  if (index === 0) return { x: LEFT, textAnchor: 'start' } as const;
  if (index === names - 1) return { x: at.width, textAnchor: 'end' } as const;
  return { x: at.middle, textAnchor: 'middle' } as const;
}

function colourOf({ tone }: Series, index: number): string {
  if (tone === 'refused') return 'var(--medium-fill)';
  if (tone === 'failed') return 'var(--critical-fill)';
  return COLOURS[Math.min(index, COLOURS.length - 1)] ?? 'var(--series-5)';
}
