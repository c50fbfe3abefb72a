import { useAnswer } from '../api/query-client.ts';
import { blocklistCaveat } from '../format/blocklists.ts';
import { useNow } from '../format/Time.tsx';

/**
 * What the threat levels of the dataset in use leave out, for pages whose responses do not say it.
 */
export function useThreatCaveat(): string | undefined {
  const now = useNow();
  const { data } = useAnswer('getDataAges', {});
  return data && blocklistCaveat(data.data.limits, now);
}
