import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ShownDomain } from '@whence/server/dashboard-wire/domains';
import { type ReactNode, useState } from 'react';
import { call } from '../api/query-client.ts';
import { retryInterval } from '../api/recovery.ts';
import { serverNow } from '../api/server-clock.ts';
import { QuietButton } from '../components/Buttons.tsx';
import { FailureNotice } from '../components/Failures.tsx';
import grid from '../components/GridTable.module.css';
import { Skeleton } from '../components/Loaded.tsx';
import { count, formatNumber } from '../format/number.ts';
import { ShortTime, useNow } from '../format/Time.tsx';
import { useRole } from '../session/use-session.ts';
import { compareDomains, unicodeDomain } from '../unicode-domain.ts';
import { isBeingChecked, POLL_MS, VERDICT_WORDS } from '../watch/watched-state.ts';
import { SeveralDomains } from './SeveralDomains.tsx';
import classes from './WatchedTable.module.css';

const PAGE = 200;
const REFRESH_MS = 60_000;

export type MailFilter = {
  q?: string;
  tag?: string;
  grade?: ShownDomain['grade'];
  state?: 'open' | 'fine';
};

/** Those with the most severe open events first. */
export function WatchedTable({ filter, empty }: { filter: MailFilter; empty: ReactNode }) {
  const { state, ...rest } = filter;
  const query = {
    ...rest,
    sort: 'worst',
    limit: PAGE,
    ...(state !== undefined && { open: state === 'open' }),
  } as const;
  const pages = useInfiniteQuery({
    queryKey: ['listWatched', query],
    queryFn: ({ pageParam, signal }) =>
      call(
        'listWatched',
        { query: { ...query, ...(pageParam !== '' && { cursor: pageParam }) } },
        signal,
      ),
    initialPageParam: '',
    getNextPageParam: ({ data }) => data.next_cursor,
    refetchInterval: (asked) =>
      retryInterval(asked) ||
      (asked.state.data?.pages.some(({ data }) =>
        data.domains.some((domain) => isBeingChecked(domain, serverNow())),
      )
        ? POLL_MS
        : REFRESH_MS),
  });
  const { isAtLeast } = useRole();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  if (pages.data === undefined)
    return pages.error === null ? (
      <Skeleton lines={10} />
    ) : (
      <FailureNotice error={pages.error} onRetry={() => void pages.refetch()} />
    );
  // Each page by itself: rows that are shown stay where they are when more are loaded.
  const domains = pages.data.pages.flatMap(({ data }) => worstFirst(data.domains));
  const total = pages.data.pages[0]?.data.total ?? domains.length;
  const select = (domain: string, isSelected: boolean) => {
    const others = [...selected].filter((other) => other !== domain);
    setSelected(new Set(isSelected ? [...others, domain] : others));
  };
  if (domains.length === 0) return empty;
  return (
    <>
      <FailureNotice error={pages.error} onRetry={() => void pages.refetch()} />
      {selected.size > 0 ? (
        <SeveralDomains listed={domains} selected={selected} onSelect={setSelected} />
      ) : (
        <p className={grid['count']} role="status">
          {domains.length < total
            ? `${formatNumber(domains.length)} of ${count(total, 'domain')}`
            : count(total, 'domain')}
        </p>
      )}
      <div className={grid['frame']} role="table" aria-label="Watched domains">
        <Head />
        <div role="rowgroup">
          {domains.map((watched) => (
            <Row
              key={watched.domain}
              watched={watched}
              isSelected={selected.has(watched.domain)}
              onSelect={isAtLeast('member') ? select : undefined}
            />
          ))}
        </div>
      </div>
      {pages.hasNextPage && (
        <QuietButton
          className={`${classes['more']} no-print`}
          text="Show more"
          loading={pages.isFetchingNextPage}
          onClick={() => void pages.fetchNextPage()}
        />
      )}
    </>
  );
}

