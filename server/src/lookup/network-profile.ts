/** Connection types of a network's addresses, and networks that probably belong to the same organisation. */
import type { AsnSearch, AsnSearchResult } from '@whence/dataset/asn-search';
import { parsePrefix } from '@whence/dataset/prefix';
import type { Dataset } from '@whence/dataset/read';
import type { ConnectionType } from '@whence/dataset/record';
import type { GiveWay } from './dataset-walks.ts';
import { runsWithin } from './prefix-runs.ts';
import { type Share, Shares, sizeOf } from './prefix-summary.ts';

/** Runs that are walked: about 20 ms. */
const MAX_RUNS = 4_000;
const MAX_RELATED = 20;

/** For the IPv4 addresses that the network announces. `isSample` if it has more runs than are walked. */
export async function connectionTypesOf(
  dataset: Dataset,
  asn: number,
  prefixes: readonly string[],
  giveWay: GiveWay,
): Promise<{ shares: Share<ConnectionType>[]; isSample: boolean }> {
  const shares = new Shares<ConnectionType>();
  let runs = 0;
  for (const prefix of prefixes) {
    const range = parsePrefix(prefix);
    if (range === undefined) continue;
    for (const { start, end, match } of runsWithin(dataset, range.version, range.start, range.end)) {
      if (++runs > MAX_RUNS) return { shares: shares.sorted(), isSample: true };
      const pause = giveWay();
      if (pause !== undefined) await pause;
      // A more specific prefix belongs to another network, or is in `prefixes` itself.
      if (match === 0 || dataset.asnNumber(match) !== asn || match >>> 24 !== lengthOf(prefix)) continue;
      shares.add(dataset.attributes(dataset.attributesOf(match)).connection_type, sizeOf(4, start, end));
    }
  }
  return { shares: shares.sorted(), isSample: false };
}

const lengthOf = (prefix: string) => Number(prefix.slice(prefix.indexOf('/') + 1));

/** Legal forms, which say nothing about the organisation. */
const LEGAL_FORMS =
  /\b(llc|inc|incorporated|corp|corporation|co|company|ltd|limited|gmbh|ag|se|sa|sas|sarl|srl|spa|bv|nv|ab|as|oy|plc|pte|pty|kg|kk)\b\.?/gi;

/** Networks with a similar name, which is a guess. */
export function relatedNetworks(
  search: AsnSearch,
  { asn, asn_name }: { asn: number; asn_name: string },
): AsnSearchResult[] {
  const words = asn_name
    .replace(LEGAL_FORMS, ' ')
    .replace(/[,.()"]/g, ' ')
    .trim()
    .split(/\s+/);
  const query = words.slice(0, 2).join(' ');
  if (query.length < 3) return [];
  return search
    .search(query, MAX_RELATED + 1)
    .results.filter((result) => result.asn !== asn)
    .slice(0, MAX_RELATED);
}
