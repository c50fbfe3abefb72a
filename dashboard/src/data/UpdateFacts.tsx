import type { UpdateState } from '@whence/server/dashboard-wire';
import { Time } from '../format/Time.tsx';
import { duration } from '../format/time.ts';
import { Facts } from '../parts/Facts.tsx';

const OUTCOMES: Record<UpdateState['outcome'], string> = {
  never: 'there was none yet',
  running: 'running',
  published: 'published a new version',
  unchanged: 'found nothing new',
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
              ? 'off: nothing happens by itself (WHENCE_UPDATE)'
              : `${verb} every ${duration(schedule.interval_seconds)}`,
        },
        { name: 'Last update', value: OUTCOMES[outcome] },
        ...(outcome === 'running' && step !== undefined ? [{ name: 'Now', value: step }] : []),
        ...(started_at === undefined ? [] : [{ name: 'Started', value: <Time at={started_at} /> }]),
        ...(finished_at === undefined ? [] : [{ name: 'Finished', value: <Time at={finished_at} /> }]),
        ...(succeeded_at === undefined ? [] : [{ name: 'Last success', value: <Time at={succeeded_at} /> }]),
        ...(error === undefined ? [] : [{ name: 'Error', value: error }]),
      ]}
    />
  );
}
