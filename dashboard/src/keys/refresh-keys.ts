import { queryClient } from '../api/query-client.ts';

/** After a change of a key, everything that shows keys is loaded again. */
export async function refreshKeys(): Promise<void> {
  await Promise.all(
    ['listKeys', 'getKey', 'getKeyAudit'].map((key) => queryClient.invalidateQueries({ queryKey: [key] })),
  );
}
