/**
 * The threat score: a sum of contributions, capped at 100, each of which can be named. Anonymity alone is not malice:
 * a VPN in a datacenter stays low.
 */
import type { Source, Threat, ThreatLevel } from '../record.ts';

export const WEIGHTS = {
  criminal_netblock: 90,
  tor_exit: 45,
  proxy: 35,
  vpn: 15,
  datacenter: 5,
  denied: 100,
} as const;

/** Points by the number of blocklists an address is on; more than these count as the last. */
const BLOCKLIST_POINTS = [0, 15, 30, 50, 65, 80] as const;

/** What one source adds: the words for a person, the source, the points. */
export type Contribution = { readonly what: string; readonly source: Source; readonly points: number };

/** A blocklist; or an aggregate, which says on how many blocklists it found the address. */
export type BlocklistEntry = { readonly source: Source; readonly lists: number | undefined };

/**
 * Each list adds the points that lie between one list less and it. An aggregate watches the same lists as everybody, so it does not add to
 * single lists: it counts for as many as it found, where that is more.
 */
export function rateBlocklists(entries: readonly BlocklistEntry[]): Contribution[] {
  const contributions: Contribution[] = [];
  let counted = 0;
  const raiseTo = (lists: number, { source }: BlocklistEntry) => {
    if (lists <= counted) return;
    const points = blocklistPoints(lists) - blocklistPoints(counted);
    const what = lists - counted === 1 ? 'on a blocklist' : `on ${lists} blocklists`;
    counted = lists;
    if (points > 0) contributions.push({ what, source, points });
  };
  for (const entry of entries) if (entry.lists === undefined) raiseTo(counted + 1, entry);
  for (const entry of entries) if (entry.lists !== undefined) raiseTo(entry.lists, entry);
  return contributions;
}

function blocklistPoints(lists: number): number {
  return BLOCKLIST_POINTS[Math.min(lists, BLOCKLIST_POINTS.length - 1)] ?? 0;
}

export function rateThreat(contributions: readonly Contribution[]): Threat {
  const score = Math.min(
    100,
    contributions.reduce((sum, { points }) => sum + points, 0),
  );
  const threat: Threat = { score, level: levelOf(score) };
  if (contributions.length > 0) {
    threat.explanation = [...contributions]
      .sort((a, b) => b.points - a.points)
      .map(({ what, source, points }) => `${what} (${source.id}, ${source.as_of}): +${points}`);
  }
  return threat;
}

export function levelOf(score: number): ThreatLevel {
  if (score >= 75) return 'critical';
  if (score >= 50) return 'high';
  return score >= 25 ? 'medium' : 'low';
}
