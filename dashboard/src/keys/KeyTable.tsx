import { useMediaQuery } from '@mantine/hooks';
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import type { KeyQuery, KeySort, KeySummary } from '@whence/server/dashboard-wire';
import { useRef } from 'react';
import { answerQuery } from '../api/query-client.ts';
import { Sparkline } from '../charts/Sparkline.tsx';
import { Time } from '../format/Time.tsx';
import { FailureNotice } from '../states/FailureNotice.tsx';
import { Skeleton } from '../states/Skeleton.tsx';
import { KeyStatus } from './KeyStatus.tsx';
import classes from './KeyTable.module.css';
import { capital, PERMISSION_WORDS } from './permissions.ts';
import { QuotaBar } from './QuotaBar.tsx';

const PAGE = 200;
const ROW_PX = 60;
const CARD_PX = 112;

type KeyTableProps = {
  filter: KeyQuery;
  onSort: (sort: KeySort) => void;
  /** Shown when there is no key to show. */
  empty: React.ReactNode;
};

/** Pages of keys are asked for as they scroll into view; the server filters and sorts. */
export function KeyTable({ filter, onSort, empty }: KeyTableProps) {
  const page = (offset: number) => answerQuery('listKeys', { query: { ...filter, offset, limit: PAGE } });
  const first = useQuery({ ...page(0), placeholderData: keepPreviousData });
  const isNarrow = useMediaQuery('(max-width: 760px)', false, { getInitialValueInEffect: false });
  const scroller = useRef<HTMLDivElement>(null);
  const total = first.data?.data.total ?? 0;
  const virtual = useVirtualizer({
    count: total,
    getScrollElement: () => scroller.current,
    estimateSize: () => (isNarrow ? CARD_PX : ROW_PX),
    overscan: 8,
  });
  const items = virtual.getVirtualItems();
  const offsets = useRestingOffsets(
    items.map(({ index }) => index - (index % PAGE)),
    virtual.isScrolling,
    total,
  );
  const others = useQueries({ queries: offsets.map((offset) => page(offset)) });
  const rowAt = (index: number): KeySummary | undefined => {
    const offset = index - (index % PAGE);
    const answer = offset === 0 ? first.data : others[offsets.indexOf(offset)]?.data;
    return answer?.data.keys[index - offset];
  };
  if (first.data === undefined) {
    return first.error === null ? (
      <Skeleton lines={10} />
    ) : (
      <FailureNotice error={first.error} onRetry={() => void first.refetch()} />
    );
  }
  if (total === 0) return empty;
  return (
    <div className={classes['frame']}>
      <div className={classes['scroll']} ref={scroller} role="table" aria-label="API keys" aria-rowcount={total + 1}>
        <Head filter={filter} onSort={onSort} />
        <div className={classes['body']} style={{ height: virtual.getTotalSize() }}>
          {items.map(({ index, start }) => (
            <Row key={index} summary={rowAt(index)} index={index} top={start} />
          ))}
        </div>
      </div>
    </div>
  );
}

/** The pages in view and the next one, once scrolling rests: a jump to the end does not ask for all pages between. */
function useRestingOffsets(inView: readonly number[], isScrolling: boolean, total: number): readonly number[] {
  const last = useRef<readonly number[]>([]);
  if (!isScrolling) {
    const next = (inView.at(-1) ?? 0) + PAGE;
    last.current = [...new Set([...inView, next])].filter((offset) => offset > 0 && offset < total);
  }
  return last.current;
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
        <div className={classes['waiting']} />
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
          {status === 'active' && successor_id !== undefined && <span title="It has a successor"> · old</span>}
        </span>
      </div>
      {cell(<KeyStatus status={status} />)}
      {cell(capital(tier))}
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
