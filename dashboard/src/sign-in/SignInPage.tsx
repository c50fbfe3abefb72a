import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { SignedOut } from '@whence/server/dashboard-wire/accounts';
import type { ProviderFailure } from '@whence/server/dashboard-wire/contract';
import { useEffect, useRef, useState } from 'react';
import { isFailure } from '../api/call.ts';
import { call, sessionQuery, setSession } from '../api/query-client.ts';
import { TextButton } from '../components/Buttons.tsx';
import { Dialog } from '../components/Dialog.tsx';
import { Form } from '../components/Form.tsx';
import { Notice } from '../components/Notice.tsx';
import { SetupLinkCommand, SignedOutLayout } from './SignedOutLayout.tsx';
import classes from './SignInPage.module.css';

/** Shown at the requested address, so that signing in leads to the requested page. */
export function SignInPage({ session }: { session: SignedOut }) {
  if (!session.has_accounts) return <NoAccounts />;
  return (
    <SignedOutLayout title="Sign in">
      <ProviderNotice />
      <SignInForm />
      {session.provider !== undefined && (
        <Button
          component="a"
          href={`${session.provider.path}?to=${encodeURIComponent(requestedPath())}`}
          variant="default"
          fullWidth
        >
          Sign in with {session.provider.label}
        </Button>
      )}
    </SignedOutLayout>
  );
}

const SESSION_CHECK_MS = 3_000;

type ExpiredSessionProps = { session: SignedOut; name: string };

/**
 * Above the page that was open when the session ended. It cannot be closed: the page behind it
 * would only fail.
 */
export function ExpiredSession({ session: { provider }, name }: ExpiredSessionProps) {
  // Signing in through the provider happens in another tab.
  useQuery({ ...sessionQuery, refetchInterval: provider === undefined ? false : SESSION_CHECK_MS });
  return (
    <Dialog
      title="Your session has expired"
      zIndex={1000}
      onClose={() => undefined}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
    >
      <div className={classes['form']}>
        <p>Sign in again to continue. The page keeps what you have entered.</p>
        <SignInForm knownName={name} isTitled={false} />
        {provider !== undefined && (
          // In another tab, because this one would lose the page.
          <Button
            component="a"
            href={`${provider.path}?to=%2F`}
            target="_blank"
            variant="default"
            fullWidth
          >
            Sign in with {provider.label} in another tab
          </Button>
        )}
      </div>
    </Dialog>
  );
}

function requestedPath(): string {
  const { pathname, search } = window.location;
  return pathname === '/sign-in' ? '/' : pathname + search;
}

const PROVIDER_FAILURES: ReadonlyMap<string, string> = new Map<ProviderFailure, string>([
  [
    'unreachable',
    'The identity provider is not responding. Try again, or sign in with a password.',
  ],
  ['failed', 'The identity provider did not confirm your identity. Try again.'],
  [
    'name_taken',
    'Another account has your name. If it is yours, sign in with its password; otherwise ask an administrator.',
  ],
  ['disabled', 'This account is disabled. Ask an administrator to enable it.'],
]);

function ProviderNotice() {
  const text = PROVIDER_FAILURES.get(
    new URLSearchParams(window.location.search).get('failure') ?? '',
  );
  if (text === undefined) return null;
  return (
    <Notice tone="bad" title="Sign-in failed">
      <p>{text}</p>
    </Notice>
  );
}

type SignInFormProps = { knownName?: string; isTitled?: boolean };

function SignInForm({ knownName = '', isTitled = true }: SignInFormProps) {
  const [name, setName] = useState(knownName);
  const [password, setPassword] = useState('');
  const passwordInput = useRef<HTMLInputElement>(null);
  const signIn = useMutation({
    mutationFn: () => call('signIn', { body: { name, password } }),
    onSuccess: ({ data }) => setSession(data),
    onError: () => passwordInput.current?.select(),
  });
  useEffect(() => {
    if (isTitled) document.title = 'Sign in · Whence';
  }, [isTitled]);
  const isWrong = isFailure(signIn.error, 'INVALID_CREDENTIALS');
  return (
    <Form mutation={signIn} error={isWrong ? null : signIn.error}>
      {isWrong && (
        <Notice tone="bad" title="Wrong name or password">
          <p>
            An administrator can create a password reset link, here or with wh user reset-password.
          </p>
        </Notice>
      )}
      <TextInput
        label="Name"
        name="username"
        autoComplete="username"
        autoCapitalize="off"
        autoFocus={knownName === ''}
        required
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <PasswordInput
        ref={passwordInput}
        label="Password"
        name="password"
        autoComplete="current-password"
        autoFocus={knownName !== ''}
        required
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
      />
      <TextButton type="submit" text="Sign in" loading={signIn.isPending} />
    </Form>
  );
}

function NoAccounts() {
  return (
    <SignedOutLayout
      title="Set up Whence"
      lead="There is no account yet. Create the first one with the link that the server prints."
    >
      <p>Open the link from the server log, or print a new one on the server:</p>
      <SetupLinkCommand />
      <p className="quiet">The link works once and expires after 24 hours.</p>
    </SignedOutLayout>
  );
}
