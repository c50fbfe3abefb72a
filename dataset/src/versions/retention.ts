/** Which versions are kept: a number of them, or those of an age. */
import { DAY_MS } from '../day.ts';

export type Retention = number | { readonly days: number };

type Dated = { readonly version: number; readonly built_at: string };
type Versions<Entry> = { readonly current: number; readonly versions: readonly Entry[] };

/** Each takes 17 to 40 MB of disk, and the history of an address reads all of them. */
export const MAX_VERSIONS = 100;
/**
 * Beside the current version the newest one: if it were removed, its number would be used again.
 */
const MIN_VERSIONS = 2;

/**
 * In the order of the manifest. An age never removes the current version or the newest beside it.
 */
export function keptVersions<Entry extends Dated>(
  manifest: Versions<Entry>,
  retention: Retention,
  now: Date,
): Entry[] {
  if (typeof retention === 'number')
    return newestVersions(manifest, Math.min(retention, MAX_VERSIONS));
  const always = new Set(newestVersions(manifest, MIN_VERSIONS));
  return newestVersions(manifest, MAX_VERSIONS).filter(
    (entry) => always.has(entry) || isYoung(entry, retention.days, now),
  );
}

/**
 * The current version and the newest others, `keep` in all. By time: a publisher that starts over
 * counts from 1.
 */
export function newestVersions<Entry extends Dated>(
  { current, versions }: Versions<Entry>,
  keep: number,
): Entry[] {
  const newestFirst = [...versions].sort(
    (a, b) => Number(b.version === current) - Number(a.version === current) || compareAge(b, a),
  );
  const kept = new Set(newestFirst.slice(0, keep));
  return versions.filter((entry) => kept.has(entry));
}

export function compareAge(a: Dated, b: Dated): number {
  return Date.parse(a.built_at) - Date.parse(b.built_at) || a.version - b.version;
}

const isYoung = ({ built_at }: Dated, days: number, now: Date) =>
  Date.parse(built_at) > now.getTime() - days * DAY_MS;
