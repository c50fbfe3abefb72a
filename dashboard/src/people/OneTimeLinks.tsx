/**
 * One-time links: those that are open, the dialog that creates an invitation, and the dialog that
 * shows a link once.
 */
import { Radio, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { OneTimeLink } from '@whence/server/dashboard-wire/accounts';
import { ROLES, type Role } from '@whence/server/vocabulary';
import { useState } from 'react';
import { call, refresh, useAnswer } from '../api/query-client.ts';
import { QuietButton, TextButton } from '../components/Buttons.tsx';
import { CodeBlock } from '../components/Copy.tsx';
import { Dialog } from '../components/Dialog.tsx';
import { FailureNotice } from '../components/Failures.tsx';
import { DialogBody, FormDialog } from '../components/Form.tsx';
import { Loaded } from '../components/Loaded.tsx';
import { Empty } from '../components/Notice.tsx';
import { Section } from '../components/Page.tsx';
import { Table } from '../components/Table.tsx';
import { ROLE_WORDS } from '../format/names.ts';
import { Time } from '../format/Time.tsx';
import classes from './OneTimeLinks.module.css';

const KIND_WORDS = { setup: 'Set-up', invitation: 'Invitation', reset: 'Password reset' } as const;

export function OpenLinks() {
  const links = useAnswer('listLinks', {});
  const revoke = useMutation({
    mutationFn: (id: string) => call('revokeLink', { params: { id } }),
    onSettled: () => refresh('listLinks'),
  });
  return (
    <Section title="Open links">
      <FailureNotice error={revoke.error} />
      <Loaded query={links} lines={2}>
        {({ data }) =>
          data.links.length === 0 ? (
            <Empty title="No open links">
              <p>
                Invitations and password reset links are shown here until they are used, expire or
                are revoked. Disabling or demoting an administrator revokes the links that the
                account has created.
              </p>
            </Empty>
          ) : (
            <Table
              isStacked
              label="Open links"
              rows={data.links}
              rowKey={({ id }) => id}
              columns={[
                { name: 'Kind', cell: ({ kind }) => KIND_WORDS[kind] },
                {
                  name: 'For',
                  cell: ({ account, note }) =>
                    account ?? note ?? <span className="quiet">no note</span>,
                },
                { name: 'Role', cell: ({ role }) => role },
                { name: 'Created by', cell: ({ created_by }) => created_by },
                { name: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
                { name: 'Expires', cell: ({ expires_at }) => <Time at={expires_at} isAhead /> },
                {
                  name: 'Action',
                  align: 'end',
                  cell: ({ id, kind, account, note }) => (
                    <QuietButton
                      size="compact-xs"
                      text="Revoke"
                      aria-label={`Revoke link: ${KIND_WORDS[kind]}${account === undefined && note === undefined ? '' : ` for ${account ?? note}`}`}
                      loading={revoke.isPending && revoke.variables === id}
                      onClick={() => revoke.mutate(id)}
                    />
                  ),
                },
              ]}
            />
          )
        }
      </Loaded>
    </Section>
  );
}

export function InviteDialog({ onClose }: { onClose: () => void }) {
  const [role, setRole] = useState<Role>('member');
  const [note, setNote] = useState('');
  const [link, setLink] = useState<OneTimeLink>();
  const invite = useMutation({
    mutationFn: () =>
      call('invite', { body: { role, ...(note.trim() === '' ? {} : { note: note.trim() }) } }),
    onSuccess: ({ data }) => {
      setLink(data.link);
      void refresh('listLinks');
    },
  });
  if (link !== undefined) {
    return (
      <LinkDialog
        title="Invitation link"
        about="Send this link to the person."
        link={link}
        onClose={onClose}
      />
    );
  }
  return (
    <FormDialog
      title="Invite a person"
      mutation={invite}
      action="Create invitation"
      onClose={onClose}
    >
      <TextInput
        label="Recipient"
        description="Optional. Shown in the list of open links."
        maxLength={100}
        data-autofocus
        value={note}
        onChange={(event) => setNote(event.currentTarget.value)}
      />
      <Radio.Group label="Role" value={role} onChange={(value) => setRole(value as Role)}>
        <div className={classes['roles']}>
          {ROLES.map((value) => (
            <Radio
              key={value}
              value={value}
              label={ROLE_WORDS[value].name}
              description={ROLE_WORDS[value].about}
            />
          ))}
        </div>
      </Radio.Group>
    </FormDialog>
  );
}

type LinkDialogProps = { title: string; about: string; link: OneTimeLink; onClose: () => void };

/** A one-time link, shown once. */
export function LinkDialog({ title, about, link, onClose }: LinkDialogProps) {
  return (
    <Dialog onClose={onClose} title={title} size="lg" closeOnClickOutside={false}>
      <DialogBody buttons={<TextButton text="Done" onClick={onClose} />}>
        <p>
          {about} It works once and expires <Time at={link.expires_at} isAhead />. It is not shown
          again.
        </p>
        <CodeBlock text={`${window.location.origin}${link.path}`} label="link" />
      </DialogBody>
    </Dialog>
  );
}
