/** The state of a key in words: status, quota, first use, requests since it was revoked. */
import { IconCircleCheck, IconCircleX } from '@tabler/icons-react';
import type { KeyQuota, KeySummary } from '@whence/server/dashboard-wire';
import { Bar } from '../components/Bars.tsx';
import { Tag } from '../components/Tag.tsx';
import { count, formatNumber } from '../format/number.ts';
import { Time, useNow } from '../format/Time.tsx';
import { duration } from '../format/time.ts';
import classes from './KeyState.module.css';

export function KeyStatus({ status }: Pick<KeySummary, 'status'>) {
  return status === 'active' ? (
    <Tag icon={IconCircleCheck} tone="good">
      active
    </Tag>
  ) : (
    <Tag icon={IconCircleX}>revoked</Tag>
  );
}

/** `412 of 1,000 today, resets in 5 h`, with a thin bar. */
export function QuotaBar({ quota, withReset = false }: { quota: KeyQuota; withReset?: boolean }) {
  const now = useNow();
  const { used, limit, resets_at } = quota;
  if (limit === null) return <span>{formatNumber(used)} today</span>;
  const share = limit === 0 ? 1 : used / limit;
  const reset = withReset ? ` today, resets in ${duration((Date.parse(resets_at) - now) / 1000)}` : '';
  return (
    <div className={classes['quota']}>
      <span>
        {formatNumber(used)}{' '}
        <span className="quiet">
          of {formatNumber(limit)}
          {reset}
        </span>
      </span>
      <Bar value={used} max={limit} tone={share >= 1 ? 'bad' : share >= 0.8 ? 'warn' : 'accent'} />
    </div>
  );
}

/** When a key was first used, from where, and the status of the response. */
export function FirstUse({ summary: { first_use, last_used_at } }: { summary: KeySummary }) {
  if (first_use === undefined) return last_used_at === undefined ? 'never' : 'not recorded';
  return (
    <>
      <Time at={first_use.at} /> from <span className="mono">{first_use.from}</span>, answered {first_use.status}
    </>
  );
}

/** Requests with a revoked key: a client was forgotten, or the key has leaked. */
export function RefusedSince({ summary: { refused } }: { summary: KeySummary }) {
  if (refused === undefined) return 'no requests since';
  return (
    <>
      {count(refused.requests, 'request')} since, the last <Time at={refused.last_at} />
    </>
  );
}
