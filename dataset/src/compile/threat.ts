/**
 * The threat score: a sum of contributions, capped at 100, each of which can be named. Anonymity alone is not malice:
 * a VPN in a datacenter stays low.
 */
import type { Threat, ThreatLevel } from '../record.ts';

export const WEIGHTS = {
  criminal_netblock: 90,
  tor_exit: 45,
  proxy: 35,
  vpn: 15,
  datacenter: 5,
} as const;

/** What one source adds: the words for a person, the source by name, the points. */
export type Contribution = { readonly what: string; readonly source: string; readonly points: number };

export function rateThreat(contributions: readonly Contribution[]): Threat {
  const score = Math.min(
    100,
    contributions.reduce((sum, { points }) => sum + points, 0),
  );
  const threat: Threat = { score, level: levelOf(score) };
  if (contributions.length > 0) {
    threat.explanation = [...contributions]
      .sort((a, b) => b.points - a.points)
      .map(({ what, source, points }) => `${what} (${source}): +${points}`);
  }
  return threat;
}

export function levelOf(score: number): ThreatLevel {
  if (score >= 75) return 'critical';
  if (score >= 50) return 'high';
  return score >= 25 ? 'medium' : 'low';
}
