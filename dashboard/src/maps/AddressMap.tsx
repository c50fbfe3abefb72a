/**
 * A map of address space along the Hilbert curve, one cell per block, with a legend. It is a picture for those who see
 * it; the numbers beside it and the tables of the page say the same in words.
 */
import { formatAddress } from '@whence/dataset/address';
import { fromBigInt, parsePrefix } from '@whence/dataset/prefix';
import type { AddressMap as Cells } from '@whence/server/dashboard-wire/lookups';
import { type MapSubject, UNANNOUNCED_CELL } from '@whence/server/vocabulary';
import { type MouseEvent, useMemo, useState } from 'react';
import { formatNumber } from '../format/number.ts';
import classes from './AddressMap.module.css';
import { cellPath, indexAt, mapSize, type Point, pointAt } from './hilbert.ts';

type AddressMapProps = {
  map: Cells;
  by: MapSubject;
  /** Whether the dataset has blocklists. Without them, low is not green: nothing was verified. */
  isThreatKnown: boolean;
  onOpen: (prefix: string) => void;
};

const MAX_HEIGHT_PX = 440;
const NETWORK_COLOURS = ['--series-1', '--series-2', '--series-3', '--series-4', '--high-fill', '--series-5'];
const COLOURS: Readonly<Record<string, string>> = {
  residential: '--series-2',
  mobile: '--high-fill',
  datacenter: '--series-1',
  business: '--series-4',
  education: '--series-3',
  low: '--low-fill',
  medium: '--medium-fill',
  high: '--high-fill',
  critical: '--critical-fill',
};

export function AddressMap({ map, by, isThreatKnown, onOpen }: AddressMapProps) {
  const { prefix, cell_length, cells, kinds, is_truncated } = map;
  const bits = Math.round(Math.log2(cells.length));
  const { width, height, order } = mapSize(bits);
  const [pointed, setPointed] = useState<Point>();
  const layers = useMemo(() => layersOf(cells, kinds, bits), [cells, kinds, bits]);
  const colourOf = (kind: string) => {
    const isUnverified = kind === 'low' && !isThreatKnown;
    const name = by === 'network' ? NETWORK_COLOURS[kinds.indexOf(kind)] : isUnverified ? '--series-1' : COLOURS[kind];
    return `var(${name})`;
  };
  const unannounced = cells.length - layers.reduce((sum, { count }) => sum + count, 0);
  const index = pointed && indexAt(pointed, order);
  const words = layers.map(({ kind, count }) => `${formatNumber(count)} ${kind}`).join(', ');
  const at = ({ currentTarget, clientX, clientY }: MouseEvent<SVGSVGElement>): Point => {
    const box = currentTarget.getBoundingClientRect();
    const scaled = (offset: number, size: number, cellCount: number) =>
      Math.min(cellCount - 1, Math.max(0, Math.floor((offset / size) * cellCount)));
    return { x: scaled(clientX - box.left, box.width, width), y: scaled(clientY - box.top, box.height, height) };
  };
  return (
    <figure className={classes['figure']}>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: a shortcut for the mouse; the lookup field opens any prefix. */}
      <svg
        className={classes['map']}
        style={{ width: `min(100%, ${(MAX_HEIGHT_PX * width) / height}px)` }}
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={`Map of ${prefix}, one cell per /${cell_length}: ${words}`}
        onMouseMove={(event) => setPointed(at(event))}
        onMouseLeave={() => setPointed(undefined)}
        onClick={(event) => onOpen(blockAt(map, indexAt(at(event), order)))}
      >
        {layers.map(({ kind, path }) => (
          <path key={kind} d={path} style={{ fill: colourOf(kind) }} />
        ))}
        {prefix === '0.0.0.0/0' && <Slash8s cells={cells} />}
        {pointed !== undefined && (
          <rect className={classes['pointed']} x={pointed.x} y={pointed.y} width={1} height={1} />
        )}
      </svg>
      <figcaption className={classes['caption']}>
        <p className={classes['readout']}>
          {index === undefined
            ? `One cell per /${cell_length}. Neighbours on the map are neighbours in address space.`
            : `${blockAt(map, index)}: ${kindOfCell(kinds, cells[index]) ?? 'not announced'}`}
        </p>
        <ul className={classes['types']}>
          {layers.map(({ kind, count }) => (
            <li key={kind}>
              <span className={classes['swatch']} style={{ background: colourOf(kind) }} />
              {kind} <strong>{formatNumber(count)}</strong>
            </li>
          ))}
          {unannounced > 0 && (
            <li>
              <span className={classes['swatch']} />
              not announced <strong>{formatNumber(unannounced)}</strong>
            </li>
          )}
        </ul>
        {is_truncated && <p>The end of the map is missing: there are too many different prefixes.</p>}
      </figcaption>
    </figure>
  );
}

type Layer = { readonly kind: string; readonly count: number; readonly path: string };

/** One path per kind, the most frequent first. */
function layersOf(cells: string, kinds: readonly string[], bits: number): Layer[] {
  return kinds
    .map((kind, at) => {
      const code = String.fromCharCode(FIRST_CODE + at);
      const count = cells.split(code).length - 1;
      return { kind, count, path: count === 0 ? '' : cellPath((index) => cells[index] === code, bits) };
    })
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count);
}

const FIRST_CODE = 'a'.charCodeAt(0);

function kindOfCell(kinds: readonly string[], code = UNANNOUNCED_CELL): string | undefined {
  return code === UNANNOUNCED_CELL ? undefined : kinds[code.charCodeAt(0) - FIRST_CODE];
}

function blockAt({ prefix, cell_length }: Cells, index: number): string {
  const range = parsePrefix(prefix);
  if (range === undefined) return prefix;
  const { version, start } = range;
  const size = 1n << BigInt((version === 4 ? 32 : 128) - cell_length);
  return `${formatAddress(fromBigInt(start + BigInt(index) * size, version))}/${cell_length}`;
}

const SLASH8_CELLS = 256;
const SLASH8_SIDE = 16;

/** Lines between the /8s of all IPv4 space, and the numbers of those that have a cell. */
function Slash8s({ cells }: { cells: string }) {
  const lines = Array.from({ length: SLASH8_SIDE - 1 }, (_, line) => (line + 1) * SLASH8_SIDE);
  const used = Array.from({ length: 256 }, (_, first) => first).filter((first) =>
    /[a-z]/.test(cells.slice(first * SLASH8_CELLS, (first + 1) * SLASH8_CELLS)),
  );
  return (
    <g aria-hidden>
      <path
        className={classes['grid']}
        d={lines.map((line) => `M${line} 0V256M0 ${line}H256`).join('')}
        vectorEffect="non-scaling-stroke"
      />
      {used.map((first) => {
        const { x, y } = pointAt(first, 4);
        return (
          <text key={first} className={classes['number']} x={x * SLASH8_SIDE + 1} y={y * SLASH8_SIDE + 6}>
            {first}
          </text>
        );
      })}
    </g>
  );
}
