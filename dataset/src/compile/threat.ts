/**
 * The threat score: a sum of named contributions, capped at 100. Anonymity alone is not a threat: a VPN stays low. A
 * server is not a threat by itself, so a datacenter adds nothing.
 */
import type { Source, Threat, ThreatLevel } from '../record.ts';

export const WEIGHTS = {
  criminal_netblock: 90,
  tor_exit: 45,
  proxy: 35,
  vpn: 15,
  denied: 100,
} as const;

/** Points by the number of blocklists an address is on. Five or more count as five. */
const BLOCKLIST_POINTS = [0, 15, 30, 50, 65, 80] as const;

/** What one source adds. `what` is shown in the explanation. */
export type Contribution = { readonly what: string; readonly source: Source; readonly points: number };

/** A blocklist that lists the address, or an aggregate with the number of blocklists on which it found the address. */
export type BlocklistEntry = { readonly source: Source; readonly lists: number | undefined };

/**
 * Each further list adds the difference between two entries of BLOCKLIST_POINTS. An aggregate repeats lists that may be
 * feeds here too, so it does not add to them: it raises the number of lists to its own count where that is higher.
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
