/**
 * The query cache and the requests that fill it. The session, which holds the CSRF token, is one of
 * its entries.
 */
import { QueryClient, queryOptions, type UseQueryOptions, useQuery } from '@tanstack/react-query';
import type { SessionState } from '@whence/server/dashboard-wire/accounts';
import type { Input, RouteName } from '@whence/server/dashboard-wire/contract';
import { type Caller, createCaller, type Envelope, Failure, isFailure } from './call.ts';
import { retryInterval } from './recovery.ts';
import { serverNow } from './server-clock.ts';

const sessionKey = ['getSession'] as const;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // A refused request would be refused again; a lost connection or a short overload is worth a
      // retry.
      retry: (count, error) =>
        count < 2 &&
        error instanceof Failure &&
        ([0, 502, 504].includes(error.status) || error.code === 'OVERLOADED'),
      refetchOnWindowFocus: true,
      refetchInterval: retryInterval,
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
});

const request = createCaller(() => {
  const session = queryClient.getQueryData<SessionState>(sessionKey);
  return session?.state === 'signed_in' ? session.csrf_token : 'no session';
});

/**
 * Any request may find that the session has ended. Loading the session again then asks to sign in.
 */
export const call: Caller = async (name, input, signal) => {
  try {
    return await request(name, input, signal);
  } catch (error) {
    const session = queryClient.getQueryData<SessionState>(sessionKey);
    if (isFailure(error, 'SIGNED_OUT') && session?.state === 'signed_in') {
      void queryClient.invalidateQueries({ queryKey: sessionKey });
    }
    throw error;
  }
};

export const sessionQuery = queryOptions({
  queryKey: sessionKey,
  queryFn: async ({ signal }): Promise<SessionState> => {
    const { data } = await call('getSession', {}, signal);
    forgetOtherAccount(data);
    return data;
  },
  staleTime: 60_000,
});

export function setSession(session: SessionState): void {
  forgetOtherAccount(session);
  queryClient.setQueryData(sessionKey, session);
  // What was refused without a session is loaded again.
  void queryClient.invalidateQueries({
    predicate: ({ state }) => isFailure(state.error, 'SIGNED_OUT'),
  });
}

let lastAccountId: string | undefined;

/**
 * Another person may sign in after a session has expired, or in another tab: nothing loaded for the
 * first one is kept.
 */
function forgetOtherAccount(session: SessionState): void {
  if (session.state !== 'signed_in') return;
  const { id } = session.account;
  if (lastAccountId !== undefined && lastAccountId !== id)
    queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
  lastAccountId = id;
}

type AnswerOptions<Name extends RouteName> = Omit<
  UseQueryOptions<Envelope<Name>>,
  'queryKey' | 'queryFn'
>;

/** A query whose data is the whole response of a route, including its meta. */
export function useAnswer<Name extends RouteName>(
  name: Name,
  input: Input<Name>,
  options: AnswerOptions<Name> = {},
) {
  const { refetchInterval = false, ...rest } = options;
  return useQuery<Envelope<Name>>({
    queryKey: [name, input],
    queryFn: ({ signal }) => call(name, input, signal),
    refetchInterval: (query) =>
      retryInterval(query) ||
      (typeof refetchInterval === 'function' ? refetchInterval(query) : refetchInterval),
    ...rest,
  });
}

/** Loads what these routes answered again, where a page shows it. */
export async function refresh(...names: RouteName[]): Promise<void> {
  await Promise.all(names.map((name) => queryClient.invalidateQueries({ queryKey: [name] })));
}

const DAY_CHECK_MS = 20_000;
const dayNow = () => Math.floor(serverNow() / 86_400_000);
let day = dayNow();

// From 00:00 UTC on, what an open page shows as of today is of yesterday.
setInterval(() => {
  const today = dayNow();
  if (today !== day) void refresh('getOverview', 'getTraffic', 'getUsage', 'listKeys', 'getKey');
  day = today;
}, DAY_CHECK_MS);
