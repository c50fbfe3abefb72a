import { useMutation, useSuspenseQuery } from '@tanstack/react-query';
import type { Role, SignedIn } from '@whence/server/dashboard-wire';
import { mayDo } from '@whence/server/vocabulary';
import { call, clearCache, sessionQuery } from '../api/query-client.ts';
import { clearRecent } from '../lookup/recent.ts';

/** The session of the signed-in person. Only for pages inside `RequireSession`. */
export function useSignedIn(): SignedIn {
  const { data } = useSuspenseQuery(sessionQuery);
  if (data.state !== 'signed_in') throw new Error('this page was shown without a session');
  return data;
}

export function useRole(): { role: Role; isAtLeast: (role: Role) => boolean } {
  const { role } = useSignedIn().account;
  return { role, isAtLeast: (needed) => mayDo(role, needed) };
}

/** Clears what this browser holds too: data loaded for one account must not be shown to the next. */
export function useSignOut() {
  return useMutation({
    mutationFn: () => call('signOut', {}),
    onSuccess: () => {
      clearRecent(localStorage);
      return clearCache();
    },
  });
}
