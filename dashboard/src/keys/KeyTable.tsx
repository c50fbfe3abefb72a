import { useMediaQuery } from '@mantine/hooks';
import {
  type InfiniteData,
  type UseInfiniteQueryResult,
  useInfiniteQuery,
} from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import type { Input } from '@whence/server/dashboard-wire/contract';
import type { KeySummary } from '@whence/server/dashboard-wire/keys';
import type { KeySort } from '@whence/server/vocabulary';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { Envelope } from '../api/call.ts';
import { call } from '../api/query-client.ts';
import { FailureNotice } from '../components/Failures.tsx';
import grid from '../components/GridTable.module.css';
import { Loaded } from '../components/Loaded.tsx';
import { ColumnHead } from '../components/VirtualTable.tsx';
import { capitalise, PERMISSION_WORDS } from '../format/names.ts';
import { count } from '../format/number.ts';
import { ShortTime } from '../format/Time.tsx';
import { type KeyAction, KeyMenu } from './KeyMenu.tsx';
import { KeyStateTag, QuotaBar } from './KeyState.tsx';
import classes from './KeyTable.module.css';
import { SeveralKeys } from './SeveralKeys.tsx';
import { Sparkline } from './Sparkline.tsx';

const PAGE = 200;
const ROW_PX = 60;
const CARD_PX = 104;

type KeyTableProps = {
  filter: Input<'listKeys'>['query'];
  onSort: (sort: KeySort) => void;
  onAction: (action: KeyAction, key: KeySummary) => void;
  /** Shown when there are no keys. */
  empty: React.ReactNode;
};

/**
 * Loads the next page of keys when the end of the table scrolls into view; the server filters and
 * sorts. The page itself scrolls, and only the rows in view are in the document.
 */
export function KeyTable(props: KeyTableProps) {
  const { filter } = props;
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
  });
  return (
    <Loaded query={pages} shape={[['table']]}>
      {() => <LoadedKeys {...props} pages={pages} />}
    </Loaded>
  );
}

type Pages = UseInfiniteQueryResult<InfiniteData<Envelope<'listKeys'>>>;

function LoadedKeys({ filter, onSort, onAction, empty, pages }: KeyTableProps & { pages: Pages }) {
  const isNarrow = useMediaQuery('(max-width: 760px)', false, { getInitialValueInEffect: false });
  const body = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  // Spread, so that an answer without keys is a failure of the page, which says so.
  const keys = useMemo(
    () => pages.data?.pages.flatMap(({ data }) => [...data.keys]) ?? [],
    [pages.data],
  );
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = pages;
  // What stands above the table may change its height with every render.
  useLayoutEffect(() => {
    const fromViewport = body.current?.getBoundingClientRect().top ?? 0;
    setTop(Math.round(fromViewport + window.scrollY));
  });
  const virtual = useWindowVirtualizer({
    // The row behind the last key stands for the page that is being asked for.
    count: keys.length + (hasNextPage ? 1 : 0),
    scrollMargin: top,
    estimateSize: () => (isNarrow ? CARD_PX : ROW_PX),
    overscan: 8,
  });
  const items = virtual.getVirtualItems();
  const isNearEnd = (items.at(-1)?.index ?? 0) >= keys.length - PAGE / 2;
  useEffect(() => {
    if (hasNextPage && isNearEnd && !isFetchingNextPage && !isFetchNextPageError)
      void fetchNextPage();
  }, [hasNextPage, isNearEnd, isFetchingNextPage, isFetchNextPageError, fetchNextPage]);
  if (keys.length === 0 && !hasNextPage) return empty;
  const total = pages.data?.pages[0]?.data.total ?? keys.length;
  return (
    <>
      {selected.size > 0 ? (
        <SeveralKeys listed={keys} selected={selected} onSelect={setSelected} />
      ) : (
        <p className={grid['count']} role="status">
          {count(total, 'key')}
        </p>
      )}
      <div className={grid['frame']} role="table" aria-label="API keys" aria-rowcount={total + 1}>
        <Head filter={filter} onSort={onSort} />
        <div
          ref={body}
          className={classes['body']}
          style={{ height: virtual.getTotalSize() }}
          role="rowgroup"
        >
          {items.map(({ index, start }) => (
            <Row
              key={index}
              summary={keys[index]}
              index={index}
              top={start - top}
              onAction={onAction}
              selected={selected}
              onSelect={setSelected}
            />
          ))}
        </div>
      </div>
      {isFetchNextPageError && pages.error !== null && (
        <FailureNotice error={pages.error} onRetry={() => void fetchNextPage()} />
      )}
    </>
  );
}

