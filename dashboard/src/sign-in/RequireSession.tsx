import { useQuery } from '@tanstack/react-query';
import type { SignedIn } from '@whence/server/dashboard-wire/accounts';
import { lazy, Suspense, useState } from 'react';
import { sessionQuery } from '../api/query-client.ts';
import { FailureNotice } from '../components/Failures.tsx';
import { SessionContext } from '../session/use-session.ts';
import { isPublicPage, PublicShell, Shell, useShownPath } from '../shell/Shell.tsx';
import { SignedOutLayout } from './SignedOutLayout.tsx';

// A person who is signed in does not need its fields.
const SignInPage = lazy(async () => ({ default: (await import('./SignInPage.tsx')).SignInPage }));
const ExpiredSession = lazy(async () => ({
  default: (await import('./SignInPage.tsx')).ExpiredSession,
}));

/**
 * Shows the pages to a signed-in person; otherwise the sign-in form, or the lookup pages where they
 * are public. If a session ends while a page is open, the page stays as it is behind a sign-in
 * dialog, with what was typed into it.
 */
export function RequireSession() {
  const session = useQuery(sessionQuery);
  const path = useShownPath();
  const [last, setLast] = useState<SignedIn>();
  const { data } = session;
  if (data?.state === 'signed_in' && data !== last) setLast(data);
  if (data === undefined) {
    if (session.error === null) return null;
    return (
      <SignedOutLayout title="Whence is not responding">
        <FailureNotice error={session.error} onRetry={() => void session.refetch()} />
      </SignedOutLayout>
    );
  }
  const shown = data.state === 'signed_in' ? data : last;
  if (shown !== undefined) {
    return (
      <SessionContext value={shown}>
        {/* Nothing of one account stays on the screen for the next. */}
        <Shell key={shown.account.id} />
        <Suspense>
          {data.state === 'signed_out' && (
            <ExpiredSession session={data} name={shown.account.name} />
          )}
        </Suspense>
      </SessionContext>
    );
  }
  if (data.state === 'signed_in') return null;
  if (path === '/docs' || (data.has_public_lookups && isPublicPage(path)))
    return <PublicShell hasLookups={data.has_public_lookups} />;
  return (
    <Suspense>
      <SignInPage session={data} />
    </Suspense>
  );
}
