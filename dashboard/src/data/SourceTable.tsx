import type { Source } from '@whence/client/wire';
import type { FeedState } from '@whence/server/dashboard-wire';
import { formatNumber } from '../format/number.ts';
import { Time } from '../format/Time.tsx';
import { relativeTime } from '../format/time.ts';
import { useNow } from '../format/use-now.ts';
import { type Column, Table } from '../parts/Table.tsx';

export function SourceTable({ sources, feeds }: { sources: readonly Source[]; feeds: readonly FeedState[] }) {
  const now = useNow();
  const feedOf = new Map(feeds.map((feed) => [feed.id, feed]));
  const columns: Column<Source>[] = [
    { name: 'Source', cell: ({ id }) => <span className="mono">{id}</span> },
    {
      name: 'As of',
      cell: ({ as_of }) => (
        <span className="nowrap">
          {as_of.slice(0, 10)} <span className="quiet">{relativeTime(Date.parse(as_of), now)}</span>
        </span>
      ),
    },
    { name: 'Fetched', cell: ({ id }) => <Fetched feed={feedOf.get(id)} /> },
    { name: 'Records', align: 'end', cell: ({ records }) => formatNumber(records) },
    { name: 'Licence', cell: ({ licence }) => licence },
  ];
  return <Table isStacked label="Sources" columns={columns} rows={sources} rowKey={({ id }) => id} />;
}

function Fetched({ feed }: { feed: FeedState | undefined }) {
  if (feed === undefined) return <span className="quiet">built in</span>;
  if (feed.error !== undefined)
    return (
      <span title={feed.error}>
        failed {feed.failures} times: {feed.error}
      </span>
    );
  return feed.fetched_at === undefined ? <span className="quiet">never</span> : <Time at={feed.fetched_at} />;
}
