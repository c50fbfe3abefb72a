/** The cache of answers, and the requests that fill it. The session is one of its entries: the CSRF token is there. */
import { QueryClient, queryOptions } from '@tanstack/react-query';
import type { RouteName, SessionState } from '@whence/server/dashboard-wire';
import { type Answered, createCaller, type Input } from './call.ts';
import { Failure, isFailure } from './failure.ts';

const sessionKey = ['getSession'] as const;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // What the server refused it will refuse again; a lost connection or a moment of overload is worth another try.
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

/** A session that has ended is noticed by any request: the page then asks to sign in. */
queryClient.getQueryCache().subscribe(({ type, query }) => {
  if (type === 'updated' && query.queryKey[0] !== sessionKey[0] && isFailure(query.state.error, 'SIGNED_OUT')) {
    void queryClient.invalidateQueries({ queryKey: sessionKey });
  }
});

/** The whole answer of a route, with its meta. */
export function answerQuery<Name extends RouteName>(name: Name, input: Input<Name>) {
  return queryOptions({
    queryKey: [name, input] as const,
    queryFn: ({ signal }): Promise<Answered<Name>> => call(name, input, signal),
  });
}

/** After signing out: drops every answer and asks for the session again. */
export async function forgetEverything(): Promise<void> {
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
  await queryClient.invalidateQueries({ queryKey: sessionKey });
}
