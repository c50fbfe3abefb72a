import { Fragment, type ReactNode, useState } from 'react';
import { formatNumber } from '../format/number.ts';
import { QuietButton } from './Buttons.tsx';
import classes from './Table.module.css';

export type Column<Row> = {
  readonly name: string;
  readonly align?: 'end';
  /** Sentences, which wrap on a narrow screen too. Other cells stay on one line there. */
  readonly isText?: boolean;
  /** Left out on a narrow screen. */
  readonly isWide?: boolean;
  readonly cell: (row: Row) => ReactNode;
};

type TableProps<Row> = {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  /** For rows that come and go while the table is shown; otherwise their position. */
  rowKey?: (row: Row, index: number) => string;
  /**
   * On a narrow screen, shows each row as a block with one line per cell, for few rows with many or
   * long cells; or, compact, with two short cells in a line and without the names of the columns.
   */
  isStacked?: boolean | 'compact';
  /** What is shown below a row that is open. */
  detail?: (row: Row) => ReactNode;
  /** How many rows are shown before "show all". */
  limit?: number;
};

/** The buttons of a row. */
export function RowActions({ children }: { children: ReactNode }) {
  return <div className={`${classes['actions']} no-print`}>{children}</div>;
}

const positionOf = (_row: unknown, index: number): string => String(index);

/**
 * A plain table for up to a few hundred rows; on a narrow screen it scrolls sideways or is stacked.
 * The roles repeat those of the elements, because browsers drop them when CSS changes `display`.
 */
export function Table<Row>(props: TableProps<Row>) {
  const { label, columns, rows, rowKey = positionOf, isStacked = false, detail, limit } = props;
  const [isExpanded, setIsExpanded] = useState(false);
  const shown = isExpanded ? rows : rows.slice(0, limit);
  return (
    <>
      <div className={classes['scroll']} tabIndex={0} role="group" aria-label={label}>
        <table
          className={classes['table']}
          aria-label={label}
          role="table"
          data-stacked={isStacked || undefined}
        >
          <thead role="rowgroup">
            <tr role="row">
              {columns.map(({ name, align }) => (
                <th key={name} scope="col" role="columnheader" data-align={align}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody role="rowgroup">
            {shown.map((row, index) => {
              const below = detail?.(row);
              return (
                <Fragment key={rowKey(row, index)}>
                  <tr role="row">
                    {columns.map(({ name, align, isText, isWide, cell }) => (
                      <td
                        key={name}
                        role="cell"
                        className={isWide ? 'wide-only' : undefined}
                        data-name={name}
                        data-align={align}
                        data-text={isText}
                      >
                        {cell(row)}
                      </td>
                    ))}
                  </tr>
                  {below && (
                    <tr role="row">
                      <td role="cell" colSpan={columns.length} className={classes['detail']}>
                        {below}
                      </td>
                    </tr>
                  )}
                </Fragment>
              );
            })}
          </tbody>
        </table>
      </div>
      {shown.length < rows.length && (
        <QuietButton
          className={classes['more'] ?? ''}
          text={`Show all ${formatNumber(rows.length)}`}
          onClick={() => setIsExpanded(true)}
        />
      )}
    </>
  );
}
