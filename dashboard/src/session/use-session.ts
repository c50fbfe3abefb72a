import { useMutation } from '@tanstack/react-query';
import type { SignedIn } from '@whence/server/dashboard-wire/accounts';
import { mayDo, type Role } from '@whence/server/vocabulary';
import { createContext, useContext } from 'react';
import { call } from '../api/query-client.ts';
import { clearRecent } from '../browser-storage/recent-subjects.ts';
import { removeRuns } from '../browser-storage/saved-runs.ts';

export const SessionContext = createContext<SignedIn | undefined>(undefined);

/** The session of the signed-in person. Only for pages inside `RequireSession`. */
export function useSignedIn(): SignedIn {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error('this page was shown without a session');
  return session;
}

/** On pages that the public may see: undefined without a session. */
export function useRoleIfAny(): Role | undefined {
  return useContext(SessionContext)?.account.role;
}

export function useRole(): { role: Role; isAtLeast: (role: Role) => boolean } {
  const { role } = useSignedIn().account;
  return { role, isAtLeast: (needed) => mayDo(role, needed) };
}

export function useSignOut() {
  return useMutation({ mutationFn: () => call('signOut', {}), onSuccess: forgetSession });
}

/**
 * After signing out: data loaded for one account must not be shown to the next, so the page starts
 * anew.
 */
export async function forgetSession(): Promise<void> {
  clearRecent(localStorage);
  await removeRuns();
  window.location.reload();
}
