// Rows of known-good.csv with a flag or points that would make rules refuse them, by whatever way these came.
import { knownGood } from '../../data-files/data-files.ts';
import type { Dataset } from '../../file/read.ts';
import { fromBigInt } from '../../prefix.ts';
import type { ChangeSource } from './change-sources.ts';
import type { ImplausibleChange } from './result-guard.ts';

const FLAGS = ['is_vpn', 'is_proxy', 'is_tor_exit'] as const;

type Flagged = ImplausibleChange & { readonly sources: readonly ChangeSource[] };

export function flaggedKnownGood(dataset: Dataset): Flagged[] {
  const { sources } = dataset.meta;
  // A feed with the current list comes before the rows of its snapshot.
  const replaced = new Set<unknown>(sources.flatMap(({ id, is_table }) => (is_table === true ? [] : id)));
  const flagged: Flagged[] = [];
  for (const { prefix, service, feed } of knownGood.rows) {
    for (let at = prefix.start, last: bigint; at <= prefix.end; at = last + 1n) {
      const address = fromBigInt(at, prefix.version);
      const { end } = dataset.bounds(address);
      last = end < prefix.end ? end : prefix.end;
      const match = dataset.find(address);
      if (match === 0) continue;
      const decisions = dataset.decisions(dataset.attributesOf(match));
      if (replaced.has(feed) && !decisions.some(([field]) => field === 'known_good')) continue;
      const { detection, threat } = dataset.record(address, match);
      const names: string[] = FLAGS.filter((flag) => detection[flag]);
      if (threat.level !== 'low') names.push('threat.score');
      const space = Number(last - at) + 1;
      for (const name of names) {
        const ids = decisions.flatMap(([field, source]) => (field === name ? (sources[source]?.id ?? []) : []));
        const measure = { kind: 'known good', name, service } as const;
        flagged.push({ measure, before: 0, after: space, limit: 'none', sources: ids.map((id) => ({ id, space })) });
      }
    }
  }
  return flagged;
}
