import { Link } from '@tanstack/react-router';
import type { PrefixPart } from '@whence/server/dashboard-wire';
import { countryName } from '../format/country.ts';
import { FLAG_WORDS } from '../parts/flag-words.ts';
import { Level } from '../parts/Level.tsx';
import { type Column, Table } from '../parts/Table.tsx';

const columns: Column<PrefixPart>[] = [
  {
    name: 'Addresses',
    cell: ({ first, last }) => (
      <span className="mono nowrap">
        <Link to="/ip/$ip" params={{ ip: first }}>
          {first}
        </Link>
        {first === last ? '' : ` – ${last}`}
      </span>
    ),
  },
  {
    name: 'Network',
    cell: ({ asn, asn_name }) => (
      <>
        <Link to="/asn/$asn" params={{ asn: String(asn) }}>
          AS{asn}
        </Link>{' '}
        {asn_name}
      </>
    ),
  },
  { name: 'Country', cell: ({ country }) => countryName(country) },
  { name: 'Type', cell: ({ connection_type }) => connection_type },
  {
    name: 'Flags',
    cell: ({ flags, connection_type }) =>
      flags
        .filter((flag) => flag !== `is_${connection_type}`)
        .map((flag) => FLAG_WORDS[flag])
        .join(', '),
  },
  { name: 'Threat', cell: ({ level, score }) => <Level level={level} score={score} /> },
];

export function PartsTable({ parts }: { parts: readonly PrefixPart[] }) {
  return <Table label="Parts of the prefix" columns={columns} rows={parts} rowKey={({ first }) => first} />;
}
