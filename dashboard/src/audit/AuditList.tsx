import { Link } from '@tanstack/react-router';
import type { AuditEntry } from '@whence/server/dashboard-wire';
import { Time } from '../format/Time.tsx';
import { type Column, Table } from '../parts/Table.tsx';
import { auditActions } from './actions.ts';

const columns: Column<AuditEntry>[] = [
  { name: 'When', cell: ({ at }) => <Time at={at} /> },
  { name: 'Who', cell: ({ actor }) => <span className="nowrap">{actor}</span> },
  { name: 'Did what', cell: ({ action }) => <span className="nowrap">{auditActions[action] ?? action}</span> },
  { name: 'To what', cell: (entry) => <Target entry={entry} /> },
  {
    name: 'Details',
    isText: true,
    cell: ({ details }) =>
      Object.entries(details ?? {})
        .map(([name, value]) => `${name}: ${value}`)
        .join(', '),
  },
  { name: 'From', cell: ({ address }) => (address === undefined ? '' : <span className="mono">{address}</span>) },
];

/** `isOfOne`: all entries are about the same thing, which the page is about. */
export function AuditList({ entries, isOfOne = false }: { entries: readonly AuditEntry[]; isOfOne?: boolean }) {
  const shown = isOfOne ? columns.filter(({ name }) => name !== 'To what') : columns;
  return <Table isStacked label="Audit log" columns={shown} rows={entries} rowKey={({ id }) => id} />;
}

function Target({ entry: { target_kind, target_id, target } }: { entry: AuditEntry }) {
  const name = target ?? target_id ?? '';
  if (target_kind === 'key' && target_id !== undefined) {
    return (
      <Link to="/settings/keys/$id" params={{ id: target_id }}>
        {name}
      </Link>
    );
  }
  if (target_kind === 'dataset' && name !== '') return <>dataset {name}</>;
  return <>{name}</>;
}
