import { knownGood } from '../../data-files/data-files.ts';
import { Dataset } from '../../file/read.ts';
import { type Content, encodeDataset } from '../../file/write.ts';
import { fromBigInt } from '../../prefix.ts';
import { type ChangeSource, changeSources, countFlagged } from './change-sources.ts';
import {
  type ImplausibleChange,
  implausibleAccessNetworks,
  implausibleChanges,
  implausibleShares,
  type Version,
  worseQuality,
} from './result-guard.ts';

/** The newest version that was built from feeds. `open` returns undefined if its file cannot be read. */
export type PreviousVersion = Version & { readonly open: () => Dataset | undefined };

export type ExplainedChange = ImplausibleChange & { readonly sources: readonly ChangeSource[] };

/** Empty if the content is plausible. Without a version to compare with, flags are compared with fixed limits. */
export function checkResult(content: Content, previous: PreviousVersion | undefined): ExplainedChange[] {
  const after = { ...content.meta, bytes: sizeOf(content) };
  const ofVersion =
    previous === undefined
      ? implausibleShares(after)
      : [...implausibleChanges(previous, after), ...worseQuality(previous.quality, after.quality)];
  const dataset = new Dataset(encodeDataset(content, 1, new Date(0)));
  const ofServices = flaggedKnownGood(dataset);
  if (ofVersion.length === 0 && content.flaggedAccessNetworks.length === 0) return ofServices;
  const before = previous?.open();
  const ofNetworks = implausibleAccessNetworks(content.flaggedAccessNetworks, (asn, flag) =>
    countFlagged(before, asn, flag),
  );
  const changes = [...ofVersion, ...ofNetworks];
  if (changes.length === 0) return ofServices;
  const explained = changeSources(changes, before, dataset);
  const present = new Set(content.meta.sources.map(({ id }) => id));
  const implausible = changes
    .map((change) => ({ ...change, sources: explained.get(change) ?? [] }))
    .filter((change) => !isExplainedByAbsence(change, present));
  return [...ofServices, ...implausible];
}

/** A feed that expired or was switched off loses its flags; that must not stop the publication of all others. */
function isExplainedByAbsence(
  { measure, before, after, sources }: ExplainedChange,
  present: ReadonlySet<string>,
): boolean {
  if (measure.kind !== 'flag' || after >= before) return false;
  const lostWithSources = sources.reduce((sum, { id, space }) => (present.has(id) ? sum : sum - space), 0);
  return after >= (before - lostWithSources) / 2;
}

function sizeOf({ sections, meta }: Content): number {
  return Object.values(sections).reduce((sum, { length }) => sum + length, JSON.stringify(meta).length);
}

const REFUSED_FLAGS = ['is_vpn', 'is_proxy', 'is_tor_exit'] as const;

/** Rows of known-good.csv with a flag or points that would make rules refuse them, by whatever way these came. */
function flaggedKnownGood(dataset: Dataset): ExplainedChange[] {
  const { sources } = dataset.meta;
  // A feed with the current list comes before the rows of its snapshot.
  const replaced = new Set<unknown>(sources.flatMap(({ id, is_table }) => (is_table === true ? [] : id)));
  const flagged: ExplainedChange[] = [];
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
      const names: string[] = REFUSED_FLAGS.filter((flag) => detection[flag]);
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
