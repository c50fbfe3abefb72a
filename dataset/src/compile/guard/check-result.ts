/**
 * Compares a build with the version before it: changes that are not plausible, and how much of the
 * space that both answer has another value.
 */
import { knownGood } from '../../data-files/data-files.ts';
import type { Dataset } from '../../file/read.ts';
import { forEachSegment } from '../../file/segments.ts';
import type { Content } from '../../file/write.ts';
import { getOrInsert } from '../../get-or-insert.ts';
import { fromBigInt, spaceOf } from '../../prefix.ts';
import { type ChangeSource, changeSources, countFlagged } from './change-sources.ts';
import {
  type ImplausibleChange,
  implausibleAccessNetworks,
  implausibleChanges,
  implausibleShares,
  type Version,
} from './result-guard.ts';

/**
 * The newest version that was built from feeds. `open` returns undefined if its file cannot be
 * read.
 */
export type PreviousVersion = Version & { readonly open: () => Dataset | undefined };

export type ExplainedChange = ImplausibleChange & { readonly sources: readonly ChangeSource[] };

/**
 * Empty if the content, which `dataset` reads, is plausible. Without a version to compare with,
 * flags are compared with fixed limits.
 */
export function checkResult(
  content: Content,
  dataset: Dataset,
  previous: PreviousVersion | undefined,
): ExplainedChange[] {
  const after = { ...content.meta, bytes: sizeOf(content) };
  const ofVersion =
    previous === undefined ? implausibleShares(after) : implausibleChanges(previous, after);
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

/**
 * A feed that expired or was switched off loses its flags; that must not stop the publication of
 * all others.
 */
function isExplainedByAbsence(
  { measure, before, after, sources }: ExplainedChange,
  present: ReadonlySet<string>,
): boolean {
  if (measure.kind !== 'flag' || after >= before) return false;
  const lostWithSources = sources.reduce(
    (sum, { id, space }) => (present.has(id) ? sum : sum - space),
    0,
  );
  return after >= (before - lostWithSources) / 2;
}

function sizeOf({ sections, meta }: Content): number {
  return Object.values(sections).reduce(
    (sum, { length }) => sum + length,
    JSON.stringify(meta).length,
  );
}

const REFUSED_FLAGS = ['is_vpn', 'is_proxy', 'is_tor_exit'] as const;

/**
 * Rows of known-good.csv with a flag or points that would make rules refuse them, by whatever way
 * these came.
 */
function flaggedKnownGood(dataset: Dataset): ExplainedChange[] {
  const { sources } = dataset.meta;
  // A feed with the current list comes before the rows of its snapshot.
  const replaced = new Set<unknown>(
    sources.flatMap(({ id, is_table }) => (is_table === true ? [] : id)),
  );
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
        const ids = decisions.flatMap(([field, source]) =>
          field === name ? (sources[source]?.id ?? []) : [],
        );
        const measure = { kind: 'known good', name, service } as const;
        flagged.push({
          measure,
          before: 0,
          after: space,
          limit: 'none',
          sources: ids.map((id) => ({ id, space })),
        });
      }
    }
  }
  return flagged;
}

const COMPARED_ATTRIBUTES = [
  'country',
  'connection_type',
  'cloud_provider',
  'is_vpn',
  'is_tor_exit',
  'is_proxy',
  'is_ai_crawler',
] as const;
const COMPARED_FIELDS = ['asn', ...COMPARED_ATTRIBUTES] as const;
type ComparedField = (typeof COMPARED_FIELDS)[number];

/** Shares from 0 to 1. Absent where the versions have no space of the family in common. */
export type ChangedShare = {
  readonly field: ComparedField;
  readonly ipv4?: number;
  readonly ipv6?: number;
};

export function changedShares(before: Dataset, after: Dataset): ChangedShare[] {
  const ipv4 = familyShares(before, after, 4);
  const ipv6 = familyShares(before, after, 6);
  return COMPARED_FIELDS.map((field) => ({
    field,
    ...(ipv4 && { ipv4: ipv4[field] }),
    ...(ipv6 && { ipv6: ipv6[field] }),
  }));
}

function familyShares(
  before: Dataset,
  after: Dataset,
  version: 4 | 6,
): Record<ComparedField, number> | undefined {
  const changed = new Map<ComparedField, number>();
  /** Pairs of sets of attributes are few. */
  const differing = new Map<number, readonly ComparedField[]>();
  let all = 0;
  forEachSegment(before.runs(version), after.runs(version), (start, end, a, b) => {
    if (a === 0 || b === 0) return;
    const size = spaceOf(version, end - start + 1n);
    all += size;
    const add = (field: ComparedField) => changed.set(field, (changed.get(field) ?? 0) + size);
    if (before.asnNumber(a) !== after.asnNumber(b)) add('asn');
    const from = before.attributesOf(a);
    const to = after.attributesOf(b);
    const fields = getOrInsert(differing, from * 2 ** 26 + to, () => {
      const old = valuesOf(before, from);
      const now = valuesOf(after, to);
      return COMPARED_ATTRIBUTES.filter((field) => old[field] !== now[field]);
    });
    fields.forEach(add);
  });
  if (all === 0) return undefined;
  const shares = COMPARED_FIELDS.map((field) => [field, (changed.get(field) ?? 0) / all]);
  return Object.fromEntries(shares);
}

function valuesOf(dataset: Dataset, set: number) {
  const { country, connection_type, detection } = dataset.attributes(set);
  return { cloud_provider: undefined, country, connection_type, ...detection };
}
