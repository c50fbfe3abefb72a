import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { FailureNotice } from './FailureNotice.tsx';
import { Skeleton } from './Skeleton.tsx';

type LoadedProps<Data> = {
  query: UseQueryResult<Data>;
  lines?: number;
  children: (data: Data) => ReactNode;
};

/** The states of a query: a skeleton, the failure, or the data; data with the failure of a later refresh above it. */
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
