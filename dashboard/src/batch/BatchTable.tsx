import { Link } from '@tanstack/react-router';
import { NetworkLink } from '../components/Links.tsx';
import { Level } from '../components/Tag.tsx';
import { type VirtualColumn, VirtualTable } from '../components/VirtualTable.tsx';
import { countryName, FLAG_WORDS, FLAGS } from '../format/names.ts';
import { formatNumber } from '../format/number.ts';
import type { BatchRow } from './batch-run.ts';
import type { BatchSort } from './filter-rows.ts';

type BatchTableProps = {
  rows: readonly BatchRow[];
  isThreatKnown: boolean;
  sort: BatchSort | undefined;
  onSort: (sort: BatchSort | undefined) => void;
};

export function BatchTable({ isThreatKnown, ...props }: BatchTableProps) {
  return (
    <VirtualTable
      label="Addresses"
      columns={columnsWith(isThreatKnown)}
      rowKey={({ ip }) => ip}
      minWidth={880}
      {...props}
    />
  );
}

const columnsWith = (isThreatKnown: boolean): VirtualColumn<BatchRow, BatchSort>[] => [
  {
    name: 'Address',
    width: 'minmax(130px, 1.2fr)',
    title: ({ ip }) => ip,
    cell: ({ ip }) => (
      <Link to="/ip/$ip" params={{ ip }} className="mono" preload={false}>
        {ip}
      </Link>
    ),
  },
  { name: 'Times', width: '64px', sort: 'times', cell: ({ times }) => formatNumber(times) },
  {
    name: 'Network',
    width: 'minmax(180px, 2fr)',
    sort: 'network',
    title: ({ record, refusal }) => record?.asn_name ?? refusal,
    cell: ({ record, refusal }) =>
      record === undefined ? (
        <span className="quiet">{refusal}</span>
      ) : (
        <NetworkLink asn={record.asn} name={record.asn_name} preload={false} />
      ),
  },
  {
    name: 'Country',
    width: 'minmax(100px, 1fr)',
    sort: 'country',
    cell: ({ record }) => record && countryName(record.country),
  },
  { name: 'Type', width: '110px', sort: 'type', cell: ({ record }) => record?.connection_type },
  {
    name: 'Flags',
    width: 'minmax(110px, 1fr)',
    cell: ({ record }) =>
      record &&
      FLAGS.filter((flag) => record.detection[flag] && flag !== `is_${record.connection_type}`)
        .map((flag) => FLAG_WORDS[flag])
        .join(', '),
  },
  {
    name: 'Threat',
    width: '110px',
    sort: 'threat',
    cell: ({ record }) =>
      record && <Level level={record.threat.level} score={record.threat.score} isKnown={isThreatKnown} />,
  },
];
