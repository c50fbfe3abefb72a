import { useMediaQuery } from '@mantine/hooks';
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import type { KeyQuery, KeySort, KeySummary } from '@whence/server/dashboard-wire';
import { useEffect, useMemo, useRef } from 'react';
import { call } from '../api/query-client.ts';
import { FailureNotice } from '../components/Failures.tsx';
import { Skeleton } from '../components/Loaded.tsx';
import { capitalise, PERMISSION_WORDS } from '../format/names.ts';
import { formatNumber } from '../format/number.ts';
import { Time } from '../format/Time.tsx';
import { KeyStatus, QuotaBar } from './KeyState.tsx';
import classes from './KeyTable.module.css';

const PAGE = 200;
const ROW_PX = 60;
const CARD_PX = 112;

type KeyTableProps = {
  filter: KeyQuery;
  onSort: (sort: KeySort) => void;
  /** Shown when there are no keys. */
  empty: React.ReactNode;
};

/** Loads the next page of keys when the end of the table scrolls into view; the server filters and sorts. */
export function KeyTable({ filter, onSort, empty }: KeyTableProps) {
  const pages = useInfiniteQuery({
    queryKey: ['listKeys', filter],
    queryFn: ({ pageParam, signal }) =>
      call(
        'listKeys',
        { query: { ...filter, limit: PAGE, ...(pageParam === '' ? {} : { after: pageParam }) } },
        signal,
      ),
    initialPageParam: '',
    getNextPageParam: ({ data }) => data.next_after,
    placeholderData: keepPreviousData,
  });
  const isNarrow = useMediaQuery('(max-width: 760px)', false, { getInitialValueInEffect: false });
  const scroller = useRef<HTMLDivElement>(null);
  const keys = useMemo(() => pages.data?.pages.flatMap(({ data }) => data.keys) ?? [], [pages.data]);
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = pages;
  const virtual = useVirtualizer({
    // The row behind the last key stands for the page that is being asked for.
    count: keys.length + (hasNextPage ? 1 : 0),
    getScrollElement: () => scroller.current,
    estimateSize: () => (isNarrow ? CARD_PX : ROW_PX),
    overscan: 8,
  });
  const items = virtual.getVirtualItems();
  const isNearEnd = (items.at(-1)?.index ?? 0) >= keys.length - PAGE / 2;
  useEffect(() => {
    if (hasNextPage && isNearEnd && !isFetchingNextPage && !isFetchNextPageError) void fetchNextPage();
  }, [hasNextPage, isNearEnd, isFetchingNextPage, isFetchNextPageError, fetchNextPage]);
  if (pages.data === undefined) {
    return pages.error === null ? (
      <Skeleton lines={10} />
    ) : (
      <FailureNotice error={pages.error} onRetry={() => void pages.refetch()} />
    );
  }
  if (keys.length === 0 && !hasNextPage) return empty;
  const total = hasNextPage ? pages.data.pages[0]?.data.total : keys.length;
  return (
    <div className={classes['frame']}>
      <div
        className={classes['scroll']}
        ref={scroller}
        role="table"
        aria-label="API keys"
        // WAI-ARIA: -1 where the number of rows is not known.
        aria-rowcount={total === undefined ? -1 : total + 1}
      >
        <Head filter={filter} onSort={onSort} />
        <div className={classes['body']} style={{ height: virtual.getTotalSize() }}>
          {items.map(({ index, start }) => (
            <Row key={index} summary={keys[index]} index={index} top={start} />
          ))}
        </div>
      </div>
      {isFetchNextPageError && pages.error !== null && (
        <FailureNotice error={pages.error} onRetry={() => void fetchNextPage()} />
      )}
    </div>
  );
}

function Head({ filter, onSort }: Pick<KeyTableProps, 'filter' | 'onSort'>) {
  const { sort = 'created_at', order = 'desc' } = filter;
  const column = (name: string, by?: KeySort) => (
    <div role="columnheader" aria-sort={by === sort ? (order === 'asc' ? 'ascending' : 'descending') : undefined}>
      {by === undefined ? (
        name
      ) : (
        <button type="button" className={classes['sort']} onClick={() => onSort(by)}>
          {name}
          {by === sort &&
            (order === 'asc' ? <IconArrowUp size={13} aria-hidden /> : <IconArrowDown size={13} aria-hidden />)}
        </button>
      )}
    </div>
  );
  return (
    <div className={classes['head']} role="row">
      {column('Name and key', 'name')}
      {column('Status')}
      {column('Tier')}
      {column('Today', 'requests_today')}
      {column('30 days')}
      {column('Last used', 'last_used_at')}
      {column('Owner')}
      {column('Created', 'created_at')}
    </div>
  );
}

function Row({ summary, index, top }: { summary: KeySummary | undefined; index: number; top: number }) {
  const style = { transform: `translateY(${top}px)` };
  if (summary === undefined) {
    return (
      <div className={classes['row']} style={style} role="row" tabIndex={-1} aria-rowindex={index + 2}>
        <div className={classes['placeholder']} />
      </div>
    );
  }
  const { id, name, masked, status, tier, permissions, quota, requests_by_day, last_used_at, owner, created_at } =
    summary;
  const { successor_id } = summary;
  const cell = (content: React.ReactNode, title?: string) => (
    <div className={classes['cell']} role="cell" title={title}>
      {content}
    </div>
  );
  return (
    <div
      className={classes['row']}
      data-status={status}
      style={style}
      role="row"
      tabIndex={-1}
      aria-rowindex={index + 2}
    >
      <div className={classes['key']} role="cell">
        <Link to="/settings/keys/$id" params={{ id }} className={classes['name']} title={name}>
          {name}
        </Link>
        <span className={classes['masked']} title={permissions.map((one) => PERMISSION_WORDS[one].name).join(', ')}>
          {masked}
          {status === 'active' && successor_id !== undefined && <span title="This key has a successor"> · old</span>}
        </span>
      </div>
      {cell(<KeyStatus status={status} />)}
      {cell(capitalise(tier))}
      {cell(<QuotaBar quota={quota} />)}
      {cell(<Sparkline values={requests_by_day} />)}
      {cell(
        last_used_at === undefined ? (
          <span className="quiet">never</span>
        ) : (
          <Time at={last_used_at} isFocusable={false} />
        ),
      )}
      {cell(owner?.name ?? <span className="quiet">command line</span>, owner?.name)}
      {cell(<Time at={created_at} isFocusable={false} />)}
    </div>
  );
}

const WIDTH = 96;
const HEIGHT = 24;

/** Requests per day as small bars, drawn as one path because a table has many of these. Screen readers get the total. */
function Sparkline({ values }: { values: readonly number[] }) {
  const largest = Math.max(...values, 1);
  const slot = WIDTH / Math.max(1, values.length);
  const total = values.reduce((sum, value) => sum + value, 0);
  const bars = values
    .map((value, day) => {
      if (value === 0) return '';
      const height = Math.max(1.5, (value / largest) * (HEIGHT - 2));
      return `M${(day * slot + 0.4).toFixed(1)} ${HEIGHT}v${-height.toFixed(1)}h${Math.max(1, slot - 0.9).toFixed(1)}V${HEIGHT}z`;
    })
    .join('');
  return (
    <svg
      width={WIDTH}
      height={HEIGHT}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={`${formatNumber(total)} requests in ${values.length} days`}
    >
      <path d={`M0 ${HEIGHT - 0.5}h${WIDTH}`} stroke="var(--line-strong)" />
      <path d={bars} fill="var(--accent)" />
    </svg>
  );
}
