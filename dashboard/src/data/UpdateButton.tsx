import { Button } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import type { UpdateState } from '@whence/server/dashboard-wire';
import { call, queryClient } from '../api/query-client.ts';
import { explainFailure } from '../states/explain-failure.ts';
import { Notice } from '../states/Notice.tsx';

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
