import { Checkbox, PasswordInput, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { LinkKind, LinkState } from '@whence/server/dashboard-wire/accounts';
import { MIN_PASSWORD_CHARACTERS } from '@whence/server/vocabulary';
import { useEffect, useState } from 'react';
import { isFailure } from '../api/call.ts';
import { call, setSession } from '../api/query-client.ts';
import { TextButton } from '../components/Buttons.tsx';
import { Form } from '../components/Form.tsx';
import { Loaded } from '../components/Loaded.tsx';
import { Time } from '../format/Time.tsx';
import { COST_WORDS } from '../format/update-cost.ts';
import { SetupLinkCommand, SignedOutLayout } from './SignedOutLayout.tsx';

const WORDS: Record<LinkKind, { title: string; action: string }> = {
  setup: { title: 'Set up Whence', action: 'Create the first account' },
  invitation: { title: 'You have been invited', action: 'Create account' },
  reset: { title: 'Set a new password', action: 'Set password' },
};

/**
 * One-time links lead here. The token is in the fragment, which browsers do not send to any server.
 */
export function SetUpPage() {
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
  if (link.data !== undefined) return <SetUpForm token={token} link={link.data} />;
  return (
    <SignedOutLayout title="Checking the link">
      <Loaded query={link} lines={3}>
        {() => null}
      </Loaded>
    </SignedOutLayout>
  );
}

function SetUpForm({ token, link }: { token: string; link: LinkState }) {
  const [name, setName] = useState(link.name ?? '');
  const [password, setPassword] = useState('');
  const [isDaily, setIsDaily] = useState(true);
  const navigate = useNavigate();
  const needsName = link.name === undefined;
  const redeem = useMutation({
    mutationFn: () =>
      call('redeemLink', { body: { token, password, ...(needsName ? { name } : {}) } }),
    onSuccess: async ({ data }) => {
      setSession(data);
      // If it is not stored, the overview still offers the lists.
      if (link.asks_for_updates)
        await call('chooseUpdates', { body: { daily: isDaily } }).catch(() => {});
      await navigate({ to: '/', replace: true });
    },
  });
  const isNameTaken = isFailure(redeem.error, 'NAME_TAKEN');
  return (
    <SignedOutLayout
      title={WORDS[link.kind].title}
      lead={
        <>
          {needsName
            ? `Choose a name and a password. Your role is ${link.role}.`
            : `For the account ${link.name}.`}{' '}
          The link expires <Time at={link.expires_at} isAhead />.
        </>
      }
    >
      <Form mutation={redeem} error={isNameTaken ? null : redeem.error}>
        <TextInput
          label="Name"
          name="username"
          autoComplete="username"
          autoCapitalize="off"
          required
          autoFocus={needsName}
          readOnly={!needsName}
          value={name}
          error={isNameTaken ? 'This name is already taken' : undefined}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <PasswordInput
          label="Password"
          description={`At least ${MIN_PASSWORD_CHARACTERS} characters. Three or four unrelated words make a good password.`}
          name="new-password"
          autoComplete="new-password"
          required
          minLength={MIN_PASSWORD_CHARACTERS}
          autoFocus={!needsName}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        {link.asks_for_updates && (
          <Checkbox
            label="Fetch public lists every day"
            description={`Without them a threat is not known. ${COST_WORDS}`}
            checked={isDaily}
            onChange={(event) => setIsDaily(event.currentTarget.checked)}
          />
        )}
        <TextButton type="submit" text={WORDS[link.kind].action} loading={redeem.isPending} />
      </Form>
    </SignedOutLayout>
  );
}

function Expired() {
  return (
    <SignedOutLayout
      title="This link is no longer valid"
      lead="A link works once and expires after a while."
    >
      <p>Ask the sender for a new one. For the first account, print a new link on the server:</p>
      <SetupLinkCommand />
    </SignedOutLayout>
  );
}
