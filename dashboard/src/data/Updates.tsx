/** Dataset updates: the button that starts one, the state of the last one, and the feeds it rejected. */
import { Button } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import type { Refusal } from '@whence/client/wire';
import type { UpdateState } from '@whence/server/dashboard-wire';
import { call, queryClient } from '../api/query-client.ts';
import { Facts } from '../components/Facts.tsx';
import { explainFailure } from '../components/Failures.tsx';
import { Notice } from '../components/Notice.tsx';
import { count } from '../format/number.ts';
import { Time } from '../format/Time.tsx';
import { duration } from '../format/time.ts';

export function UpdateButton({ update }: { update: UpdateState }) {
  const start = useMutation({
    mutationFn: () => call('startUpdate', {}),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['getDataset'] }),
  });
  if (!update.schedule.can_start) return null;
  return (
    <>
      <Button
        leftSection={<IconRefresh size={16} aria-hidden />}
        loading={start.isPending || update.outcome === 'running'}
        onClick={() => start.mutate()}
      >
        Update now
      </Button>
      {start.error !== null && <Notice tone="bad" title={explainFailure(start.error).title} />}
    </>
  );
}

const OUTCOMES: Record<UpdateState['outcome'], string> = {
  never: 'none yet',
  running: 'running',
  published: 'published a new version',
  unchanged: 'no changes found',
  failed: 'failed',
};

export function UpdateFacts({ update }: { update: UpdateState }) {
  const { outcome, started_at, finished_at, succeeded_at, step, error, schedule } = update;
  const verb = schedule.kind === 'pull' ? 'pulled' : 'updated';
  return (
    <Facts
      facts={[
        {
          name: 'Schedule',
          value:
            schedule.interval_seconds === undefined
              ? 'off (WHENCE_UPDATE)'
              : `${verb} every ${duration(schedule.interval_seconds)}`,
        },
        { name: 'Last update', value: OUTCOMES[outcome] },
        ...(outcome === 'running' && step !== undefined ? [{ name: 'Step', value: step }] : []),
        ...(started_at === undefined ? [] : [{ name: 'Started', value: <Time at={started_at} /> }]),
        ...(finished_at === undefined ? [] : [{ name: 'Finished', value: <Time at={finished_at} /> }]),
        ...(succeeded_at === undefined ? [] : [{ name: 'Last success', value: <Time at={succeeded_at} /> }]),
        ...(error === undefined ? [] : [{ name: 'Error', value: error }]),
      ]}
    />
  );
}

/** Feeds whose latest copy was not used, and why. */
export function RejectedFeeds({ rejected }: { rejected: readonly Refusal[] }) {
  if (rejected.length === 0) return null;
  return (
    <Notice tone="warn" title={`The last update rejected ${count(rejected.length, 'feed')}`}>
      <ul>
        {rejected.map(({ id, reason, used }) => (
          <li key={id}>
            <strong>{id}</strong>: {reason}.{' '}
            {used === undefined ? 'No data from it is used.' : `The copy from ${used} is used.`}
          </li>
        ))}
      </ul>
    </Notice>
  );
}
