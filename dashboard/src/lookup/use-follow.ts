/** Opens what a suggestion leads to, or does what it says. */
import { useMantineColorScheme } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { call, refresh, sessionQuery } from '../api/query-client.ts';
import { useSignOut } from '../session/use-session.ts';
import type { PaletteAction, Suggestion } from './use-suggestions.ts';

export function useFollow(): (suggestion: Suggestion) => void {
  const router = useRouter();
  const { data: session } = useQuery(sessionQuery);
  // Otherwise Mantine temporarily inserts a <style> element, which the Content-Security-Policy
  // refuses.
  const { setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  const signOut = useSignOut();
  const act = (action: PaletteAction) => {
    if (action === 'sign out') signOut.mutate();
    else if (action !== 'update') setColorScheme(action);
    else {
      // The page shows its progress, and why it failed.
      router.history.push('/data');
      void call('startUpdate', {})
        .catch(() => undefined)
        .then(() => refresh('getDataset', 'getUpdate'));
    }
  };
  return ({ target }) => {
    if ('path' in target) router.history.push(target.path);
    else if ('action' in target) act(target.action);
    else if (target.run === 'domains')
      void router.navigate({
        to: '/mail',
        search: { add: 'yes' },
        state: { domains: target.text },
      });
    else if (session?.state === 'signed_in') {
      void import('../batch/batch-run.ts').then(({ currentRun }) => {
        currentRun.start({ text: target.text }, session.max_batch);
        router.history.push('/lookup');
      });
    }
  };
}
