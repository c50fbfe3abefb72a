/** The receivers that sent reports, below what their reports show. */
import { type Column, Table } from '../components/Table.tsx';
import { count } from '../format/number.ts';
import { shortDay } from '../format/time.ts';
import classes from './Senders.module.css';

type Reporter = { readonly name: string; readonly is_large: boolean; readonly last_seen: string };

type ReportersProps<Row> = {
  reporters: readonly Row[];
  /** How many more there are. */
  leftOut?: number;
  /** What each of them reported. */
  amounts: readonly Column<Row>[];
};

export function Reporters<Row extends Reporter>({
  reporters,
  leftOut = 0,
  amounts,
}: ReportersProps<Row>) {
  return (
    <details className={classes['more']}>
      <summary>{`Who reports: ${count(reporters.length + leftOut, 'reporter')}`}</summary>
      <Table
        isStacked
        label="Reporters"
        columns={[NAME, ...amounts, LAST_REPORT]}
        rows={reporters}
        limit={10}
      />
    </details>
  );
}

const NAME: Column<Reporter> = {
  name: 'Reporter',
  isText: true,
  cell: ({ name, is_large }) => (
    <>
      {name} {is_large && <span className="quiet">large receiver</span>}
    </>
  ),
};

const LAST_REPORT: Column<Reporter> = {
  name: 'Last report',
  cell: ({ last_seen }) => shortDay(last_seen),
};
