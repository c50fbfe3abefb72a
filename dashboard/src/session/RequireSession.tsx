import { useQuery } from '@tanstack/react-query';
import { sessionQuery } from '../api/query-client.ts';
import { FailureNotice } from '../components/Failures.tsx';
import { isPublicPage, PublicShell, Shell, useShownPath } from '../shell/Shell.tsx';
import { SignedOutLayout, SignInPage } from './SignInPage.tsx';

/** Shows the pages to a signed-in person; otherwise the sign-in form, or the lookup pages where they are public. */
export function RequireSession() {
  const session = useQuery(sessionQuery);
  const path = useShownPath();
  if (session.data === undefined) {
    if (session.error === null) return null;
    return (
      <SignedOutLayout title="Whence is not responding">
        <FailureNotice error={session.error} onRetry={() => void session.refetch()} />
      </SignedOutLayout>
    );
  }
  if (session.data.state === 'signed_in') return <Shell />;
  return session.data.has_public_lookups && isPublicPage(path) ? (
    <PublicShell />
  ) : (
    <SignInPage session={session.data} />
  );
}
