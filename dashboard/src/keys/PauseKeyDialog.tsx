import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { KeySummary } from '@whence/server/dashboard-wire/keys';
import { call } from '../api/query-client.ts';
import { Dialog } from '../components/Dialog.tsx';
import { FailureNotice } from '../components/Failures.tsx';
import { announce } from '../components/LiveRegion.tsx';
import { count } from '../format/number.ts';
import classes from './CreateKeyDialog.module.css';
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
    <Dialog onClose={onClose} title={`Pause the key “${name}”`}>
      <div className={classes['form']}>
        {pause.error !== null && <FailureNotice error={pause.error} />}
        <p>
          Requests with this key will be answered with 401 until it is resumed. Last used: <LastUse summary={summary} />
          , {count(quota.used, 'request')} today.
        </p>
        <div className={classes['actions']}>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button data-autofocus onClick={() => pause.mutate()} loading={pause.isPending}>
            Pause key
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
