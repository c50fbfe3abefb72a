/** Measured quality and age of the data. */
import type { DatasetReport, QualityRow } from '@whence/client/wire';
import { MEASURE_WORDS, unitWords } from '@whence/dataset/internal/quality-words';
import { type Column, Table } from '../components/Table.tsx';
import { fieldName } from '../format/names.ts';
import { formatNumber, formatShare } from '../format/number.ts';
import { DataDay, Time } from '../format/Time.tsx';

export function QualityTable({ rows }: { rows: readonly QualityRow[] }) {
  const shown = rows.filter(({ measure }) => measure !== 'changed');
  if (shown.length === 0) return <p className="quiet">This version was built without labels to measure it by.</p>;
  return <Table isStacked label="Quality" rows={shown} columns={COLUMNS} />;
}

const COLUMNS: readonly Column<QualityRow>[] = [
  { name: 'Field', cell: ({ field }) => <span className="mono">{fieldName(field)}</span> },
  { name: 'Measure', cell: ({ measure }) => MEASURE_WORDS[measure] },
  { name: 'Value', align: 'end', cell: ({ value }) => formatShare(value, 1) },
  {
    name: '95% interval',
    align: 'end',
    cell: ({ interval: [low, high] }) => `${formatShare(low, 1)} to ${formatShare(high, 1)}`,
  },
  { name: 'Sample', align: 'end', cell: (row) => `${formatNumber(row.n)} ${unitWords(row)}` },
  {
    name: 'Labels',
    isText: true,
    cell: ({ labels, labels_as_of, held_out }) =>
      `${labels}, ${labels_as_of}${held_out ? ', held out of the answers' : ''}`,
  },
];

/** The age of the data, which may be far above that of the build, in the words of the header. */
export function DataAgeLead({ report: { data_sources, data_as_of, built_at } }: { report: DatasetReport }) {
  const day = data_sources.prefix?.as_of ?? data_as_of;
  if (day === undefined)
    return (
      <>
        The date of its routes is unknown; it was built <Time at={built_at} />.
      </>
    );
  return (
    <>
      Routes of <DataDay day={day} />.
    </>
  );
}
