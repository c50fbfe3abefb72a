import { NativeSelect, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { OneTimeLink, Person } from '@whence/server/dashboard-wire/accounts';
import type { Input } from '@whence/server/dashboard-wire/contract';
import { ROLES, type Role } from '@whence/server/vocabulary';
import { useState } from 'react';
import { call, refresh, useAnswer } from '../api/query-client.ts';
import { QuietButton, TextButton } from '../components/Buttons.tsx';
import { FailureNotice } from '../components/Failures.tsx';
import { Loaded } from '../components/Loaded.tsx';
import { Page, Section } from '../components/Page.tsx';
import { type Column, RowActions, Table } from '../components/Table.tsx';
import { Tag } from '../components/Tag.tsx';
import { ROLE_WORDS } from '../format/names.ts';
import { formatNumber } from '../format/number.ts';
import { ShortTime } from '../format/Time.tsx';
import { useSignedIn } from '../session/use-session.ts';
import { InviteDialog, LinkDialog, OpenLinks } from './OneTimeLinks.tsx';

export function PeoplePage() {
  const [isInviting, setIsInviting] = useState(false);
  const [link, setLink] = useState<{ name: string; link: OneTimeLink }>();
  const people = useAnswer('listPeople', {});
  return (
    <Page
      name="People"
      title="People"
      lead="Viewers look things up, members also have API keys, administrators manage everything."
      actions={<TextButton icon="user-plus" text="Invite" onClick={() => setIsInviting(true)} />}
    >
      <Section title="Accounts">
        <Loaded query={people} lines={6}>
          {({ data }) => (
            <PeopleTable
              people={data.people}
              onLink={(name, made) => setLink({ name, link: made })}
            />
          )}
        </Loaded>
      </Section>
      <OpenLinks />
      {isInviting && <InviteDialog onClose={() => setIsInviting(false)} />}
      {link !== undefined && (
        <LinkDialog
          title={`Password reset link for ${link.name}`}
          about={`Send this link to ${link.name}. The old password works until the link is used.`}
          link={link.link}
          onClose={() => setLink(undefined)}
        />
      )}
    </Page>
  );
}

type PeopleTableProps = {
  people: readonly Person[];
  onLink: (name: string, link: OneTimeLink) => void;
};

function PeopleTable({ people, onLink }: PeopleTableProps) {
  const me = useSignedIn().account.id;
  const change = useMutation({
    mutationFn: ({ id, ...body }: { id: string } & Input<'changePerson'>['body']) =>
      call('changePerson', { params: { id }, body }),
    // Disabling or demoting an account revokes its links.
    onSettled: () => refresh('listPeople', 'listLinks'),
  });
  const reset = useMutation({
    mutationFn: ({ id }: Person) => call('makeResetLink', { params: { id } }),
    onSuccess: ({ data }, { name }) => {
      onLink(name, data);
      void refresh('listLinks');
    },
  });
  const error = change.error ?? reset.error;
  const columns: Column<Person>[] = [
    {
      name: 'Name',
      cell: ({ id, name, is_disabled }) => (
        <>
          {name} {id === me && <Tag tone="accent" text="you" />}{' '}
          {is_disabled && <Tag tone="warn" text="disabled" />}
        </>
      ),
    },
    {
      name: 'Role',
      cell: ({ id, name, role }) => (
        <NativeSelect
          size="xs"
          miw={130}
          aria-label={`Role of ${name}`}
          data={ROLES.map((value) => ({ value, label: ROLE_WORDS[value].name }))}
          value={role}
          onChange={(event) => change.mutate({ id, role: event.currentTarget.value as Role })}
        />
      ),
    },
    {
      name: 'Reports of',
      cell: ({ id, name, allowed_domains }) => (
        <TextInput
          key={allowed_domains.join()}
          size="xs"
          miw={150}
          aria-label={`Domains of ${name}`}
          placeholder="all domains"
          title="example.com with all below it, *.example.com only below; separated by blanks"
          defaultValue={allowed_domains.join(' ')}
          onBlur={({ currentTarget: { value } }) => {
            const domains = value.split(/[\s,]+/).filter((domain) => domain !== '');
            if (domains.join(' ') !== allowed_domains.join(' '))
              change.mutate({ id, allowed_domains: domains });
          }}
        />
      ),
    },
    {
      name: 'Last sign-in',
      cell: ({ last_sign_in_at }) =>
        last_sign_in_at === undefined ? 'never' : <ShortTime at={last_sign_in_at} />,
    },
    { name: 'Keys', align: 'end', cell: ({ active_keys }) => formatNumber(active_keys) },
    {
      name: 'Actions',
      align: 'end',
      cell: (person) => (
        <RowActions>
          {person.has_password && (
            <QuietButton
              size="compact-xs"
              text="Reset password"
              onClick={() => reset.mutate(person)}
            />
          )}
          {person.id !== me && (
            <QuietButton
              size="compact-xs"
              text={person.is_disabled ? 'Enable' : 'Disable'}
              onClick={() => change.mutate({ id: person.id, is_disabled: !person.is_disabled })}
            />
          )}
        </RowActions>
      ),
    },
  ];
  return (
    <>
      <FailureNotice error={error} />
      <Table isStacked label="Accounts" columns={columns} rows={people} rowKey={({ id }) => id} />
    </>
  );
}
