/** Which versions are kept: a number of them, or those of an age. The newest stay whole files, older ones changes. */

export type Retention = number | { readonly days: number };

type Dated = { readonly version: number; readonly built_at: string };
type Versions<Entry> = { readonly current: number; readonly versions: readonly Entry[] };

/** Older versions are kept as changes (`history/`): a whole file takes 17 to 40 MB, the changes of a day 1 to 2 MB. */
export const MAX_WHOLE_VERSIONS = 7;
/** In all. The history of an address reads a part of each. */
export const MAX_VERSIONS = 1000;
/** Beside the current version the newest one: if it were removed, its number would be used again. */
const MIN_VERSIONS = 2;

/** Versions that stay whole files: the current one and the newest others, in the order of the manifest. */
export function wholeVersions<Entry extends Dated>(
  manifest: Versions<Entry>,
  retention: Retention,
  now: Date,
): Entry[] {
  if (typeof retention === 'number') return newestVersions(manifest, Math.min(retention, MAX_WHOLE_VERSIONS));
  const always = new Set(newestVersions(manifest, MIN_VERSIONS));
  return newestVersions(manifest, MAX_WHOLE_VERSIONS).filter(
    (entry) => always.has(entry) || isYoung(entry, retention.days, now),
  );
}

/** The versions to keep, from a list from old to new that one newer version follows. */
export function keptVersions<Entry extends Dated>(
  versions: readonly Entry[],
  retention: Retention,
  now: Date,
): Entry[] {
  const count = typeof retention === 'number' ? Math.min(retention, MAX_VERSIONS) : MAX_VERSIONS;
  const newest = versions.slice(Math.max(0, versions.length + 1 - count));
  if (typeof retention === 'number') return newest;
  const first = newest.findIndex((entry) => isYoung(entry, retention.days, now));
  return first < 0 ? [] : newest.slice(first);
}

/** The current version and the newest others, `keep` in all. By time: a publisher that starts over counts from 1. */
export function newestVersions<Entry extends Dated>({ current, versions }: Versions<Entry>, keep: number): Entry[] {
  const newestFirst = [...versions].sort(
    (a, b) => Number(b.version === current) - Number(a.version === current) || compareAge(b, a),
  );
  const kept = new Set(newestFirst.slice(0, keep));
  return versions.filter((entry) => kept.has(entry));
}

export function compareAge(a: Dated, b: Dated): number {
  return Date.parse(a.built_at) - Date.parse(b.built_at) || a.version - b.version;
}

const DAY_MS = 86_400_000;
const isYoung = ({ built_at }: Dated, days: number, now: Date) => Date.parse(built_at) > now.getTime() - days * DAY_MS;
