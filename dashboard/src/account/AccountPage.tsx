import { Button, PasswordInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { MIN_PASSWORD_CHARACTERS } from '@whence/server/vocabulary';
import { type FormEvent, useState } from 'react';
import { isFailure } from '../api/call.ts';
import { call, queryClient, setSession } from '../api/query-client.ts';
import { Facts } from '../components/Facts.tsx';
import { FailureNotice } from '../components/Failures.tsx';
import { Notice } from '../components/Notice.tsx';
import { Page, Section } from '../components/Page.tsx';
import { ROLE_WORDS } from '../format/names.ts';
import { formatNumber } from '../format/number.ts';
import { Time } from '../format/Time.tsx';
import { forgetSession, useSignedIn } from '../session/use-session.ts';
import classes from './AccountPage.module.css';
import { SessionTable } from './SessionTable.tsx';

export function AccountPage() {
  const { account, has_password, lookups_per_day, expires_at } = useSignedIn();
  const role = ROLE_WORDS[account.role];
  const endAll = useMutation({ mutationFn: () => call('endAllSessions', {}), onSuccess: forgetSession });
  return (
    <Page name="Account" title={account.name}>
      <Section title="Account">
        <Facts
          facts={[
            { name: 'Role', value: `${role.name}: ${role.about}` },
            { name: 'Created', value: <Time at={account.created_at} /> },
            { name: 'Lookups', value: `up to ${formatNumber(lookups_per_day)} a day in the dashboard` },
            {
              name: 'This session',
              value: (
                <>
                  expires <Time at={expires_at} /> at the latest
                </>
              ),
            },
          ]}
        />
      </Section>
      <Section title="Password">
        {has_password ? (
          <PasswordForm />
        ) : (
          <p className="quiet">You sign in through your identity provider, which manages your password.</p>
        )}
      </Section>
      <Section
        title="Where you are signed in"
        aside={
          <Button variant="default" size="xs" loading={endAll.isPending} onClick={() => endAll.mutate()}>
            Sign out everywhere
          </Button>
        }
      >
        {endAll.error !== null && <FailureNotice error={endAll.error} />}
        <SessionTable />
      </Section>
    </Page>
  );
}

function PasswordForm() {
  const { account } = useSignedIn();
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const change = useMutation({
    mutationFn: () => call('changePassword', { body: { current_password: current, new_password: next } }),
    onSuccess: ({ data }) => {
      setSession(data);
      setCurrent('');
      setNext('');
      void queryClient.invalidateQueries({ queryKey: ['listSessions'] });
    },
  });
  const isWrong = isFailure(change.error, 'INVALID_CREDENTIALS');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate();
  };
  return (
    <form className={classes['form']} onSubmit={submit}>
      {/* Password managers look for a user name next to the password. */}
      <input type="text" name="username" autoComplete="username" value={account.name} readOnly hidden />
      {change.isSuccess && <Notice tone="good" title="Password changed. All other sessions were signed out." />}
      {change.error !== null && !isWrong && <FailureNotice error={change.error} />}
      <PasswordInput
        label="Current password"
        autoComplete="current-password"
        required
        withAsterisk={false}
        error={isWrong ? 'Wrong password' : undefined}
        value={current}
        onChange={(event) => setCurrent(event.currentTarget.value)}
      />
      <PasswordInput
        label="New password"
        description={`At least ${MIN_PASSWORD_CHARACTERS} characters`}
        autoComplete="new-password"
        required
        withAsterisk={false}
        minLength={MIN_PASSWORD_CHARACTERS}
        value={next}
        onChange={(event) => setNext(event.currentTarget.value)}
      />
      <div>
        <Button type="submit" loading={change.isPending}>
          Change password
        </Button>
      </div>
    </form>
  );
}
