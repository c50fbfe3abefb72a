/** What a dataset consists of: coverage, flags and sources. */
import type {
  DatasetReport,
  FamilyFigures,
  Figures,
  FlagSource,
  FlagSubject,
  Source,
} from '@whence/client/wire';
import type { FeedState } from '@whence/server/dashboard-wire/dataset';
import { type Column, Table } from '../components/Table.tsx';
import { capitalise, SUBJECT_WORDS } from '../format/names.ts';
import { count, formatNumber, formatShare } from '../format/number.ts';
import { Time, useNow } from '../format/Time.tsx';
import { relativeDay } from '../format/time.ts';

type ShareField = {
  [F in keyof FamilyFigures]: FamilyFigures[F] extends number ? F : never;
}[keyof FamilyFigures];

const ROWS: readonly [ShareField, string][] = [
  ['answered_share', 'network'],
  ['country_share', 'country'],
  ['country_confirmed_share', 'country confirmed by two independent sources'],
  ['exact_rir_share', 'exact registry'],
  ['connection_type_share', 'connection type'],
];

export function Coverage({ figures }: { figures: Figures }) {
  return (
    <Table
      label="Coverage"
      rows={ROWS}
      columns={[
        { name: 'Field', isText: true, cell: ([, words]) => capitalise(words) },
        { name: 'IPv4', align: 'end', cell: ([field]) => formatShare(figures.ipv4[field], 1) },
        { name: 'IPv6', align: 'end', cell: ([field]) => formatShare(figures.ipv6[field], 1) },
      ]}
    />
  );
}

/** The list of sources has all of them. */
const SHOWN_SOURCES = 3;

/** For each flag its sources and the address space that has it. */
export function FlagCounts({ report: { figures, flag_sources } }: { report: DatasetReport }) {
  const rows = (Object.keys(flag_sources) as FlagSubject[]).map((subject) => ({
    subject,
    source: flag_sources[subject],
    // Blocklists are not a flag: they decide the threat score.
    counts: figures.flags[subject === 'blocklists' ? 'threat' : subject],
  }));
  const number = (source: FlagSource, value: number | undefined) => {
    if (source.from === 'none') return <span className="quiet">unknown</span>;
    if (value === undefined) return <span className="quiet">not counted</span>;
    return formatNumber(value);
  };
  return (
    <Table
      isStacked
      label="Flags"
      rows={rows}
      columns={[
        { name: 'Flag', cell: ({ subject }) => capitalise(SUBJECT_WORDS[subject]) },
        { name: 'Decided by', isText: true, cell: ({ source }) => sourceWords(source) },
        {
          name: 'Records',
          align: 'end',
          cell: ({ source, counts }) => number(source, counts?.records),
        },
        {
          name: 'IPv4 addresses',
          align: 'end',
          cell: ({ source, counts }) => number(source, counts?.ipv4_addresses),
        },
        {
          name: 'IPv6 /48s',
          align: 'end',
          cell: ({ source, counts }) => number(source, counts?.ipv6_48s),
        },
      ]}
    />
  );
}

function sourceWords({ from, sources, as_of }: FlagSource): string {
  if (from === 'none') return 'no source in this dataset';
  const rest = sources.length - SHOWN_SOURCES;
  const names = `${sources.slice(0, SHOWN_SOURCES).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
  if (from === 'feeds') return names;
  return as_of === undefined ? `tables: ${names}` : `tables as of ${as_of}: ${names}`;
}

/** Before “show all”. */
const SHOWN_ROWS = 40;

export function SourceTable({
  sources,
  feeds,
}: {
  sources: readonly Source[];
  feeds: readonly FeedState[];
}) {
  const now = useNow();
  const feedOf = new Map(feeds.map((feed) => [feed.id, feed]));
  const columns: Column<Source>[] = [
    { name: 'Source', cell: ({ id }) => <span className="mono">{id}</span> },
    {
      name: 'As of',
      cell: ({ as_of }) => (
        <span className="nowrap">
          {as_of.slice(0, 10)} <span className="quiet">{relativeDay(as_of, now)}</span>
        </span>
      ),
    },
    { name: 'Fetched', cell: ({ id }) => <Fetched feed={feedOf.get(id)} /> },
    { name: 'Records', align: 'end', cell: ({ records }) => formatNumber(records) },
    { name: 'Licence', cell: ({ licence }) => licence },
  ];
  return <Table isStacked label="Sources" columns={columns} rows={sources} limit={SHOWN_ROWS} />;
}

function Fetched({ feed }: { feed: FeedState | undefined }) {
  if (feed === undefined) return <span className="quiet">built in</span>;
  if (feed.error !== undefined)
    return (
      <span title={feed.error}>
        failed {count(feed.failures, 'time')}: {feed.error}
      </span>
    );
  return feed.fetched_at === undefined ? (
    <span className="quiet">never</span>
  ) : (
    <Time at={feed.fetched_at} />
  );
}
