import { Button, NativeSelect } from '@mantine/core';
import { IconUserPlus } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { OneTimeLink, Person, Role } from '@whence/server/dashboard-wire';
import { useState } from 'react';
import { answerQuery, call, queryClient } from '../api/query-client.ts';
import { formatNumber } from '../format/number.ts';
import { Time } from '../format/Time.tsx';
import { Page } from '../parts/Page.tsx';
import { Section } from '../parts/Section.tsx';
import { type Column, Table } from '../parts/Table.tsx';
import { Tag } from '../parts/Tag.tsx';
import { useSignedIn } from '../session/use-account.ts';
import { FailureNotice } from '../states/FailureNotice.tsx';
import { Loaded } from '../states/Loaded.tsx';
import { Invitations } from './Invitations.tsx';
import { InviteDialog } from './InviteDialog.tsx';
import { LinkDialog } from './LinkDialog.tsx';
import classes from './PeoplePage.module.css';

export const ROLES: readonly { readonly value: Role; readonly label: string }[] = [
  { value: 'viewer', label: 'viewer' },
  { value: 'member', label: 'member' },
  { value: 'admin', label: 'administrator' },
];

export function PeoplePage() {
  const [isInviting, setIsInviting] = useState(false);
  const [link, setLink] = useState<{ name: string; link: OneTimeLink }>();
  const people = useQuery(answerQuery('listPeople', {}));
  return (
    <Page
      name="People"
      title="People"
      lead="A viewer looks things up, a member also has keys, an administrator may do everything."
      actions={
        <Button leftSection={<IconUserPlus size={16} aria-hidden />} onClick={() => setIsInviting(true)}>
          Invite
        </Button>
      }
    >
      <Section title="Accounts">
        <Loaded query={people} lines={6}>
          {({ data }) => <PeopleTable people={data.people} onLink={(name, made) => setLink({ name, link: made })} />}
        </Loaded>
      </Section>
      <Invitations />
      {isInviting && <InviteDialog onClose={() => setIsInviting(false)} />}
      {link !== undefined && (
        <LinkDialog
          title={`A new password for ${link.name}`}
          about={`Send this link to ${link.name}. The old password works until the link is used.`}
          link={link.link}
          onClose={() => setLink(undefined)}
        />
      )}
    </Page>
  );
}

type PeopleTableProps = { people: readonly Person[]; onLink: (name: string, link: OneTimeLink) => void };

function PeopleTable({ people, onLink }: PeopleTableProps) {
  const me = useSignedIn().account.id;
  const change = useMutation({
    mutationFn: ({ id, ...body }: { id: string; role?: Role; is_disabled?: boolean }) =>
      call('changePerson', { params: { id }, body }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['listPeople'] }),
  });
  const reset = useMutation({
    mutationFn: ({ id }: Person) => call('makeResetLink', { params: { id } }),
    onSuccess: ({ data }, { name }) => onLink(name, data),
  });
  const error = change.error ?? reset.error;
  const columns: Column<Person>[] = [
    {
      name: 'Name',
      cell: ({ id, name, is_disabled }) => (
        <>
          {name} {id === me && <Tag tone="accent">you</Tag>} {is_disabled && <Tag tone="warn">disabled</Tag>}
        </>
      ),
    },
    {
      name: 'Role',
      cell: ({ id, name, role }) => (
        <NativeSelect
          size="xs"
          miw={140}
          aria-label={`Role of ${name}`}
          data={[...ROLES]}
          value={role}
          onChange={(event) => change.mutate({ id, role: event.currentTarget.value as Role })}
        />
      ),
    },
    {
      name: 'Last sign-in',
      cell: ({ last_sign_in_at }) => (last_sign_in_at === undefined ? 'never' : <Time at={last_sign_in_at} />),
    },
    { name: 'Active keys', align: 'end', cell: ({ active_keys }) => formatNumber(active_keys) },
    { name: 'Joined', cell: ({ created_at }) => <Time at={created_at} /> },
    {
      name: 'Actions',
      align: 'end',
      cell: (person) => (
        <div className={classes['actions']}>
          {person.has_password && (
            <Button size="compact-xs" variant="default" onClick={() => reset.mutate(person)}>
              Reset password
            </Button>
          )}
          {person.id !== me && (
            <Button
              size="compact-xs"
              variant="default"
              onClick={() => change.mutate({ id: person.id, is_disabled: !person.is_disabled })}
            >
              {person.is_disabled ? 'Enable' : 'Disable'}
            </Button>
          )}
        </div>
      ),
    },
  ];
  return (
    <>
      {error !== null && <FailureNotice error={error} />}
      <Table isStacked label="Accounts" columns={columns} rows={people} rowKey={({ id }) => id} />
    </>
  );
}
