import { useMutation } from '@tanstack/react-query';
import { call, forgetEverything } from '../api/query-client.ts';

/** What was loaded for one account must not be shown to the next. */
export function useSignOut() {
  return useMutation({ mutationFn: () => call('signOut', {}), onSuccess: forgetEverything });
}
