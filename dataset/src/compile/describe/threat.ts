/**
 * The threat score: a sum of named contributions, capped at 100. Anonymity alone is not a threat: a VPN stays low. A
 * server is not a threat by itself, so a datacenter adds nothing.
 */
import type { Source, Threat, ThreatLevel } from '../../record.ts';

export const WEIGHTS = {
  criminal_netblock: 90,
  tor_exit: 45,
  proxy: 35,
  vpn: 15,
  denied: 100,
} as const;

/** Points by the number of blocklists an address is on. Five or more count as five. */
const BLOCKLIST_POINTS = [0, 15, 30, 50, 65, 80] as const;

/**
 * The most that reports add to addresses of which blocklists say little. A report about an address that many people
 * share is about one of them: the NAT of a mobile network stays below `high`, a CDN below `medium`, and a privacy relay,
 * which gives people another address every few minutes, at 0. Crawlers are reported for crawling.
 */
export const LIMITS = {
  mobile: { points: 49, because: 'because many people share the address' },
  cdn: { points: 24, because: 'because many people share the address' },
  relay: { points: 0, because: 'because many people share the address' },
  crawler: { points: 24, because: 'because a crawler uses the address' },
} as const;

type Limit = (typeof LIMITS)[keyof typeof LIMITS];

/** What one source adds. `what` is shown in the explanation. */
export type Contribution = { readonly what: string; readonly source: Source; readonly points: number };

/**
 * A blocklist that lists the address, or an aggregate with the number of blocklists on which it found the address.
 * `contains`: ids of lists that it repeats.
 */
type BlocklistEntry = {
  readonly source: Source;
  readonly lists: number | undefined;
  readonly contains?: readonly string[] | undefined;
};

/**
 * What is left of each list after what it repeats. `counted` are the ids of all lists with the address: a list adds
 * nothing if one that it contains is among them. An aggregate with a number of lists keeps the others.
 */
export function withoutRepeated<T extends BlocklistEntry>(entries: readonly T[], counted: ReadonlySet<string>): T[] {
  return entries.flatMap((entry) => {
    const repeated = entry.contains?.filter((id) => id !== entry.source.id && counted.has(id)).length ?? 0;
    if (repeated === 0) return [entry];
    const lists = (entry.lists ?? 1) - repeated;
    return lists > 0 ? [{ ...entry, lists }] : [];
  });
}

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

/**
 * Gives the contributions at most `limit.points` together, those with the most points first. The explanation says where
 * points were taken away, and still adds up.
 */
export function limitPoints(contributions: readonly Contribution[], limit: Limit | undefined): Contribution[] {
  if (limit === undefined) return [...contributions];
  let left: number = limit.points;
  return [...contributions]
    .sort((a, b) => b.points - a.points)
    .map((contribution) => {
      const points = Math.min(contribution.points, left);
      left -= points;
      if (points === contribution.points) return contribution;
      return { ...contribution, points, what: `${contribution.what}, limited ${limit.because}` };
    });
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
