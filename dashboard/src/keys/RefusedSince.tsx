import type { KeySummary } from '@whence/server/dashboard-wire';
import { count } from '../format/number.ts';
import { Time } from '../format/Time.tsx';

/** How often a revoked key was tried: a client that was forgotten, or a key that leaked. */
export function RefusedSince({ summary: { refused } }: { summary: KeySummary }) {
  if (refused === undefined) return 'no request since';
  return (
    <>
      {count(refused.requests, 'request')} since, the last <Time at={refused.last_at} />
    </>
  );
}
