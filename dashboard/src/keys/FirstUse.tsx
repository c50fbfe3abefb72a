import type { KeySummary } from '@whence/server/dashboard-wire';
import { Time } from '../format/Time.tsx';

/** When a key was first used, from where, and what it was answered. */
export function FirstUse({ summary: { first_use, last_used_at } }: { summary: KeySummary }) {
  if (first_use === undefined) return last_used_at === undefined ? 'never' : 'not recorded';
  return (
    <>
      <Time at={first_use.at} /> from <span className="mono">{first_use.from}</span>, answered {first_use.status}
    </>
  );
}
