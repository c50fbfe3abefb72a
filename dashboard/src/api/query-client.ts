/** The query cache and the requests that fill it. The session, which holds the CSRF token, is one of its entries. */
import { QueryClient, queryOptions } from '@tanstack/react-query';
import type { RouteName, SessionState } from '@whence/server/dashboard-wire';
import { createCaller, type Envelope, Failure, type Input, isFailure } from './call.ts';

const sessionKey = ['getSession'] as const;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // A refused request would be refused again; a lost connection or a short overload is worth a retry.
      retry: (count, error) =>
        count < 2 && error instanceof Failure && ([0, 502, 504].includes(error.status) || error.code === 'OVERLOADED'),
      refetchOnWindowFocus: true,
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
});

export const call = createCaller(() => {
  const session = queryClient.getQueryData<SessionState>(sessionKey);
  return session?.state === 'signed_in' ? session.csrf_token : 'no session';
});

export const sessionQuery = queryOptions({
  queryKey: sessionKey,
  queryFn: async ({ signal }): Promise<SessionState> => (await call('getSession', {}, signal)).data,
  staleTime: 60_000,
});

export function setSession(session: SessionState): void {
  queryClient.setQueryData(sessionKey, session);
}

/** Any request may find that the session has ended. Loading the session again then shows the sign-in form. */
queryClient.getQueryCache().subscribe(({ type, query }) => {
  if (type === 'updated' && query.queryKey[0] !== sessionKey[0] && isFailure(query.state.error, 'SIGNED_OUT')) {
    void queryClient.invalidateQueries({ queryKey: sessionKey });
  }
});

/** A query whose data is the whole response of a route, including its meta. */
export function answerQuery<Name extends RouteName>(name: Name, input: Input<Name>) {
  return queryOptions({
    queryKey: [name, input] as const,
    queryFn: ({ signal }): Promise<Envelope<Name>> => call(name, input, signal),
  });
}

/** For signing out: removes all loaded data and loads the session again. */
export async function clearCache(): Promise<void> {
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
  await queryClient.invalidateQueries({ queryKey: sessionKey });
}
