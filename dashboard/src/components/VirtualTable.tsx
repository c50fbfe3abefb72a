import { useMediaQuery } from '@mantine/hooks';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useRef } from 'react';
import { Icon } from './icons.tsx';
import classes from './VirtualTable.module.css';

const ROW_PX = 40;
const SHORT = 12;

export type VirtualColumn<Row, Sort extends string = never> = {
  readonly name: string;
  /** A track of the grid, such as `minmax(130px, 1.2fr)`. */
  readonly width: string;
  /**
   * The order that a click on the head chooses, or undefined for the order of the rows as they are.
   */
  readonly sort?: Sort;
  readonly cell: (row: Row) => ReactNode;
  /** The whole text of a cell that may be cut off. */
  readonly title?: (row: Row) => string | undefined;
};

type VirtualTableProps<Row, Sort extends string> = {
  label: string;
  columns: readonly VirtualColumn<Row, Sort>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  minWidth: number;
  /**
   * On a narrow screen, each row is a card of this height: the first cell, and the others below it.
   */
  cardPx?: number;
  sort?: Sort | undefined;
  onSort?: (sort: Sort | undefined) => void;
};

/**
 * A table of any number of rows, of which only the visible ones are in the page. It scrolls in both
 * directions.
 */
export function VirtualTable<Row, Sort extends string = never>(
  props: VirtualTableProps<Row, Sort>,
) {
  const { label, columns, rows, rowKey, minWidth, cardPx, sort, onSort } = props;
  const isNarrow = useMediaQuery('(max-width: 640px)', false, { getInitialValueInEffect: false });
  const isCards = cardPx !== undefined && isNarrow;
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => (isCards ? cardPx : ROW_PX),
    overscan: 16,
  });
  // Sizes that were estimated for the other layout are kept otherwise.
  useEffect(() => {
    if (isCards !== undefined) virtual.measure();
  }, [virtual, isCards]);
  const grid = isCards
    ? {}
    : { gridTemplateColumns: columns.map(({ width }) => width).join(' '), minWidth };
  return (
    <div className={classes['frame']}>
      <div
        ref={scroller}
        className={
          rows.length > SHORT ? classes['scroll'] : `${classes['scroll']} ${classes['short']}`
        }
        role="table"
        aria-label={label}
        aria-rowcount={rows.length + 1}
        data-cards={isCards || undefined}
        tabIndex={0}
      >
        <div className={classes['head']} role="row" style={grid}>
          {columns.map(({ name, sort: by }) => (
            <ColumnHead
              key={name}
              name={name}
              order={by !== undefined && by === sort ? 'descending' : undefined}
              onSort={by && (() => onSort?.(by === sort ? undefined : by))}
            />
          ))}
        </div>
        <div
          className={classes['body']}
          style={{ ...(isCards ? {} : { minWidth }), height: virtual.getTotalSize() }}
        >
          {virtual.getVirtualItems().map(({ index, start, size }) => {
            const row = rows[index];
            if (row === undefined) return null;
            return (
              <div
                key={rowKey(row)}
                className={classes['row']}
                role="row"
                aria-rowindex={index + 2}
                style={{ ...grid, height: size, transform: `translateY(${start}px)` }}
              >
                {columns.map(({ name, cell, title }) => (
                  <div key={name} className={classes['cell']} role="cell" title={title?.(row)}>
                    {cell(row)}
                  </div>
                ))}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

type ColumnHeadProps = {
  name: string;
  /** The order of the rows, if they are sorted by this column. */
  order: 'ascending' | 'descending' | undefined;
  onSort: (() => void) | undefined;
};

/** The head of a column, a button where rows can be sorted by it. */
export function ColumnHead({ name, order, onSort }: ColumnHeadProps) {
  const icon = order === 'ascending' ? 'arrow-up' : 'arrow-down';
  return (
    <div role="columnheader" data-column={name} aria-sort={order}>
      {onSort === undefined ? (
        name
      ) : (
        <button type="button" className={classes['sort']} onClick={onSort}>
          {name}
          {order !== undefined && <Icon name={icon} size={13} />}
        </button>
      )}
    </div>
  );
}
