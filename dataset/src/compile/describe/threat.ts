/**
 * The threat score: a sum of named contributions, capped at 100. Anonymity alone is not a threat: a VPN stays low. A
 * server is not a threat by itself, so a datacenter adds nothing.
 */
import { compareLastDays } from '../../data-age.ts';
import type { Drive } from '../../feeds/feed.ts';
import { levelOf, type Source, type Threat } from '../../record.ts';

/** What adds points if a list says it. */
export const SCORING_DRIVES: readonly Drive[] = ['is_tor_exit', 'is_proxy', 'is_vpn', 'blocklist', 'criminal_netblock'];

/** Points by the number of blocklists an address is on. Five or more count as five. */
const BLOCKLIST_POINTS = [0, 15, 30, 50, 65, 80] as const;

const BELOW_MEDIUM = 24;
const BELOW_HIGH = 49;
const SHARED = 'because many people share the address';

/**
 * The most that reports add to addresses of which blocklists say little. A report about an address that many people
 * share is about one of them: a CDN stays below `medium`, and a privacy relay, which gives people another address every
 * few minutes, at 0.
 */
export const REPORT_LIMITS = {
  cdn: { points: BELOW_MEDIUM, because: SHARED },
  relay: { points: 0, because: SHARED },
} as const;

/**
 * The most that all contributions add together. What a known service or a crawler does is expected, whatever lists say
 * about its addresses. Research scanners are reported for scanning, Tor exits and the NAT of mobile networks for what
 * some of their users did: all three stay below `high`.
 */
export const TOTAL_LIMITS = {
  knownGood: (service: string) => ({ points: BELOW_MEDIUM, because: `because ${service} uses the address` }),
  crawler: { points: BELOW_MEDIUM, because: 'because a crawler uses the address' },
  scanner: (operator: string) => ({ points: BELOW_HIGH, because: `because ${operator} scans from the address` }),
  tor: { points: BELOW_HIGH, because: 'because many people share the exit' },
  mobile: { points: BELOW_HIGH, because: SHARED },
} as const;

export type Limit = { readonly points: number; readonly because: string };

/** What one source adds, which may be nothing. `what` is shown in the explanation. */
export type Contribution = {
  readonly what: string;
  readonly source: Source;
  readonly points: number;
  /** Why it adds less than its points. */
  readonly limited?: string;
};

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
 * feeds here too, so it does not add to them: it raises the number of lists to its own count where that is higher. Lists
 * that count longer come first: without those that have become too old, the rest is what it would be without them.
 */
export function rateBlocklists(entries: readonly BlocklistEntry[]): Contribution[] {
  const contributions: Contribution[] = [];
  const singleFirst = [...entries].sort((a, b) => Number(a.lists !== undefined) - Number(b.lists !== undefined));
  let single = 0;
  let counted = 0;
  for (const { source, lists = ++single } of singleFirst.sort((a, b) => compareLastDays(a.source, b.source))) {
    if (lists <= counted) continue;
    const points = blocklistPoints(lists) - blocklistPoints(counted);
    const what = lists - counted === 1 ? 'on a blocklist' : `on ${lists} blocklists`;
    counted = lists;
    if (points > 0) contributions.push({ what, source, points });
  }
  return contributions;
}

function blocklistPoints(lists: number): number {
  return BLOCKLIST_POINTS[Math.min(lists, BLOCKLIST_POINTS.length - 1)] ?? 0;
}

/**
 * Gives the contributions at most `limit.points` together: lists that count longer first, then those with the most
 * points. The explanation says where points were taken away, and still adds up.
 */
export function limitPoints(contributions: readonly Contribution[], limit: Limit | undefined): Contribution[] {
  if (limit === undefined) return [...contributions];
  let left: number = limit.points;
  return [...contributions]
    .sort((a, b) => compareLastDays(a.source, b.source) || b.points - a.points)
    .map((contribution) => {
      const points = Math.min(contribution.points, left);
      left -= points;
      if (points === contribution.points) return contribution;
      const limited = `limited ${limit.because}`;
      return { ...contribution, points, limited, what: `${contribution.what}, ${limited}` };
    });
}

export function rateThreat(contributions: readonly Contribution[]): Threat {
  const score = Math.min(
    100,
    contributions.reduce((sum, { points }) => sum + points, 0),
  );
  const threat: Threat = { score, level: levelOf(score) };
  const explanation = contributions
    .filter(({ points }) => points > 0)
    .sort((a, b) => b.points - a.points)
    .map(({ what, source, points }) => `${what} (${source.id}, ${source.as_of}): +${points}`);
  return { ...threat, ...(explanation.length > 0 && { explanation }) };
}
