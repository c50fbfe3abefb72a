import { Button, Radio, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { OneTimeLink, Role } from '@whence/server/dashboard-wire';
import { type FormEvent, useState } from 'react';
import { call, queryClient } from '../api/query-client.ts';
import { Dialog } from '../parts/Dialog.tsx';
import { FailureNotice } from '../states/FailureNotice.tsx';
import { LinkDialog } from './LinkDialog.tsx';
import classes from './PeoplePage.module.css';

const ABOUT: Record<Role, string> = {
  viewer: 'looks up addresses, networks and domains',
  member: 'also creates and revokes keys of their own',
  admin: 'everything: all keys, people, data',
};

export function InviteDialog({ onClose }: { onClose: () => void }) {
  const [role, setRole] = useState<Role>('member');
  const [note, setNote] = useState('');
  const [link, setLink] = useState<OneTimeLink>();
  const invite = useMutation({
    mutationFn: () => call('invite', { body: { role, ...(note.trim() === '' ? {} : { note: note.trim() }) } }),
    onSuccess: ({ data }) => {
      setLink(data.link);
      void queryClient.invalidateQueries({ queryKey: ['listInvitations'] });
    },
  });
  if (link !== undefined) {
    return <LinkDialog title="The invitation" about="Send this link to the person." link={link} onClose={onClose} />;
  }
  const submit = (event: FormEvent) => {
    event.preventDefault();
    invite.mutate();
  };
  return (
    <Dialog onClose={onClose} title="Invite a person">
      <form className={classes['form']} onSubmit={submit}>
        {invite.error !== null && <FailureNotice error={invite.error} />}
        <TextInput
          label="For whom"
          description="A note for the list of invitations; optional."
          maxLength={100}
          data-autofocus
          value={note}
          onChange={(event) => setNote(event.currentTarget.value)}
        />
        <Radio.Group label="Role" value={role} onChange={(value) => setRole(value as Role)}>
          <div className={classes['form']}>
            {(['viewer', 'member', 'admin'] as const).map((value) => (
              <Radio key={value} value={value} label={value} description={ABOUT[value]} />
            ))}
          </div>
        </Radio.Group>
        <div className={classes['buttons']}>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={invite.isPending}>
            Make invitation
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
