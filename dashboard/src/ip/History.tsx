/**
 * How the record of an address changed over the versions of the dataset that are kept: a strip, and
 * a table of changes.
 */
import { getRouteApi } from '@tanstack/react-router';
import type { RecordSpan } from '@whence/client/wire';
import { useAnswer } from '../api/query-client.ts';
import { QuietButton } from '../components/Buttons.tsx';
import { Loaded } from '../components/Loaded.tsx';
import { Section } from '../components/Page.tsx';
import { type Column, Table } from '../components/Table.tsx';
import { longDay } from '../format/data-age.ts';
import { useNow } from '../format/Time.tsx';
import { IN_PLACE } from '../search-params.ts';
import classes from './History.module.css';
import { changesOf, changeWords, type Difference, type RecordChange } from './history-changes.ts';

const route = getRouteApi('/session/ip/$ip');
/** A version is built every few hours at most. */
const STALE_AFTER_MS = 600_000;

export function HistorySection({ ip }: { ip: string }) {
  const history = useAnswer(
    'lookUpHistory',
    { params: { ip } },
    { staleTime: STALE_AFTER_MS, refetchOnWindowFocus: false },
  );
  return (
    <Section title="Over time">
      <Loaded query={history} lines={2}>
        {({ data }) => <History spans={data.changes} />}
      </Loaded>
    </Section>
  );
}

function History({ spans }: { spans: readonly RecordSpan[] }) {
  const { change: selected } = route.useSearch();
  const navigate = route.useNavigate();
  const now = useNow();
  const changes = changesOf(spans);
  const oldest = spans.at(-1);
  const select = (version: number) =>
    void navigate({
      search: (before) => ({ ...before, change: selected === version ? undefined : version }),
      ...IN_PLACE,
    });
  if (oldest === undefined) return <p className="quiet">No version of the dataset is kept.</p>;
  const since = `version ${oldest.from_version} of ${longDay(oldest.from.slice(0, 10), now)}, the oldest that is kept`;
  if (changes.length === 0) return <p className="quiet">No change since {since}.</p>;
  const shown = changes.find(({ version }) => version === selected);
  const columns: Column<RecordChange>[] = [
    {
      name: 'Since',
      cell: ({ version, at }) => (
        <span className="nowrap">
          {longDay(at.slice(0, 10), now)} <span className="quiet">version {version}</span>
        </span>
      ),
    },
    { name: 'Change', isText: true, cell: changeWords },
    {
      name: 'Records',
      align: 'end',
      cell: ({ version }) => (
        <QuietButton
          className="no-print"
          size="compact-xs"
          text={selected === version ? 'Hide' : 'Compare'}
          aria-expanded={selected === version}
          onClick={() => select(version)}
        />
      ),
    },
  ];
  return (
    <>
      <Strip spans={spans} selected={selected} onSelect={select} />
      <Table isStacked label="Changes" columns={columns} rows={changes} />
      {shown !== undefined && <Comparison change={shown} />}
      <p className="quiet">From {since}.</p>
    </>
  );
}

type StripProps = {
  spans: readonly RecordSpan[];
  selected: number | undefined;
  onSelect: (version: number) => void;
};

/**
 * One piece per record, the oldest on the left, as wide as it was in use. The table has the same as
 * text.
 */
function Strip({ spans, selected, onSelect }: StripProps) {
  const now = useNow();
  return (
    <div className={classes['strip']} aria-hidden>
      {[...spans].reverse().map((span, index) => (
        // A mouse's shortcut to the button in the table, which the keyboard has.
        // biome-ignore lint/a11y/noStaticElementInteractions: hidden from assistive technology.
        // biome-ignore lint/a11y/useKeyWithClickEvents: the table has a button for it.
        <div
          key={`${span.from_version} ${span.from}`}
          className={classes['piece']}
          data-empty={span.record === undefined || undefined}
          data-selected={selected === span.from_version || undefined}
          data-choosable={index > 0 || undefined}
          style={{ flexGrow: Math.max(1, span.to_version - span.from_version + 1) }}
          title={spanWords(span, now)}
          onClick={index === 0 ? undefined : () => onSelect(span.from_version)}
        />
      ))}
    </div>
  );
}

function spanWords(
  { from_version, to_version, from, to, record }: RecordSpan,
  now: number,
): string {
  const days = [...new Set([from, to].map((at) => longDay(at.slice(0, 10), now)))].join(' to ');
  const versions =
    from_version === to_version
      ? `version ${from_version}`
      : `versions ${from_version} to ${to_version}`;
  return `${versions}, ${days}: ${record === undefined ? 'not announced' : `AS${record.asn} ${record.asn_name}`}`;
}

/** Both records: fields that differ. */
function Comparison({ change: { before, after, differences } }: { change: RecordChange }) {
  const none = <span className="quiet">–</span>;
  const columns: Column<Difference>[] = [
    { name: 'Field', cell: ({ field }) => <code>{field}</code> },
    {
      name: `Version ${before.to_version}`,
      isText: true,
      cell: (difference) => difference.before ?? none,
    },
    {
      name: `Version ${after.from_version}`,
      isText: true,
      cell: (difference) => difference.after ?? none,
    },
  ];
  return (
    <Table
      isStacked
      label={`Records of versions ${before.to_version} and ${after.from_version}`}
      columns={columns}
      rows={differences}
    />
  );
}
