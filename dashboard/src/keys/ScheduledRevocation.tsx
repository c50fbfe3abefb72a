import { useMutation } from '@tanstack/react-query';
import { call } from '../api/query-client.ts';
import { QuietButton } from '../components/Buttons.tsx';
import { FailureNotice } from '../components/Failures.tsx';
import { announce } from '../components/LiveRegion.tsx';
import { Time } from '../format/Time.tsx';
import { refreshKeys } from './refresh-keys.ts';

/** When a key will be revoked, with a button to cancel it. */
export function ScheduledRevocation({ id, at }: { id: string; at: string }) {
  const cancel = useMutation({
    mutationFn: () => call('changeKey', { params: { id }, body: { revoke_in_hours: null } }),
    onSuccess: async () => {
      announce('The revocation was cancelled');
      await refreshKeys();
    },
  });
  return (
    <>
      Will be revoked <Time at={at} isAhead />.{' '}
      <QuietButton
        size="compact-xs"
        text="Cancel the revocation"
        loading={cancel.isPending}
        onClick={() => cancel.mutate()}
      />
      {cancel.error !== null && <FailureNotice error={cancel.error} />}
    </>
  );
}
