import type { KeyQuota } from '@whence/server/dashboard-wire';
import { formatNumber } from '../format/number.ts';
import { duration } from '../format/time.ts';
import { useNow } from '../format/use-now.ts';
import { Bar } from '../parts/Bar.tsx';
import classes from './QuotaBar.module.css';

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
