import { useQuery } from '@tanstack/react-query';
import { sessionQuery } from '../api/query-client.ts';
import { Shell } from '../shell/Shell.tsx';
import { FailureNotice } from '../states/FailureNotice.tsx';
import { Door } from './Door.tsx';
import { SignIn } from './SignIn.tsx';

/** The pages for an open session, the sign-in form without one. */
export function Gate() {
  const session = useQuery(sessionQuery);
  if (session.data === undefined) {
    if (session.error === null) return null;
    return (
      <Door title="Whence does not answer">
        <FailureNotice error={session.error} onRetry={() => void session.refetch()} />
      </Door>
    );
  }
  return session.data.state === 'signed_in' ? <Shell /> : <SignIn session={session.data} />;
}
