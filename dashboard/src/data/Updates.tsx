/** Dataset updates: the button that starts one, its progress, what went wrong, and the feeds that were not used. */

import { useMutation } from '@tanstack/react-query';
import type { Refusal } from '@whence/client/wire';
import type { UpdateState } from '@whence/server/dashboard-wire/dataset';
import { call, queryClient, refresh } from '../api/query-client.ts';
import { Bar } from '../components/Bars.tsx';
import { QuietButton, TextButton } from '../components/Buttons.tsx';
import { Facts } from '../components/Facts.tsx';
import { FailureNotice } from '../components/Failures.tsx';
import { Notice } from '../components/Notice.tsx';
import { count, formatShare } from '../format/number.ts';
import { Time } from '../format/Time.tsx';
import { duration, exactUtc } from '../format/time.ts';
import { useRole } from '../session/use-session.ts';
import classes from './Updates.module.css';

const STARTING: Pick<UpdateState, 'outcome' | 'step' | 'share'> = { outcome: 'running', step: 'starting', share: 0 };

/** Feeds that failed are asked again; with `paused`, also those whose server asked to wait. */
type UpdateRetry = 'failed' | 'paused';

/** Starts an update. The pages show it as running in the same frame, before the server has answered. */
export function useStartUpdate() {
  return useMutation({
    mutationFn: (retry: UpdateRetry = 'failed') => call('startUpdate', { query: { retry } }),
    onMutate: () => showUpdate(STARTING),
    onSuccess: ({ data }) => showUpdate(data),
    onError: () => refresh('getDataset'),
  });
}

function showUpdate(change: Partial<UpdateState>): void {
  for (const name of ['getDataset', 'getOverview'])
    queryClient.setQueriesData<{ data: { update: UpdateState } }>(
      { queryKey: [name] },
      (before) => before && { ...before, data: { ...before.data, update: { ...before.data.update, ...change } } },
    );
}

export function UpdateButton({ update }: { update: UpdateState }) {
  const start = useStartUpdate();
  if (!update.schedule.can_start) return null;
  const isRunning = update.outcome === 'running';
  return (
    <>
      <TextButton
        icon="refresh"
        text={isRunning ? 'Updating…' : 'Update now'}
        disabled={isRunning}
        onClick={() => start.mutate('failed')}
      />
      <FailureNotice error={start.error} />
    </>
  );
}

type UpdateNoticeProps = {
  update: UpdateState;
  /** When the version in use was built: a failure before that is over. */
  builtAt?: string | undefined;
  /** Feeds that the version in use was built without, for servers that do not update by themselves. */
  refused?: readonly Refusal[];
  /** For administrators, where no button stands beside the notice. */
  withButton?: boolean;
};

/** The running update, or what went wrong with the last one: one sentence, with the feeds behind a fold. */
export function UpdateNotice({ update, builtAt, refused = [], withButton = false }: UpdateNoticeProps) {
  const { isAtLeast } = useRole();
  const { outcome, step = 'starting', share, finished_at, error, problem } = update;
  if (outcome === 'running') {
    return (
      <Notice title="The dataset is being updated">
        <div className={classes['progress']}>
          <p role="status">
            {share === undefined ? '' : `${formatShare(share, 1)}, `}
            {step}
          </p>
          <Bar value={share ?? 0} max={1} />
          <p>Lookups continue with the version in use.</p>
        </div>
      </Notice>
    );
  }
  const mayStart = isAtLeast('admin') && update.schedule.can_start;
  const actions = mayStart && (
    <>
      {update.paused !== undefined && <PausedFeeds paused={update.paused} />}
      {withButton && <UpdateButton update={update} />}
    </>
  );
  const feeds = outcome === 'never' || update.schedule.kind === 'pull' ? refused : update.refused;
  const isOver = builtAt !== undefined && finished_at !== undefined && Date.parse(builtAt) > Date.parse(finished_at);
  if (outcome === 'failed' && !isOver) {
    return (
      <Notice tone="bad" title={`The last update failed: ${error ?? problem ?? 'the server log has the reason'}`}>
        <p>
          {finished_at !== undefined && (
            <>
              It ended <Time at={finished_at} />.{' '}
            </>
          )}
          Lookups continue with the version in use.
        </p>
        <RefusedFeeds refused={feeds} />
        {actions}
      </Notice>
    );
  }
  if (feeds.length === 0) return null;
  return (
    <Notice tone="warn" title={`The last update: ${problem ?? `${count(feeds.length, 'feed')} refused`}`}>
      <RefusedFeeds refused={feeds} />
      {actions}
    </Notice>
  );
}

/** Feeds whose server asked to wait: until when, and a button that asks them all the same. */
function PausedFeeds({ paused }: { paused: NonNullable<UpdateState['paused']> }) {
  const start = useStartUpdate();
  return (
    <>
      <ul className={classes['feeds']}>
        {paused.map(({ id, until }) => (
          <li key={id}>
            <strong>{id}</strong>: its server asked to wait until {exactUtc(until)}.
          </li>
        ))}
      </ul>
      <QuietButton text="Try now" onClick={() => start.mutate('paused')} />
      <FailureNotice error={start.error} />
    </>
  );
}

/** Feeds whose latest copy was not used, and why. */
function RefusedFeeds({ refused }: { refused: readonly Refusal[] }) {
  if (refused.length === 0) return null;
  return (
    <details>
      <summary>{count(refused.length, 'feed')} with the reason</summary>
      <ul className={classes['feeds']}>
        {refused.map(({ id, reason, used }) => (
          <li key={id}>
            <strong>{id}</strong>: {reason}.{' '}
            {used === undefined ? 'No data from it is used.' : `The copy from ${used} is used.`}
          </li>
        ))}
      </ul>
    </details>
  );
}

const OUTCOMES: Record<Exclude<UpdateState['outcome'], 'published'>, string> = {
  never: 'none yet',
  running: 'running',
  unchanged: 'no changes found',
  failed: 'failed',
};

/** Schedule and times. What went wrong is in the notice, once. */
export function UpdateFacts({ update }: { update: UpdateState }) {
  const { outcome, version, started_at, finished_at, succeeded_at, schedule } = update;
  const verb = schedule.kind === 'pull' ? 'pulled' : 'updated';
  return (
    <Facts
      facts={{
        Schedule:
          schedule.interval_seconds === undefined
            ? 'off (WHENCE_UPDATE)'
            : `${verb} every ${duration(schedule.interval_seconds)}`,
        'Last update': outcome === 'published' ? `published version ${version}` : OUTCOMES[outcome],
        Started: started_at && <Time at={started_at} />,
        Finished: finished_at && <Time at={finished_at} />,
        [schedule.kind === 'pull' ? 'Last new version' : 'Last success']: succeeded_at && <Time at={succeeded_at} />,
      }}
    />
  );
}