/** The server's order, with numbers in names by their value. */
function worstFirst(listed: readonly ShownDomain[]): ShownDomain[] {
  const levels = [...new Set(listed.map(({ worst }) => worst))];
  return listed.toSorted(
    (a, b) =>
      levels.indexOf(a.worst) - levels.indexOf(b.worst) || compareDomains(a.domain, b.domain),
  );
}

const COLUMNS = ['Domain', 'Tags', 'Open events', 'Grade', 'Policy', 'p=reject', 'Checked'];

function Head() {
  return (
    <div className={`${grid['headGroup']} ${classes['headGroup']}`} role="rowgroup">
      <div className={`${grid['head']} ${classes['head']}`} role="row">
        {COLUMNS.map((name) => (
          <div key={name} role="columnheader" data-column={name}>
            {name}
          </div>
        ))}
      </div>
    </div>
  );
}

type RowProps = {
  watched: ShownDomain;
  isSelected: boolean;
  /** Undefined for those who may only read. */
  onSelect: ((domain: string, isSelected: boolean) => void) | undefined;
};

function Row({ watched, isSelected, onSelect }: RowProps) {
  const { domain, note, tags, grade, score, policy, verdict } = watched;
  const name = unicodeDomain(domain);
  const cell = (column: string, content: ReactNode, title?: string) => (
    <div className={grid['cell']} role="cell" data-column={column} title={title}>
      {content}
    </div>
  );
  return (
    <div className={classes['row']} role="row" data-readable={onSelect === undefined || undefined}>
      <div className={classes['name']} role="cell" data-column="Domain">
        {onSelect !== undefined && (
          <input
            type="checkbox"
            className={classes['select']}
            aria-label={`Select ${name}`}
            checked={isSelected}
            onChange={({ currentTarget }) => onSelect(domain, currentTarget.checked)}
          />
        )}
        <Link
          to="/domain/$domain"
          params={{ domain }}
          preload={false}
          title={note === undefined ? domain : `${domain}: ${note}`}
        >
          {name}
        </Link>
      </div>
      {cell('Tags', <TagLinks tags={tags} />, tags.join(', '))}
      {cell('Open events', <OpenEvents watched={watched} />)}
      {cell('Grade', grade === undefined ? <Nothing words="not graded" /> : `${grade}, ${score}`)}
      {cell('Policy', policy === undefined ? <Nothing words="no policy" /> : `p=${policy}`)}
      {cell(
        'p=reject',
        verdict === undefined ? <Nothing words="no reports" /> : VERDICT_WORDS[verdict],
      )}
      {cell('Checked', <LastCheck watched={watched} />)}
    </div>
  );
}

const Nothing = ({ words }: { words: string }) => (
  <span className="quiet" title={words}>
    –<span className="visually-hidden">{words}</span>
  </span>
);

function TagLinks({ tags }: { tags: readonly string[] }) {
  return tags.map((tag) => (
    <Link
      key={tag}
      from="/mail"
      to="."
      search={(before) => ({ ...before, tag })}
      className={classes['tag'] ?? ''}
    >
      {tag}
    </Link>
  ));
}

function OpenEvents({ watched: { open_events, worst } }: Pick<RowProps, 'watched'>) {
  if (open_events === 0 || worst === undefined) return <span className="quiet">none open</span>;
  return (
    <span className={classes['events']}>
      {formatNumber(open_events)} open, {worst}
    </span>
  );
}

function LastCheck({ watched }: Pick<RowProps, 'watched'>) {
  const now = useNow();
  const { checked_at, unanswered_since } = watched;
  if (isBeingChecked(watched, now)) return <span className="quiet">checking…</span>;
  if (unanswered_since !== undefined)
    return (
      <span title="Something does not answer: the check is repeated every hour">
        no answer, <ShortTime at={unanswered_since} />
      </span>
    );
  return checked_at === undefined ? <Nothing words="not yet" /> : <ShortTime at={checked_at} />;
}
