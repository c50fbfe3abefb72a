import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { LinkKind, LinkState } from '@whence/server/dashboard-wire';
import { type FormEvent, useEffect, useState } from 'react';
import { isFailure } from '../api/failure.ts';
import { call, setSession } from '../api/query-client.ts';
import { CodeBox } from '../copy/CodeBox.tsx';
import { Time } from '../format/Time.tsx';
import { FailureNotice } from '../states/FailureNotice.tsx';
import { Skeleton } from '../states/Skeleton.tsx';
import classes from './Door.module.css';
import { Door } from './Door.tsx';
import { MIN_PASSWORD } from './password-rule.ts';

const TITLES: Record<LinkKind, string> = {
  setup: 'Set up Whence',
  invitation: 'You are invited',
  reset: 'Set a new password',
};
const ACTS: Record<LinkKind, string> = {
  setup: 'Create the first account',
  invitation: 'Create account',
  reset: 'Set password',
};

/** One-time links lead here. The token is in the fragment, which browsers do not send to any server. */
export function SetUp() {
  const [token] = useState(() => window.location.hash.slice(1));
  useEffect(() => {
    document.title = 'Set up · Whence';
  }, []);
  const link = useQuery({
    queryKey: ['checkLink', token],
    queryFn: async () => (await call('checkLink', { body: { token } })).data,
    enabled: token !== '',
    retry: false,
    refetchOnWindowFocus: false,
  });
  if (token === '' || isFailure(link.error, 'LINK_EXPIRED')) return <Expired />;
  if (link.error !== null) {
    return (
      <Door title="The link could not be checked">
        <FailureNotice error={link.error} onRetry={() => void link.refetch()} />
      </Door>
    );
  }
  if (link.data === undefined) {
    return (
      <Door title="One moment">
        <Skeleton lines={3} />
      </Door>
    );
  }
  return <SetUpForm token={token} link={link.data} />;
}

function SetUpForm({ token, link }: { token: string; link: LinkState }) {
  const [name, setName] = useState(link.name ?? '');
  const [password, setPassword] = useState('');
  const navigate = useNavigate();
  const needsName = link.name === undefined;
  const redeem = useMutation({
    mutationFn: () => call('redeemLink', { body: { token, password, ...(needsName ? { name } : {}) } }),
    onSuccess: async ({ data }) => {
      setSession(data);
      await navigate({ to: '/', replace: true });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    redeem.mutate();
  };
  const isNameTaken = isFailure(redeem.error, 'NAME_TAKEN');
  return (
    <Door
      title={TITLES[link.kind]}
      lead={
        <>
          {needsName ? `Choose a name and a password. Your role is ${link.role}.` : `For the account ${link.name}.`} The
          link ends <Time at={link.expires_at} />.
        </>
      }
    >
      <form className={classes['form']} onSubmit={submit}>
        {redeem.error !== null && !isNameTaken && <FailureNotice error={redeem.error} />}
        <TextInput
          label="Name"
          name="username"
          autoComplete="username"
          autoCapitalize="off"
          required
          withAsterisk={false}
          autoFocus={needsName}
          readOnly={!needsName}
          value={name}
          error={isNameTaken ? 'Another account has this name' : undefined}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <PasswordInput
          label="Password"
          description={`At least ${MIN_PASSWORD} characters. Three or four unrelated words are good.`}
          name="new-password"
          autoComplete="new-password"
          required
          withAsterisk={false}
          minLength={MIN_PASSWORD}
          autoFocus={!needsName}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <Button type="submit" loading={redeem.isPending}>
          {ACTS[link.kind]}
        </Button>
      </form>
    </Door>
  );
}

function Expired() {
  return (
    <Door title="This link does not work any more" lead="A link works once, and only for a while.">
      <p>Ask the person who sent it for a new one. For the first account, print one on the machine of the server:</p>
      <CodeBox text="whence user setup-link" label="command" />
    </Door>
  );
}
