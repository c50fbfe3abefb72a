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
};

/** A plain table for up to some hundred rows; on a narrow screen it scrolls inside its frame. */
export function Table<Row>({ label, columns, rows, rowKey }: TableProps<Row>) {
  return (
    <div className={classes['scroll']} tabIndex={0} role="group" aria-label={label}>
      <table className={classes['table']} aria-label={label}>
        <thead>
          <tr>
            {columns.map(({ name, align }) => (
              <th key={name} scope="col" data-align={align}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={rowKey(row, index)}>
              {columns.map(({ name, align, isText, cell }) => (
                <td key={name} data-align={align} data-text={isText}>
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
