import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ProviderFailure, SignedOut } from '@whence/server/dashboard-wire';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { isFailure } from '../api/failure.ts';
import { call, setSession } from '../api/query-client.ts';
import { CodeBox } from '../copy/CodeBox.tsx';
import { FailureNotice } from '../states/FailureNotice.tsx';
import { Notice } from '../states/Notice.tsx';
import classes from './Door.module.css';
import { Door } from './Door.tsx';

/** Shown at the address that was asked for: after signing in, that page is there. */
export function SignIn({ session }: { session: SignedOut }) {
  if (!session.has_accounts) return <NoAccounts />;
  return (
    <Door title="Sign in">
      <ProviderNotice />
      <SignInForm />
      {session.provider !== undefined && (
        <Button
          component="a"
          href={`${session.provider.path}?to=${encodeURIComponent(here())}`}
          variant="default"
          fullWidth
        >
          Sign in with {session.provider.label}
        </Button>
      )}
    </Door>
  );
}

/** The page that was asked for. */
function here(): string {
  const { pathname, search } = window.location;
  return pathname === '/sign-in' ? '/' : pathname + search;
}

const PROVIDER_FAILURES: ReadonlyMap<string, string> = new Map<ProviderFailure, string>([
  ['unreachable', 'The provider does not answer. Try again, or sign in with a password.'],
  ['failed', 'The provider did not confirm who you are. Try again.'],
  ['disabled', 'The account is disabled. An administrator can enable it.'],
]);

function ProviderNotice() {
  const text = PROVIDER_FAILURES.get(new URLSearchParams(window.location.search).get('failure') ?? '');
  if (text === undefined) return null;
  return (
    <Notice tone="bad" title="You are not signed in">
      <p>{text}</p>
    </Notice>
  );
}

function SignInForm() {
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const passwordInput = useRef<HTMLInputElement>(null);
  const signIn = useMutation({
    mutationFn: () => call('signIn', { body: { name, password } }),
    onSuccess: ({ data }) => setSession(data),
    onError: () => passwordInput.current?.select(),
  });
  useEffect(() => {
    document.title = 'Sign in · Whence';
  }, []);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    signIn.mutate();
  };
  return (
    <form className={classes['form']} onSubmit={submit}>
      {isFailure(signIn.error, 'INVALID_CREDENTIALS') ? (
        <Notice tone="bad" title="Wrong name or password">
          <p>An administrator can make a link to set a new password, also with whence user reset-password.</p>
        </Notice>
      ) : (
        signIn.error !== null && <FailureNotice error={signIn.error} />
      )}
      <TextInput
        label="Name"
        name="username"
        autoComplete="username"
        autoCapitalize="off"
        autoFocus
        required
        withAsterisk={false}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <PasswordInput
        ref={passwordInput}
        label="Password"
        name="password"
        autoComplete="current-password"
        required
        withAsterisk={false}
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
      />
      <Button type="submit" loading={signIn.isPending}>
        Sign in
      </Button>
    </form>
  );
}

function NoAccounts() {
  return (
    <Door
      title="Set up Whence"
      lead="There is no account yet. The first one is made with a link that the server prints."
    >
      <p>Open the link from the log of the first start, or print a new one on the machine of the server:</p>
      <CodeBox text="whence user setup-link" label="command" />
      <p className="quiet">It works once, for 24 hours.</p>
    </Door>
  );
}
