/** The parts of a prefix as a table. */
import { Link } from '@tanstack/react-router';
import type { PrefixPart } from '@whence/server/dashboard-wire/lookups';
import { useState } from 'react';
import { QuietButton } from '../components/Buttons.tsx';
import { NetworkLink, PrefixLink } from '../components/Links.tsx';
import { type Column, Table } from '../components/Table.tsx';
import { Level, RpkiTag } from '../components/Tag.tsx';
import { countryName, FLAG_WORDS } from '../format/names.ts';
import { formatNumber } from '../format/number.ts';
import classes from './PrefixParts.module.css';
import { prefixOf } from './position.ts';

/** What the dataset and the server have. */
type Known = { isThreatKnown: boolean; hasRpki: boolean };

const columnsFor = ({ isThreatKnown, hasRpki }: Known): Column<PrefixPart>[] => [
  { name: 'Addresses', cell: ({ first, last }) => <Addresses first={first} last={last} /> },
  { name: 'Network', cell: ({ asn, asn_name }) => <NetworkLink asn={asn} name={asn_name} /> },
  { name: 'Country', cell: ({ country }) => <span className="nowrap">{countryName(country)}</span> },
  { name: 'Type', cell: ({ connection_type }) => connection_type },
  {
    name: 'Flags',
    cell: ({ flags, connection_type, scanner }) =>
      [
        ...flags.filter((flag) => flag !== `is_${connection_type}`).map((flag) => FLAG_WORDS[flag]),
        ...(scanner === undefined ? [] : [`scanner of ${scanner}`]),
      ].join(', '),
  },
  ...(hasRpki ? [RPKI_COLUMN] : []),
  { name: 'Threat', cell: ({ level, score }) => <Level level={level} score={score} isKnown={isThreatKnown} /> },
];

const RPKI_COLUMN: Column<PrefixPart> = { name: 'RPKI', cell: ({ rpki }) => rpki && <RpkiTag state={rpki} /> };

/** As a prefix where it is one, which most parts are. */
function Addresses({ first, last }: { first: string; last: string }) {
  const prefix = first === last ? undefined : prefixOf(first, last);
  return (
    <span className="mono nowrap">
      {prefix === undefined ? (
        <>
          <Link to="/ip/$ip" params={{ ip: first }}>
            {first}
          </Link>
          {first === last ? '' : ` – ${last}`}
        </>
      ) : (
        <PrefixLink prefix={prefix} />
      )}
    </span>
  );
}

/** Before “show all”. */
const SHOWN_PARTS = 50;

export function PartsTable({ parts, ...known }: Known & { parts: readonly PrefixPart[] }) {
  const [isExpanded, setIsExpanded] = useState(false);
  const columns = columnsFor(known);
  const rows = isExpanded ? parts : parts.slice(0, SHOWN_PARTS);
  return (
    <>
      <Table label="Parts of the prefix" columns={columns} rows={rows} rowKey={({ first }) => first} />
      {rows.length < parts.length && (
        <QuietButton
          className={classes['more']}
          text={`Show all ${formatNumber(parts.length)}`}
          onClick={() => setIsExpanded(true)}
        />
      )}
    </>
  );
}
