/** Whether a domain is watched, and the button that begins it. */
import { useMutation } from '@tanstack/react-query';
import { mayDo } from '@whence/server/vocabulary';
import { call, useAnswer } from '../api/query-client.ts';
import { serverNow } from '../api/server-clock.ts';
import { announce } from '../components/LiveRegion.tsx';
import { useRoleIfAny } from '../session/use-session.ts';
import { unicodeDomain } from '../unicode-domain.ts';
import { isBeingChecked, POLL_MS, refreshWatched } from './watched-state.ts';

/** `canBeWatched`: it is not, and this person may change that. */
export function useWatched(domain: string) {
  const role = useRoleIfAny();
  // Names that begin with it are listed behind it.
  const { data } = useAnswer(
    'listWatched',
    { query: { q: domain, limit: 1 } },
    {
      enabled: role !== undefined,
      refetchInterval: ({ state }) =>
        state.data?.data.domains.some((listed) => isBeingChecked(listed, serverNow()))
          ? POLL_MS
          : false,
    },
  );
  const watch = useMutation({
    mutationFn: () => call('watchDomains', { body: { domains: [domain] } }),
    onSuccess: async () => {
      await refreshWatched();
      announce(`${unicodeDomain(domain)} is watched`);
    },
  });
  const watched = data?.data.domains.find((listed) => listed.domain === domain);
  const isUnwatched = data !== undefined && watched === undefined;
  return {
    watched,
    canBeWatched: isUnwatched && role !== undefined && mayDo(role, 'member'),
    watch,
  };
}
