import { useAnswer } from '../api/query-client.ts';
import { blocklistCaveat, blocklistLimits, hasBlocklists } from '../format/blocklists.ts';
import { useNow } from '../format/Time.tsx';

/** What the threat levels of the dataset in use leave out, for pages whose responses do not say it. */
export function useThreatCaveat(): { caveat: string | undefined; isThreatKnown: boolean } {
  const now = useNow();
  const { data } = useAnswer('getDataset', {});
  const report = data?.data.report;
  if (report === undefined) return { caveat: undefined, isThreatKnown: true };
  const limits = blocklistLimits(report);
  return { caveat: blocklistCaveat(limits, now), isThreatKnown: hasBlocklists(limits) };
}
