import type { ReactNode } from 'react';
import classes from './Table.module.css';

export type Column<Row> = {
  readonly name: string;
  readonly align?: 'end';
  /** Sentences: wrapped also on a narrow screen, where other cells stay on one line. */
  readonly isText?: boolean;
  readonly cell: (row: Row) => ReactNode;
};

type TableProps<Row> = {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row, index: number) => string;
  /** On a phone: a row is a block with a line per cell. For few rows with many or long cells. */
  isStacked?: boolean;
};

/**
 * A plain table for up to some hundred rows; on a narrow screen it scrolls inside its frame, or is stacked. The roles are
 * those of the elements: browsers drop them where the style is not that of a table.
 */
export function Table<Row>({ label, columns, rows, rowKey, isStacked = false }: TableProps<Row>) {
  return (
    <div className={classes['scroll']} tabIndex={0} role="group" aria-label={label}>
      <table className={classes['table']} aria-label={label} role="table" data-stacked={isStacked || undefined}>
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
          {rows.map((row, index) => (
            <tr key={rowKey(row, index)} role="row">
              {columns.map(({ name, align, isText, cell }) => (
                <td key={name} role="cell" data-name={name} data-align={align} data-text={isText}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
