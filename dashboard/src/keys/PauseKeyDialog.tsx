import { useMutation } from '@tanstack/react-query';
import type { KeySummary } from '@whence/server/dashboard-wire/keys';
import { call } from '../api/query-client.ts';
import { FormDialog } from '../components/Form.tsx';
import { announce } from '../components/LiveRegion.tsx';
import { count } from '../format/number.ts';
import { LastUse } from './KeyState.tsx';
import { refreshKeys } from './refresh-keys.ts';

/** Clients notice at once, so their last use is shown before. */
export function PauseKeyDialog({ summary, onClose }: { summary: KeySummary; onClose: () => void }) {
  const { id, name, quota } = summary;
  const pause = useMutation({
    mutationFn: () => call('pauseKey', { params: { id } }),
    onSuccess: async () => {
      announce(`The key ${name} is paused`);
      await refreshKeys();
      onClose();
    },
  });
  return (
    <FormDialog title={`Pause the key “${name}”`} mutation={pause} action="Pause key" isFocused onClose={onClose}>
      <p>
        Requests with this key will be answered with 401 until it is resumed. Last used: <LastUse summary={summary} />,{' '}
        {count(quota.used, 'request')} today.
      </p>
    </FormDialog>
  );
}
