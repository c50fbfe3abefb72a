// The threat score: named contributions, at most 100. Neither anonymity nor a datacenter is a
// threat by itself.
import { compareLastDays } from '../../data-age.ts';
import type { Drive } from '../../feeds/feed.ts';
import { levelOf, type Source, type Threat } from '../../record.ts';

export const SCORING_DRIVES: readonly Drive[] = [
  'is_tor_exit',
  'is_proxy',
  'is_vpn',
  'blocklist',
  'criminal_netblock',
];

/** Points by the number of blocklists an address is on. Five or more count as five. */
const BLOCKLIST_POINTS = [0, 15, 30, 50, 65, 80] as const;
/** What an address has at least that the operator of a list observed itself. */
const OBSERVED_POINTS = 25;

const BELOW_MEDIUM = 24;
const BELOW_HIGH = 49;
const SHARED = 'because many people share the address';
// 35% of blocklist.de are home connections, most of which have another user a day later.
const CHANGING = 'limited because such addresses change hands';

/**
 * Reports about shared addresses are about one of many people: CDNs stay below `medium`, privacy
 * relays at 0.
 */
export const REPORT_LIMITS = {
  cdn: { points: BELOW_MEDIUM, because: SHARED },
  relay: { points: 0, because: SHARED },
} as const;

/**
 * Limits of the sum. Scanners, Tor exits and mobile NAT are reported for what is expected: they
 * stay below `high`.
 */
export const TOTAL_LIMITS = {
  knownGood: (service: string) => ({
    points: BELOW_MEDIUM,
    because: `because ${service} uses the address`,
  }),
  crawler: { points: BELOW_MEDIUM, because: 'because a crawler uses the address' },
  scanner: (operator: string) => ({
    points: BELOW_HIGH,
    because: `because ${operator} scans from the address`,
  }),
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
 * A blocklist, or an aggregate with its number of blocklists. `contains`: ids of lists that it
 * repeats.
 */
type BlocklistEntry = {
  readonly source: Source;
  readonly lists: number | undefined;
  readonly contains?: readonly string[] | undefined;
  readonly isDirect?: boolean | undefined;
};

/**
 * `counted`: ids of all lists with the address. A list adds nothing if one that it contains is
 * among them.
 */
export function withoutRepeated<T extends BlocklistEntry>(
  entries: readonly T[],
  counted: ReadonlySet<string>,
): T[] {
  return entries.flatMap((entry) => {
    const repeated =
      entry.contains?.filter((id) => id !== entry.source.id && counted.has(id)).length ?? 0;
    if (repeated === 0) return [entry];
    const lists = (entry.lists ?? 1) - repeated;
    return lists > 0 ? [{ ...entry, lists }] : [];
  });
}

/**
 * An aggregate repeats lists that may be feeds too, so it only raises the number of lists. Longest
 * valid first. `isHome`: a home or mobile connection, of which one list says little.
 */
export function rateBlocklists(
  entries: readonly BlocklistEntry[],
  isHome: boolean,
): Contribution[] {
  const contributions: Contribution[] = [];
  const singleFirst = [...entries].sort(
    (a, b) => Number(a.lists !== undefined) - Number(b.lists !== undefined),
  );
  let single = 0;
  let counted = 0;
  let sum = 0;
  let isObserved = false;
  for (const { source, lists = ++single, isDirect = false } of singleFirst.sort((a, b) =>
    compareLastDays(a.source, b.source),
  )) {
    const added = lists - counted;
    counted = Math.max(counted, lists);
    isObserved ||= isDirect;
    const full = Math.max(blocklistPoints(counted), isObserved ? OBSERVED_POINTS : 0);
    const isLimited = isHome && counted === 1 && full > BELOW_MEDIUM;
    const points = (isLimited ? BELOW_MEDIUM : full) - sum;
    if (points <= 0) continue;
    sum += points;
    const what = added > 1 ? `on ${lists} blocklists` : 'on a blocklist';
    contributions.push(
      isLimited
        ? { what: `${what}, ${CHANGING}`, source, points, limited: CHANGING }
        : { what, source, points },
    );
  }
  return contributions;
}

function blocklistPoints(lists: number): number {
  return BLOCKLIST_POINTS[Math.min(lists, BLOCKLIST_POINTS.length - 1)] ?? 0;
}

/**
 * Lists that count longer keep their points first, then those with the most; the explanation still
 * adds up.
 */
export function limitPoints(
  contributions: readonly Contribution[],
  limit: Limit | undefined,
): Contribution[] {
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
