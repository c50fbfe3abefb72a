import { useSuspenseQuery } from '@tanstack/react-query';
import type { Role, SignedIn } from '@whence/server/dashboard-wire';
import { sessionQuery } from '../api/query-client.ts';

const ORDER: readonly Role[] = ['viewer', 'member', 'admin'];

/** The session of the person who is signed in. Only pages behind `Gate` call this. */
export function useSignedIn(): SignedIn {
  const { data } = useSuspenseQuery(sessionQuery);
  if (data.state !== 'signed_in') throw new Error('this page was shown without a session');
  return data;
}

export function useRole(): { role: Role; isAtLeast: (role: Role) => boolean } {
  const { role } = useSignedIn().account;
  return { role, isAtLeast: (needed) => ORDER.indexOf(role) >= ORDER.indexOf(needed) };
}
