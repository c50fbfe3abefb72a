/**
 * Dataset updates: the button that starts one, its progress, what went wrong, and the feeds that
 * were not used.
 */

import { useMutation } from '@tanstack/react-query';
import type { Refusal } from '@whence/client/wire';
import type { ThreatGap } from '@whence/dataset/record';
import type { UpdateState } from '@whence/server/dashboard-wire/dataset';
import { call, queryClient, refresh } from '../api/query-client.ts';
import { Bar } from '../components/Bars.tsx';
import { TextButton } from '../components/Buttons.tsx';
import { Facts } from '../components/Facts.tsx';
import { FailureNotice } from '../components/Failures.tsx';
import { Notice } from '../components/Notice.tsx';
import { notKnown } from '../format/blocklists.ts';
import { count, formatShare } from '../format/number.ts';
import { Time } from '../format/Time.tsx';
import { duration, exactUtc } from '../format/time.ts';
import { COST_WORDS } from '../format/update-cost.ts';
import { useRole } from '../session/use-session.ts';
import classes from './Updates.module.css';

const STARTING: Pick<UpdateState, 'outcome' | 'step' | 'share'> = {
  outcome: 'running',
  step: 'starting',
  share: 0,
};

/**
 * Starts an update. The pages show it as running in the same frame, before the server has answered.
 */
function useStartUpdate() {
  return useMutation({
    mutationFn: () => call('startUpdate', {}),
    onMutate: () => showUpdate(STARTING),
    onSuccess: ({ data }) => showUpdate(data),
    onError: () => refresh('getDataset'),
  });
}

function showUpdate(change: Partial<UpdateState>): void {
  for (const name of ['getDataset', 'getOverview'])
    queryClient.setQueriesData<{ data: { update: UpdateState } }>(
      { queryKey: [name] },
      (before) =>
        before && {
          ...before,
          data: { ...before.data, update: { ...before.data.update, ...change } },
        },
    );
  queryClient.setQueriesData<{ data: UpdateState }>(
    { queryKey: ['getUpdate'] },
    (before) => before && { ...before, data: { ...before.data, ...change } },
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
        text={isRunning ? 'Fetching…' : 'Fetch public lists'}
        disabled={isRunning}
        onClick={() => start.mutate()}
      />
      <FailureNotice error={start.error} />
    </>
  );
}

type UpdateNoticeProps = {
  update: UpdateState;
  /** When the version in use was built: a failure before that is over. */
  builtAt?: string | undefined;
  /**
   * Feeds that the version in use was built without, for servers that do not update by themselves.
   */
  refused?: readonly Refusal[];
  /** Why a threat is not known, for pages that say so with a button. */
  gap?: ThreatGap | undefined;
  /** For administrators, where no button stands beside the notice. */
  withButton?: boolean;
};

/** What went wrong with the last update, in a few words. */
export function updateProblem({
  update,
  builtAt,
  refused = [],
}: UpdateNoticeProps): string | undefined {
  if (isFailed(update, builtAt))
    return update.is_offline ? 'public lists cannot be reached' : 'the last update failed';
  const feeds = unusedFeeds(update, refused);
  if (feeds.length === 0) return undefined;
  return update.problem ?? `the last update refused ${count(feeds.length, 'feed')}`;
}

function isFailed({ outcome, finished_at }: UpdateState, builtAt: string | undefined): boolean {
  const isOver =
    builtAt !== undefined &&
    finished_at !== undefined &&
    Date.parse(builtAt) > Date.parse(finished_at);
  return outcome === 'failed' && !isOver;
}

const unusedFeeds = ({ outcome, schedule, refused }: UpdateState, built: readonly Refusal[]) =>
  outcome === 'never' || schedule.kind === 'pull' ? built : refused;

/**
 * The running update, or what went wrong with the last one: one sentence, with the feeds behind a
 * fold.
 */
export function UpdateNotice({
  update,
  builtAt,
  refused = [],
  gap,
  withButton = false,
}: UpdateNoticeProps) {
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
  const feeds = unusedFeeds(update, refused);
  if (isFailed(update, builtAt)) {
    return (
      <Notice
        tone={update.is_offline ? 'plain' : 'bad'}
        title={`${update.is_offline ? 'Public lists cannot be reached from here' : 'The last update failed'}: ${error ?? problem ?? 'the server log has the reason'}`}
      >
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
  if (feeds.length === 0) {
    if (gap === undefined || !mayStart) return null;
    return (
      <Notice title={`Threat ${notKnown(gap)}`}>
        <p>{COST_WORDS}</p>
        {actions}
      </Notice>
    );
  }
  return (
    <Notice
      tone="warn"
      title={`The last update: ${problem ?? `${count(feeds.length, 'feed')} refused`}`}
    >
      <RefusedFeeds refused={feeds} />
      {actions}
    </Notice>
  );
}

/** Feeds whose server asked to wait: until when. */
function PausedFeeds({ paused }: { paused: NonNullable<UpdateState['paused']> }) {
  return (
    <ul className={classes['feeds']}>
      {paused.map(({ id, until }) => (
        <li key={id}>
          <strong>{id}</strong>: its server asked to wait until {exactUtc(until)}.
        </li>
      ))}
    </ul>
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
  const { outcome, version, started_at, finished_at, schedule } = update;
  const verb = schedule.kind === 'pull' ? 'pulled' : 'updated';
  const at = outcome === 'running' ? started_at : finished_at;
  return (
    <Facts
      facts={{
        Schedule:
          schedule.interval_seconds === undefined
            ? 'off'
            : `${verb} every ${duration(schedule.interval_seconds)}`,
        'Last update': (
          <>
            {outcome === 'published' ? `published version ${version}` : OUTCOMES[outcome]}
            {at && (
              <>
                , <Time at={at} />
              </>
            )}
          </>
        ),
      }}
    />
  );
}