function Head({ filter, onSort }: Pick<KeyTableProps, 'filter' | 'onSort'>) {
  const { sort = 'created_at', order = 'desc' } = filter;
  const direction = order === 'asc' ? 'ascending' : 'descending';
  const column = (name: string, by?: KeySort) => (
    <ColumnHead
      name={name}
      order={by === sort ? direction : undefined}
      onSort={by && (() => onSort(by))}
    />
  );
  return (
    <div className={`${grid['headGroup']} ${classes['headGroup']}`} role="rowgroup">
      <div className={`${grid['head']} ${classes['head']}`} role="row">
        {column('Name and key', 'name')}
        {column('State')}
        {column('Today', 'requests_today')}
        {column('24 hours')}
        {column('Last used', 'last_used_at')}
        {column('Owner')}
        {column('Created', 'created_at')}
        <div role="columnheader">
          <span className="visually-hidden">Actions</span>
        </div>
      </div>
    </div>
  );
}

type RowProps = {
  summary: KeySummary | undefined;
  index: number;
  top: number;
  onAction: KeyTableProps['onAction'];
  selected: ReadonlySet<string>;
  onSelect: (ids: ReadonlySet<string>) => void;
};

function Row({ summary, index, top, onAction, selected, onSelect }: RowProps) {
  const style = { transform: `translateY(${top}px)` };
  if (summary === undefined) {
    return (
      <div
        className={classes['row']}
        style={style}
        role="row"
        tabIndex={-1}
        aria-rowindex={index + 2}
      >
        <div className={classes['placeholder']} role="cell" />
      </div>
    );
  }
  const {
    id,
    name,
    masked,
    status,
    tier,
    permissions,
    quota,
    requests_by_hour,
    owner,
    created_at,
    note,
  } = summary;
  const { last_used_at, last_used_from, successor_id } = summary;
  const cell = (column: string, content: React.ReactNode, title?: string) => (
    <div className={grid['cell']} role="cell" data-column={column} title={title}>
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
        {status === 'active' && (
          <input
            type="checkbox"
            className={classes['select']}
            aria-label={`Select ${name}`}
            checked={selected.has(id)}
            onChange={({ currentTarget: { checked } }) => {
              const others = [...selected].filter((other) => other !== id);
              onSelect(new Set(checked ? [...others, id] : others));
            }}
          />
        )}
        <Link
          to="/keys/$id"
          params={{ id }}
          className={classes['name']}
          title={note === undefined ? name : `${name}: ${note}`}
        >
          {name}
        </Link>
        <span
          className={classes['masked']}
          title={permissions.map((permission) => PERMISSION_WORDS[permission].name).join(', ')}
        >
          {masked}
          {status === 'active' && successor_id !== undefined && (
            <span title="This key has a successor"> · old</span>
          )}
        </span>
      </div>
      {cell('State', <KeyStateTag summary={summary} />)}
      {cell('Today', <QuotaBar quota={quota} label={capitalise(tier)} />)}
      {cell('24 hours', <Sparkline values={requests_by_hour} />)}
      {cell(
        'Last used',
        last_used_at === undefined ? (
          <span className="quiet">never</span>
        ) : (
          <ShortTime
            at={last_used_at}
            note={last_used_from === undefined ? undefined : `from ${last_used_from}`}
          />
        ),
      )}
      {cell('Owner', owner?.name ?? <span className="quiet">command line</span>, owner?.name)}
      {cell('Created', <ShortTime at={created_at} />)}
      <div className={classes['menu']} role="cell">
        <KeyMenu summary={summary} onAction={onAction} />
      </div>
    </div>
  );
}
