import { useQuery } from '@tanstack/react-query';
import { sessionQuery } from '../api/query-client.ts';
import { isPublicPage, PublicShell } from '../shell/PublicShell.tsx';
import { Shell } from '../shell/Shell.tsx';
import { useShownPath } from '../shell/use-shown-path.ts';
import { FailureNotice } from '../states/FailureNotice.tsx';
import { Door } from './Door.tsx';
import { SignIn } from './SignIn.tsx';

/** The pages for an open session; without one the sign-in form, or look-ups where they need none. */
export function Gate() {
  const session = useQuery(sessionQuery);
  const path = useShownPath();
  if (session.data === undefined) {
    if (session.error === null) return null;
    return (
      <Door title="Whence does not answer">
        <FailureNotice error={session.error} onRetry={() => void session.refetch()} />
      </Door>
    );
  }
  if (session.data.state === 'signed_in') return <Shell />;
  return session.data.has_public_look_ups && isPublicPage(path) ? <PublicShell /> : <SignIn session={session.data} />;
}
