/** The state of a key in words: state, quota, first and last use, requests that were refused. */
import { IconCircleCheck, IconCircleX, IconClock, IconPlayerPause } from '@tabler/icons-react';
import type { KeyQuota, KeySummary } from '@whence/server/dashboard-wire/keys';
import { Bar } from '../components/Bars.tsx';
import { Tag } from '../components/Tag.tsx';
import { count, formatNumber } from '../format/number.ts';
import { Time, useNow } from '../format/Time.tsx';
import { DAY_MS, duration, shortTime } from '../format/time.ts';
import classes from './KeyState.module.css';

/** `active`, `paused`, `expires in 6 d`, `expired`, `revoked in 5 h`, `revoked`. */
export function KeyStateTag({ summary }: { summary: Pick<KeySummary, 'state' | 'expires_at' | 'revoke_at'> }) {
  const now = useNow();
  const { state, expires_at, revoke_at } = summary;
  if (state === 'revoked') return <Tag icon={IconCircleX}>revoked</Tag>;
  if (state === 'expired') {
    return (
      <Tag icon={IconClock} tone="warn">
        expired
      </Tag>
    );
  }
  if (state === 'paused') {
    return (
      <Tag icon={IconPlayerPause} tone="warn">
        paused
      </Tag>
    );
  }
  const word = endWord(expires_at, revoke_at, now);
  return (
    <Tag icon={word === undefined ? IconCircleCheck : IconClock} tone={word === undefined ? 'good' : 'warn'}>
      {word ?? 'active'}
    </Tag>
  );
}

const SOON_MS = 30 * DAY_MS;

/** What ends the key soon, the first of both. */
function endWord(expiresAt: string | undefined, revokeAt: string | undefined, nowMs: number): string | undefined {
  const inWords = (at: string) => shortTime(Date.parse(at), nowMs).replace('now', 'a moment');
  if (revokeAt !== undefined && (expiresAt === undefined || revokeAt <= expiresAt))
    return `revoked in ${inWords(revokeAt)}`;
  const isSoon = expiresAt !== undefined && Date.parse(expiresAt) - nowMs < SOON_MS;
  return isSoon ? `expires in ${inWords(expiresAt)}` : undefined;
}

/** `412 of 1,000 today, resets in 5 h`, with a thin bar. */
export function QuotaBar({
  quota,
  withReset = false,
  label,
}: {
  quota: KeyQuota;
  withReset?: boolean;
  /** The tier, where there is no room for a column of its own. */
  label?: string;
}) {
  const now = useNow();
  const { used, limit, resets_at } = quota;
  const tier = label === undefined ? null : <span className={classes['tier']}>{label}</span>;
  if (limit === null) {
    return (
      <span className={classes['line']}>
        <span>
          {formatNumber(used)} {label === undefined && 'today'}
        </span>
        {tier}
      </span>
    );
  }
  const share = limit === 0 ? 1 : used / limit;
  const reset = withReset ? ` today, resets in ${duration((Date.parse(resets_at) - now) / 1000)}` : '';
  return (
    <div className={classes['quota']}>
      <span className={classes['line']}>
        <span>
          {formatNumber(used)}{' '}
          <span className="quiet">
            of {formatNumber(limit)}
            {reset}
          </span>
        </span>
        {tier}
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

/** Requests that were refused: a client was forgotten, is in another network, or the key has leaked. */
export function RefusedSince({ summary: { refused } }: { summary: KeySummary }) {
  if (refused === undefined) return 'no requests since';
  return (
    <>
      {count(refused.requests, 'request')} since, the last <Time at={refused.last_at} />
      {refused.last_from !== undefined && (
        <>
          {' '}
          from <span className="mono">{refused.last_from}</span>
        </>
      )}
    </>
  );
}

export function LastUse({ summary: { last_used_at, last_used_from } }: { summary: KeySummary }) {
  if (last_used_at === undefined) return 'never';
  return (
    <>
      <Time at={last_used_at} />
      {last_used_from !== undefined && (
        <>
          {' '}
          from <span className="mono">{last_used_from}</span>
        </>
      )}
    </>
  );
}
