import { Button } from '@mantine/core';
import type { OneTimeLink } from '@whence/server/dashboard-wire';
import { CodeBox } from '../copy/CodeBox.tsx';
import { Time } from '../format/Time.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import classes from './PeoplePage.module.css';

type LinkDialogProps = { title: string; about: string; link: OneTimeLink; onClose: () => void };

/** A one-time link, shown once. */
export function LinkDialog({ title, about, link, onClose }: LinkDialogProps) {
  return (
    <Dialog onClose={onClose} title={title} size="lg" closeOnClickOutside={false}>
      <div className={classes['form']}>
        <p>
          {about} It works once and ends <Time at={link.expires_at} />. It is not shown again.
        </p>
        <CodeBox text={`${window.location.origin}${link.path}`} label="link" />
        <div className={classes['buttons']}>
          <Button onClick={onClose}>Done</Button>
        </div>
      </div>
    </Dialog>
  );
}
