/** The parts of a prefix, as a map and as a table. */
import { Tooltip } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { PrefixPart } from '@whence/server/dashboard-wire';
import { NetworkLink } from '../components/Links.tsx';
import { type Column, Table } from '../components/Table.tsx';
import { Level } from '../components/Tag.tsx';
import { countryName, FLAG_WORDS } from '../format/names.ts';
import classes from './PrefixParts.module.css';
import { positionIn } from './position.ts';

/** The prefix as a strip, first address on the left. Colours show the threat level, hatching unannounced space. */
export function PartsMap({ parts, prefix }: { parts: readonly PrefixPart[]; prefix: string }) {
  return (
    <div aria-hidden>
      <div className={classes['map']}>
        {parts.map((part) => {
          const position = positionIn(prefix, part.first, part.last);
          if (position === undefined) return null;
          return (
            <Tooltip
              key={part.first}
              label={`${part.prefix} · AS${part.asn} ${part.asn_name} · ${part.connection_type} · ${part.level}`}
            >
              <div
                className={classes['part']}
                data-level={part.level}
                style={{ left: `${position.start * 100}%`, width: `${position.length * 100}%` }}
              />
            </Tooltip>
          );
        })}
      </div>
      <div className={classes['ends']}>
        <span>{parts[0]?.first}</span>
        <span>{parts.at(-1)?.last}</span>
      </div>
    </div>
  );
}

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
    cell: ({ asn, asn_name }) => <NetworkLink asn={asn} name={asn_name} />,
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
