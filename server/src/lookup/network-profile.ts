/** What a network's addresses are used for, and networks that seem to belong to the same organisation. */
import type { AsnSearch, AsnSearchResult } from '@whence/dataset/asn-search';
import { parsePrefix } from '@whence/dataset/prefix';
import type { Dataset } from '@whence/dataset/read';
import type { ConnectionType } from '@whence/dataset/record';
import { runsWithin } from './prefix-runs.ts';
import { type Share, Shares, sizeOf } from './prefix-summary.ts';

/** Runs that are walked: about 20 ms. */
const MAX_RUNS = 4_000;
const MAX_RELATED = 20;

/** Of IPv4 addresses that the network announces. `isSample` where it has more than can be walked. */
export function connectionTypesOf(
  dataset: Dataset,
  asn: number,
  prefixes: readonly string[],
): { shares: Share<ConnectionType>[]; isSample: boolean } {
  const shares = new Shares<ConnectionType>();
  let runs = 0;
  for (const prefix of prefixes) {
    const range = parsePrefix(prefix);
    if (range === undefined) continue;
    for (const { start, end, match } of runsWithin(dataset, range.version, range.start, range.end)) {
      if (++runs > MAX_RUNS) return { shares: shares.sorted(), isSample: true };
      // A more specific prefix may be announced by another network, or by this one, and then it has its own turn.
      if (match === 0 || dataset.asnNumber(match) !== asn || match >>> 24 !== lengthOf(prefix)) continue;
      shares.add(dataset.tail(dataset.tailOf(match)).connection_type, sizeOf(4, start, end));
    }
  }
  return { shares: shares.sorted(), isSample: false };
}

const lengthOf = (prefix: string) => Number(prefix.slice(prefix.indexOf('/') + 1));

/** Words that say what kind of company it is, or where, not which. */
const LEGAL_FORMS =
  /\b(llc|inc|incorporated|corp|corporation|co|company|ltd|limited|gmbh|ag|se|sa|sas|sarl|srl|spa|bv|nv|ab|as|oy|plc|pte|pty|kg|kk)\b\.?/gi;

/** By name: a guess. */
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
