import type { DatasetReport, FlagSource, FlagSubject } from '@whence/client/wire';
import { formatNumber } from '../format/number.ts';
import { SUBJECT_WORDS } from '../parts/flag-words.ts';
import { Table } from '../parts/Table.tsx';

/** All of them are in the list of sources. */
const SHOWN_SOURCES = 3;

/** Per flag, what it is decided from and how much space has it. */
export function FlagCounts({ report: { figures, flag_sources } }: { report: DatasetReport }) {
  const rows = (Object.keys(flag_sources) as FlagSubject[]).map((subject) => ({
    subject,
    source: flag_sources[subject],
    // Blocklists are not a flag: what they decide is the threat score.
    counts: figures.flags[subject === 'blocklists' ? 'threat' : subject],
  }));
  const number = (source: FlagSource, value: number | undefined) =>
    source.from === 'none' || value === undefined ? <span className="quiet">unknown</span> : formatNumber(value);
  return (
    <Table
      isStacked
      label="Flags"
      rows={rows}
      rowKey={({ subject }) => subject}
      columns={[
        { name: 'Flag', cell: ({ subject }) => SUBJECT_WORDS[subject] },
        { name: 'Decided from', isText: true, cell: ({ source }) => sourceWords(source) },
        { name: 'Records', align: 'end', cell: ({ source, counts }) => number(source, counts?.records) },
        { name: 'IPv4 addresses', align: 'end', cell: ({ source, counts }) => number(source, counts?.ipv4_addresses) },
        { name: 'IPv6 /48s', align: 'end', cell: ({ source, counts }) => number(source, counts?.ipv6_48s) },
      ]}
    />
  );
}

function sourceWords({ from, sources, as_of }: FlagSource): string {
  if (from === 'none') return 'nothing: no source of this dataset knows it';
  const rest = sources.length - SHOWN_SOURCES;
  const names = `${sources.slice(0, SHOWN_SOURCES).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
  if (from === 'feeds') return names;
  return as_of === undefined ? `tables: ${names}` : `tables as of ${as_of}: ${names}`;
}
