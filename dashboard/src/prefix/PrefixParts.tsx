/** The parts of a prefix, as a map and as a table. */
import { Button, Tooltip } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { formatAddress } from '@whence/dataset/address';
import { fromBigInt, parsePrefix } from '@whence/dataset/prefix';
import type { PrefixPart, PrefixSummary } from '@whence/server/dashboard-wire/lookups';
import { useState } from 'react';
import { NetworkLink, PrefixLink } from '../components/Links.tsx';
import { type Column, Table } from '../components/Table.tsx';
import { Level } from '../components/Tag.tsx';
import { hasBlocklists } from '../format/blocklists.ts';
import { countryName, FLAG_WORDS } from '../format/names.ts';
import { formatNumber, formatShare } from '../format/number.ts';
import classes from './PrefixParts.module.css';
import { positionIn, prefixOf } from './position.ts';

/**
 * The prefix as a strip, first address on the left. Colours show the threat level, hatching unannounced space. Parts are
 * drawn at their place if all of them are known, otherwise as equal cells; the shares are on the page as text.
 */
export function PrefixMap({ summary }: { summary: PrefixSummary }) {
  const { prefix, parts, part_count, limits } = summary;
  const range = parsePrefix(prefix);
  const text = (at: bigint | undefined) =>
    range === undefined || at === undefined ? '' : formatAddress(fromBigInt(at, range.version));
  return (
    <div aria-hidden data-known={hasBlocklists(limits)}>
      <div className={classes['map']}>
        {part_count === parts.length ? <Parts parts={parts} prefix={prefix} /> : <Cells summary={summary} />}
      </div>
      <div className={classes['ends']}>
        <span>{text(range?.start)}</span>
        <span>{text(range?.end)}</span>
      </div>
    </div>
  );
}

function Parts({ parts, prefix }: { parts: readonly PrefixPart[]; prefix: string }) {
  return parts.map((part) => {
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
  });
}

function Cells({ summary: { cells } }: { summary: PrefixSummary }) {
  const width = 1 / cells.length;
  return cells.map(({ announced, level, connection_type }, index) => (
    <div
      // biome-ignore lint/suspicious/noArrayIndexKey: a cell is identified by its position.
      key={index}
      className={`${classes['part']} ${classes['cell']}`}
      data-level={level}
      title={
        level === undefined ? 'not announced' : `${formatShare(announced, 1)} announced, ${connection_type}, ${level}`
      }
      style={{ left: `${index * width * 100}%`, width: `${width * 100}%`, height: `${announced * 100}%` }}
    />
  ));
}

const columnsFor = (isThreatKnown: boolean): Column<PrefixPart>[] => [
  {
    name: 'Addresses',
    cell: ({ first, last }) => <Addresses first={first} last={last} />,
  },
  {
    name: 'Network',
    cell: ({ asn, asn_name }) => <NetworkLink asn={asn} name={asn_name} />,
  },
  { name: 'Country', cell: ({ country }) => <span className="nowrap">{countryName(country)}</span> },
  { name: 'Type', cell: ({ connection_type }) => connection_type },
  {
    name: 'Flags',
    cell: ({ flags, connection_type }) =>
      flags
        .filter((flag) => flag !== `is_${connection_type}`)
        .map((flag) => FLAG_WORDS[flag])
        .join(', '),
  },
  { name: 'Threat', cell: ({ level, score }) => <Level level={level} score={score} isKnown={isThreatKnown} /> },
];

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

type PartsTableProps = { parts: readonly PrefixPart[]; isThreatKnown: boolean };

export function PartsTable({ parts, isThreatKnown }: PartsTableProps) {
  const [isExpanded, setIsExpanded] = useState(false);
  const columns = columnsFor(isThreatKnown);
  const rows = isExpanded ? parts : parts.slice(0, SHOWN_PARTS);
  return (
    <>
      <Table label="Parts of the prefix" columns={columns} rows={rows} rowKey={({ first }) => first} />
      {rows.length < parts.length && (
        <Button variant="default" size="xs" className={classes['more']} onClick={() => setIsExpanded(true)}>
          Show all {formatNumber(parts.length)}
        </Button>
      )}
    </>
  );
}
