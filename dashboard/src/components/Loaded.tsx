import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { FailureNotice } from './Failures.tsx';
import classes from './Loaded.module.css';

type LoadedProps<Data> = {
  query: UseQueryResult<Data>;
  lines?: number;
  /** The shape of the content, if it has one; otherwise lines of text. */
  shape?: SkeletonShape;
  /** What was asked about, where DNS may fail. */
  domain?: string;
  children: (data: Data) => ReactNode;
};

/**
 * Renders a query: a skeleton while it loads, the failure, or the data. A failed refresh is shown
 * above the data. Data of another subject, filter or period must not be passed in as placeholder:
 * it would stand under the new title.
 */
export function Loaded<Data>({ query, lines = 6, shape, domain, children }: LoadedProps<Data>) {
  const retry = () => void query.refetch();
  const error = useLastError(query);
  if (query.data === undefined) {
    if (error !== null) return <FailureNotice error={error} onRetry={retry} domain={domain} />;
    return shape === undefined ? <Skeleton lines={lines} /> : <PageSkeleton shape={shape} />;
  }
  return (
    <>
      <FailureNotice error={query.error} onRetry={retry} domain={domain} />
      {children(query.data)}
    </>
  );
}

/**
 * The failure of a query, also while it is tried again: otherwise the message would come and go.
 */
function useLastError<Data>({ error, errorUpdateCount }: UseQueryResult<Data>): Error | null {
  const [last, setLast] = useState(error);
  if (error !== null && error !== last) setLast(error);
  return error ?? (errorUpdateCount > 0 ? last : null);
}

/** A placeholder of about the height of the content that is loading. */
export function Skeleton({ lines = 6, label = 'Loading' }: { lines?: number; label?: string }) {
  return (
    <div className={classes['lines']} role="status" aria-label={label}>
      {repeated(lines, classes['line'])}
    </div>
  );
}

const PIECES = { figures: 4, facts: 7, bars: 5, chart: 1, table: 8, grade: 5 } as const;
type Block = keyof typeof PIECES;
/** Blocks from top to bottom; those in one list stand side by side where there is room. */
export type SkeletonShape = readonly (readonly Block[])[];

/**
 * A placeholder with the blocks of the page at about their place, so that little moves when the
 * data arrives.
 */
export function PageSkeleton({ shape }: { shape: SkeletonShape }) {
  return (
    <div className={classes['page']} role="status" aria-label="Loading">
      {shape.map((blocks) => (
        <div key={blocks.join()} className={classes['blocks']}>
          {blocks.map((block) => (
            <div key={block} className={classes['block']} data-block={block} aria-hidden>
              {repeated(PIECES[block], classes['piece'])}
            </div>
          ))}
        </div>
      ))}
    </div>
  );
}

/**
 * The sentence below a title. While it loads, the skeleton of the page has the label for screen
 * readers.
 */
export function LoadedLead<Data>({
  query,
  children,
}: {
  query: UseQueryResult<Data>;
  children: (data: Data) => ReactNode;
}) {
  if (query.data !== undefined) return children(query.data);
  if (query.errorUpdateCount > 0) return null;
  return (
    <div className={classes['leadLines']} aria-hidden>
      {repeated(2, classes['leadLine'])}
    </div>
  );
}

function repeated(times: number, className: string | undefined): ReactNode[] {
  return Array.from({ length: times }, (_, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the elements are identical and never change.
    <div key={index} className={className} aria-hidden />
  ));
}
