import type { Figures } from '@whence/client/wire';
import { formatNumber } from '../format/number.ts';
import { Table } from '../parts/Table.tsx';

export function FlagCounts({ flags }: { flags: Figures['flags'] }) {
  const rows = Object.entries(flags).map(([flag, counts]) => ({ flag, ...counts }));
  return (
    <Table
      label="Flags"
      rows={rows}
      rowKey={({ flag }) => flag}
      columns={[
        { name: 'Flag', cell: ({ flag }) => <code>{flag}</code> },
        { name: 'Records', align: 'end', cell: ({ records }) => formatNumber(records) },
        { name: 'IPv4 addresses', align: 'end', cell: ({ ipv4_addresses }) => formatNumber(ipv4_addresses) },
        { name: 'IPv6 /48s', align: 'end', cell: ({ ipv6_48s }) => formatNumber(ipv6_48s) },
      ]}
    />
  );
}
