import { Button } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { Dialog } from '../parts/Dialog.tsx';
import classes from './CreateKeyDialog.module.css';

/** Asks before a page is left, by a link or by Back, on which a key is shown that was not copied. */
export function LeaveGuard({ isOn }: { isOn: boolean }) {
  const blocker = useBlocker({ shouldBlockFn: () => isOn, enableBeforeUnload: isOn, withResolver: true });
  if (blocker.status !== 'blocked') return null;
  return (
    <Dialog onClose={blocker.reset} title="Leave without the key?">
      <div className={classes['form']}>
        <p>The key was not copied. It cannot be shown again: without a copy, revoke it and create another.</p>
        <div className={classes['actions']}>
          <Button variant="default" onClick={blocker.proceed}>
            Leave without copying
          </Button>
          <Button data-autofocus onClick={blocker.reset}>
            Stay
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
