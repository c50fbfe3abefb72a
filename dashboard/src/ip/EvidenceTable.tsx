import { Link } from '@tanstack/react-router';
import type { IpLookup } from '@whence/server/dashboard-wire';
import { relativeTime } from '../format/time.ts';
import { useNow } from '../format/use-now.ts';
import { type Column, Table } from '../parts/Table.tsx';

type Row = IpLookup['evidence'][number];

export function EvidenceTable({ evidence }: { evidence: readonly Row[] }) {
  const now = useNow();
  const columns: Column<Row>[] = [
    { name: 'Field', cell: ({ field }) => <code>{field}</code> },
    { name: 'Value', cell: ({ value }) => String(value) },
    {
      name: 'Source',
      cell: ({ source, licence }) => (
        <>
          {source} <span className="quiet">{licence}</span>
        </>
      ),
    },
    {
      name: 'Prefix',
      cell: ({ prefix }) => (
        <Link to="/prefix/$" params={{ _splat: prefix }} className="mono">
          {prefix}
        </Link>
      ),
    },
    {
      name: 'As of',
      cell: ({ as_of }) => (
        <span className="nowrap">
          {as_of} <span className="quiet">{relativeTime(Date.parse(as_of), now)}</span>
        </span>
      ),
    },
  ];
  return (
    <Table
      isStacked
      label="Evidence"
      columns={columns}
      rows={evidence}
      rowKey={(row, index) => `${row.field} ${index}`}
    />
  );
}
