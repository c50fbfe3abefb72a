import type { ThreatKnowledge } from '@whence/client/wire';
import { useAnswer } from '../api/query-client.ts';
import { blocklistCaveat } from '../format/blocklists.ts';
import { useNow } from '../format/Time.tsx';

/** What the threat levels of the dataset in use leave out, for pages whose responses do not say it. */
export function useThreatCaveat(): { caveat: string | undefined; known: ThreatKnowledge } {
  const now = useNow();
  const { data } = useAnswer('getDataAges', {});
  if (data === undefined) return { caveat: undefined, known: { ipv4: true, ipv6: true } };
  const { limits, threat_is_known } = data.data;
  return { caveat: blocklistCaveat(limits, now), known: threat_is_known };
}
