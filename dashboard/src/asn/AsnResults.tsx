import { Link } from '@tanstack/react-router';
import type { AsnSearchResult } from '@whence/client/wire';
import { countryName } from '../format/country.ts';
import { formatNumber } from '../format/number.ts';
import { type Column, Table } from '../parts/Table.tsx';

const columns: Column<AsnSearchResult>[] = [
  {
    name: 'Number',
    cell: ({ asn }) => (
      <Link to="/asn/$asn" params={{ asn: String(asn) }} className="nowrap">
        AS{asn}
      </Link>
    ),
  },
  { name: 'Name', cell: ({ asn_name }) => asn_name },
  { name: 'Country', cell: ({ country }) => <span className="nowrap">{countryName(country)}</span> },
  { name: 'Type', cell: ({ connection_type }) => connection_type },
  { name: 'IPv4 prefixes', align: 'end', cell: ({ prefix_count }) => formatNumber(prefix_count.ipv4) },
  { name: 'IPv6 prefixes', align: 'end', cell: ({ prefix_count }) => formatNumber(prefix_count.ipv6) },
];

export function AsnResults({ results, label }: { results: readonly AsnSearchResult[]; label: string }) {
  return <Table label={label} columns={columns} rows={results} rowKey={({ asn }) => String(asn)} />;
}
