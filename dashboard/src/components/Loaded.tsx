import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { FailureNotice } from './Failures.tsx';
import classes from './Loaded.module.css';

type LoadedProps<Data> = {
  query: UseQueryResult<Data>;
  lines?: number;
  children: (data: Data) => ReactNode;
};

/** Renders a query: a skeleton while it loads, the failure, or the data. A failed refresh is shown above the data. */
export function Loaded<Data>({ query, lines = 6, children }: LoadedProps<Data>) {
  const retry = () => void query.refetch();
  if (query.data === undefined) {
    if (query.error !== null) return <FailureNotice error={query.error} onRetry={retry} />;
    return <Skeleton lines={lines} />;
  }
  return (
    <>
      {query.error !== null && <FailureNotice error={query.error} onRetry={retry} />}
      {children(query.data)}
    </>
  );
}

/** A placeholder of about the height of the content that is loading. */
export function Skeleton({ lines = 6, label = 'Loading' }: { lines?: number; label?: string }) {
  return (
    <div className={classes['lines']} role="status" aria-label={label}>
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are identical and never change.
        <div key={line} className={classes['line']} aria-hidden />
      ))}
    </div>
  );
}
