/** The state of a key in words: state, quota, first and last use, requests that were refused. */
import type { KeyQuota, KeySummary } from '@whence/server/dashboard-wire/keys';
import type { Overview } from '@whence/server/dashboard-wire/usage';
import { Bar } from '../components/Bars.tsx';
import { Tag } from '../components/Tag.tsx';
import { count, formatNumber } from '../format/number.ts';
import { Time, useNow } from '../format/Time.tsx';
import { DAY_MS, duration, shortTime } from '../format/time.ts';
import classes from './KeyState.module.css';

type StateSummary = Pick<KeySummary, 'state' | 'expires_at' | 'revoke_at' | 'quota'>;

/**
 * `active`, `paused`, `expires in 6 d`, `expired`, `revoked in 5 h`, `revoked`, `80% used`, `limit
 * reached`.
 */
export function KeyStateTag({ summary }: { summary: StateSummary }) {
  const now = useNow();
  const { state, expires_at, revoke_at, quota } = summary;
  if (state === 'revoked') return <Tag icon="circle-x" text="revoked" />;
  if (state === 'expired') return <Tag icon="clock" tone="warn" text="expired" />;
  if (state === 'paused') return <Tag icon="player-pause" tone="warn" text="paused" />;
  const share = shareOf(quota);
  if (share >= 1) return <Tag icon="alert-triangle" tone="bad" text="limit reached" />;
  if (share >= NEAR_LIMIT)
    return <Tag icon="alert-triangle" tone="warn" text={`${Math.floor(share * 100)}% used`} />;
  const word = endWord(expires_at, revoke_at, now);
  if (word === undefined) return 'active';
  return <Tag icon="clock" tone="warn" text={word} />;
}

/** From here on there is an entry in the audit log, and a mark on the key. */
const NEAR_LIMIT = 0.8;
function shareOf({ used, limit }: KeyQuota): number {
  if (limit === null) return 0;
  return limit === 0 ? 1 : used / limit;
}

function shareTone(share: number): 'bad' | 'warn' | 'accent' {
  if (share >= 1) return 'bad';
  return share >= NEAR_LIMIT ? 'warn' : 'accent';
}

const SOON_MS = 30 * DAY_MS;

/** What ends the key soon, the first of both. */
function endWord(
  expiresAt: string | undefined,
  revokeAt: string | undefined,
  nowMs: number,
): string | undefined {
  const inWords = (at: string) => shortTime(Date.parse(at), nowMs).replace('now', 'a moment');
  if (revokeAt !== undefined && (expiresAt === undefined || revokeAt <= expiresAt))
    return `revoked in ${inWords(revokeAt)}`;
  const isSoon = expiresAt !== undefined && Date.parse(expiresAt) - nowMs < SOON_MS;
  return isSoon ? `expires in ${inWords(expiresAt)}` : undefined;
}

/** What is said about keys near their limit: `1 key has used its limit`, `2 keys are near theirs`. */
export function limitWords({ spent, near }: Overview['limits']): string[] {
  return [
    ...(spent === 0 ? [] : [count(spent, 'key has used its limit', 'keys have used their limits')]),
    ...(near === 0 ? [] : [count(near, 'key is near its limit', 'keys are near their limits')]),
  ];
}

/** `label` is the tier, where there is no room for a column of its own. */
type QuotaBarProps = { quota: KeyQuota; withReset?: boolean; label?: string };

/** `412 of 1,000 today, resets in 5 h`, with a thin bar. */
export function QuotaBar({ quota, withReset = false, label }: QuotaBarProps) {
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
  const share = shareOf(quota);
  const reset = withReset
    ? ` today, resets in ${duration((Date.parse(resets_at) - now) / 1000)}`
    : '';
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
      <Bar value={used} max={limit} tone={shareTone(share)} />
    </div>
  );
}

/** When a key was first used, from where, and the status of the response. */
export function FirstUse({ summary: { first_use, last_used_at } }: { summary: KeySummary }) {
  if (first_use === undefined) return last_used_at === undefined ? 'never' : 'not recorded';
  return (
    <>
      <Time at={first_use.at} /> from <span className="mono">{first_use.from}</span>, answered{' '}
      {first_use.status}
    </>
  );
}

/**
 * Requests that were refused: a client was forgotten, is in another network, or the key has leaked.
 */
export function RefusedSince({ summary: { refused } }: { summary: KeySummary }) {
  if (refused === undefined) return 'no requests';
  return (
    <>
      {count(refused.requests, 'request')}, {refused.requests > 1 && 'the last one '}
      <Time at={refused.last_at} />
      <From address={refused.last_from} />
    </>
  );
}

export function LastUse({ summary: { last_used_at, last_used_from } }: { summary: KeySummary }) {
  if (last_used_at === undefined) return 'never';
  return (
    <>
      <Time at={last_used_at} />
      <From address={last_used_from} />
    </>
  );
}

function From({ address }: { address: string | undefined }) {
  if (address === undefined) return null;
  return (
    <>
      {' '}
      from <span className="mono">{address}</span>
    </>
  );
}
