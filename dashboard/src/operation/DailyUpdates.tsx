/** Whether public lists are fetched every day, which the set-up page has asked. */
import { Checkbox } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { UpdateState } from '@whence/server/dashboard-wire/dataset';
import { call, refresh, useAnswer } from '../api/query-client.ts';
import { FailureNotice } from '../components/Failures.tsx';
import { Loaded } from '../components/Loaded.tsx';
import { Section } from '../components/Page.tsx';
import { duration } from '../format/time.ts';
import { COST_WORDS } from '../format/update-cost.ts';

export function DailyUpdates() {
  const update = useAnswer('getUpdate', {});
  return (
    <Section
      title="Public lists"
      note="For all machines that share this storage. WHENCE_UPDATE, if it is set, decides instead."
    >
      <Loaded query={update} shape={[['facts']]}>
        {({ data }) => <DailyCheckbox schedule={data.schedule} />}
      </Loaded>
    </Section>
  );
}

function DailyCheckbox({ schedule }: Pick<UpdateState, 'schedule'>) {
  const { kind, interval_seconds, decided_by } = schedule;
  const choose = useMutation({
    mutationFn: (daily: boolean) => call('chooseUpdates', { body: { daily } }),
    onSuccess: () => refresh('getUpdate', 'getDataset', 'getOverview', 'getHealth'),
  });
  if (kind === 'pull') return <p>This server pulls its dataset from another host.</p>;
  if (decided_by === 'setting')
    return (
      <p>
        {interval_seconds === undefined
          ? 'Not fetched: WHENCE_UPDATE is off.'
          : `Fetched every ${duration(interval_seconds)}: WHENCE_UPDATE is set.`}
      </p>
    );
  const isDaily = choose.isPending ? choose.variables : interval_seconds !== undefined;
  return (
    <>
      <FailureNotice error={choose.error} />
      <Checkbox
        label="Fetch public lists every day"
        description={COST_WORDS}
        checked={isDaily}
        onChange={(event) => choose.mutate(event.currentTarget.checked)}
      />
      {decided_by === undefined && <p className="quiet">No choice has been made yet.</p>}
    </>
  );
}
