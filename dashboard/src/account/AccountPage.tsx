import { PasswordInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { OpenSession } from '@whence/server/dashboard-wire/accounts';
import { MIN_PASSWORD_CHARACTERS } from '@whence/server/vocabulary';
import { useState } from 'react';
import { isFailure } from '../api/call.ts';
import { call, refresh, setSession, useAnswer } from '../api/query-client.ts';
import { QuietButton, TextButton } from '../components/Buttons.tsx';
import { Facts } from '../components/Facts.tsx';
import { FailureNotice } from '../components/Failures.tsx';
import { Form } from '../components/Form.tsx';
import { Loaded } from '../components/Loaded.tsx';
import { Notice } from '../components/Notice.tsx';
import { Page, Section } from '../components/Page.tsx';
import { type Column, Table } from '../components/Table.tsx';
import { Tag } from '../components/Tag.tsx';
import { ROLE_WORDS } from '../format/names.ts';
import { formatNumber } from '../format/number.ts';
import { Time } from '../format/Time.tsx';
import { forgetSession, useSignedIn } from '../session/use-session.ts';
import classes from './AccountPage.module.css';

export function AccountPage() {
  const { account, has_password, lookups_per_day, expires_at } = useSignedIn();
  const role = ROLE_WORDS[account.role];
  const endAll = useMutation({
    mutationFn: () => call('endAllSessions', {}),
    onSuccess: forgetSession,
  });
  return (
    <Page name="Account" title={account.name} lead={`Your role is ${role.name} (${role.about}).`}>
      <Section title="Account">
        <Facts
          facts={{
            Created: <Time at={account.created_at} />,
            Lookups: `up to ${formatNumber(lookups_per_day)} a day in the dashboard`,
            'This session': (
              <>
                expires <Time at={expires_at} isAhead /> at the latest
              </>
            ),
          }}
        />
      </Section>
      <Section title="Password">
        {has_password ? (
          <div className={classes['form']}>
            <PasswordForm />
          </div>
        ) : (
          <p className="quiet">
            You sign in through your identity provider, which manages your password.
          </p>
        )}
      </Section>
      <Section
        title="Where you are signed in"
        aside={
          <QuietButton
            text="Sign out everywhere"
            loading={endAll.isPending}
            onClick={() => endAll.mutate()}
          />
        }
      >
        <FailureNotice error={endAll.error} />
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
    mutationFn: () =>
      call('changePassword', { body: { current_password: current, new_password: next } }),
    onSuccess: ({ data }) => {
      setSession(data);
      setCurrent('');
      setNext('');
      void refresh('listSessions');
    },
  });
  const isWrong = isFailure(change.error, 'INVALID_CREDENTIALS');
  return (
    <Form mutation={change} error={isWrong ? null : change.error}>
      {/* Password managers look for a user name next to the password. */}
      <input
        type="text"
        name="username"
        autoComplete="username"
        value={account.name}
        readOnly
        hidden
      />
      {change.isSuccess && (
        <Notice tone="good" title="Password changed. All other sessions were signed out." />
      )}
      <PasswordInput
        label="Current password"
        autoComplete="current-password"
        required
        error={isWrong ? 'Wrong password' : undefined}
        value={current}
        onChange={(event) => setCurrent(event.currentTarget.value)}
      />
      <PasswordInput
        label="New password"
        description={`At least ${MIN_PASSWORD_CHARACTERS} characters`}
        autoComplete="new-password"
        required
        minLength={MIN_PASSWORD_CHARACTERS}
        value={next}
        onChange={(event) => setNext(event.currentTarget.value)}
      />
      <div>
        <TextButton type="submit" text="Change password" loading={change.isPending} />
      </div>
    </Form>
  );
}

function SessionTable() {
  const sessions = useAnswer('listSessions', {});
  const end = useMutation({
    mutationFn: (id: string) => call('endSession', { params: { id } }),
    onSuccess: () => refresh('listSessions'),
  });
  const columns: Column<OpenSession>[] = [
    {
      name: 'Browser',
      cell: ({ user_agent }) => <span title={user_agent}>{browserName(user_agent)}</span>,
    },
    { name: 'Address', cell: ({ address }) => <span className="mono">{address}</span> },
    { name: 'Signed in', cell: ({ created_at }) => <Time at={created_at} /> },
    { name: 'Last seen', cell: ({ last_seen_at }) => <Time at={last_seen_at} /> },
    {
      name: 'Action',
      align: 'end',
      cell: ({ id, is_current }) =>
        is_current ? (
          <Tag tone="accent" text="this session" />
        ) : (
          <QuietButton size="compact-xs" text="Sign out" onClick={() => end.mutate(id)} />
        ),
    },
  ];
  return (
    <>
      <FailureNotice error={end.error} />
      <Loaded query={sessions} lines={3}>
        {({ data }) => (
          <Table
            isStacked
            label="Open sessions"
            columns={columns}
            rows={data.sessions}
            rowKey={({ id }) => id}
          />
        )}
      </Loaded>
    </>
  );
}

/**
 * Patterns of the User-Agent header. The order matters, because browsers also name other browsers.
 */
const BROWSERS = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/Chrom(?:e|ium)\//, 'Chrome'],
  [/Safari\//, 'Safari'],
  [/^curl\//, 'curl'],
] as const;
const SYSTEMS = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux|X11/, 'Linux'],
] as const;

function browserName(userAgent: string): string {
  const browser = BROWSERS.find(([pattern]) => pattern.test(userAgent))?.[1];
  const system = SYSTEMS.find(([pattern]) => pattern.test(userAgent))?.[1];
  if (browser === undefined) return userAgent.slice(0, 40) || 'unknown';
  return system === undefined ? browser : `${browser} on ${system}`;
}
