/** How right and how old the data are. */
import type { DatasetReport, QualityRow } from '@whence/client/wire';
import { Facts } from '../components/Facts.tsx';
import { Table } from '../components/Table.tsx';
import { ageLevel, ageWords, longDay } from '../format/data-age.ts';
import { formatNumber, formatShare } from '../format/number.ts';
import { useNow } from '../format/Time.tsx';

const MEASURES: Readonly<Record<QualityRow['measure'], string>> = {
  accuracy: 'accuracy',
  precision: 'precision',
  recall: 'recall',
  macro_recall: 'mean recall',
  false_positive_share: 'false positives',
  changed: 'changed',
};

export function QualityTable({ rows }: { rows: readonly QualityRow[] }) {
  const shown = rows.filter(({ measure }) => measure !== 'changed');
  if (shown.length === 0) return <p className="quiet">This version was built without labels to measure it by.</p>;
  return (
    <Table
      isStacked
      label="Quality"
      rows={shown}
      rowKey={(_, index) => String(index)}
      columns={[
        { name: 'Field', cell: ({ field }) => <span className="mono">{field}</span> },
        { name: 'Measure', cell: ({ measure }) => MEASURES[measure] },
        { name: 'Value', align: 'end', cell: ({ value }) => formatShare(value, 1) },
        {
          name: '95 % interval',
          align: 'end',
          cell: ({ interval: [low, high] }) => `${formatShare(low, 1)} to ${formatShare(high, 1)}`,
        },
        { name: 'Of', align: 'end', cell: (row) => `${formatNumber(row.n)} ${unitOf(row)}` },
        {
          name: 'Labels',
          isText: true,
          cell: ({ labels, labels_as_of, held_out }) =>
            `${labels}, ${labels_as_of}${held_out ? ', held out of the answers' : ''}`,
        },
      ]}
    />
  );
}

function unitOf({ weight, family }: QualityRow): string {
  if (weight === 'network') return 'networks';
  if (weight === 'slash48') return 'IPv6 /48s';
  const words = family === 'ipv6' ? 'IPv6' : 'IPv4';
  return weight === 'prefix' ? `${words} prefixes` : `${words} addresses`;
}

/** Routes and countries, each with the oldest source that decides it. */
export function DataAge({ report: { data_sources } }: { report: DatasetReport }) {
  const now = useNow();
  const items = (['prefix', 'country'] as const).map((field) => {
    const source = data_sources[field];
    return {
      name: field === 'prefix' ? 'Routes' : 'Countries',
      value:
        source === undefined ? (
          <span className="quiet">unknown</span>
        ) : (
          <span data-age={ageLevel(source.as_of, now)}>
            {longDay(source.as_of, now)}, {ageWords(source.as_of, now)} <span className="quiet">({source.source})</span>
          </span>
        ),
    };
  });
  return <Facts facts={items} />;
}
