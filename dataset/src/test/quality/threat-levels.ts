/**
 * Which levels the addresses of stored lists have: with the lists that are on by default, and with
 * all of them.
 */
import { knownGood } from '../../data-files/data-files.ts';
import { builtInFeeds } from '../../feeds/catalogue.ts';
import type { Drive, Feed } from '../../feeds/feed.ts';
import type { IngestedFeed } from '../../feeds/ingest.ts';
import type { Dataset } from '../../file/read.ts';
import { fromBigInt } from '../../prefix.ts';
import { THREAT_LEVELS, type Threat } from '../../record.ts';

const SCORED: readonly Drive[] = ['is_tor_exit', 'criminal_netblock', 'blocklist', 'is_proxy'];
/** From this score on, what is known to be good is flagged wrongly. */
const FLAGGED_SCORE = 25;

/** `datasetOf`: with these lists, whatever their age. */
export function threatLevelTable(
  stored: readonly IngestedFeed[],
  datasetOf: (lists: readonly IngestedFeed[]) => Dataset,
): string {
  const lists = stored.map(asInCatalogue);
  const measured = lists.filter(({ feed }) => feed.drives.some((drive) => SCORED.includes(drive)));
  const variants = [lists.filter(({ feed }) => feed.mode !== 'opt-in'), lists].map(datasetOf);
  const rows = measured.flatMap(({ feed, parsed }) => {
    const { starts } = parsed.shape === 'prefixes' ? parsed.ranges[4] : { starts: [] };
    const shares = variants.map((dataset) => levelShares(dataset, starts));
    const count = starts.length.toLocaleString('en-US');
    return starts.length === 0 ? [] : [`| \`${feed.id}\` | ${count} | ${shares.join(' | ')} |\n`];
  });
  const flagged = variants.map((dataset) => {
    const scores = knownGoodScores(dataset);
    return `${scores.filter((score) => score >= FLAGGED_SCORE).length} of ${scores.length}`;
  });
  return (
    `| list | rows | default catalogue | with the opt-in lists |\n|---|---|---|---|\n${rows.join('')}\n` +
    `Known-good addresses at ${FLAGGED_SCORE} points or more: ${flagged[0]} with the default catalogue, ` +
    `${flagged[1]} with the opt-in lists.\n`
  );
}

/** Stored lists do not say what the catalogue knows about them. */
function asInCatalogue(list: IngestedFeed): IngestedFeed {
  const known = builtInFeeds().find(({ id }) => id === list.feed.id);
  if (known === undefined) return list;
  const { mode, is_aggregate, direct, contains } = known;
  const fields: Partial<Feed> = {
    mode,
    ...(is_aggregate && { is_aggregate }),
    ...(direct && { direct }),
    ...(contains && { contains }),
  };
  return { ...list, feed: { ...list.feed, ...fields } };
}

/** The percentage of rows at each level, by their first address; only rows that are announced. */
function levelShares(dataset: Dataset, starts: readonly bigint[]): string {
  const levels = starts.flatMap((start) => threatAt(dataset, start, 4)?.level ?? []);
  return THREAT_LEVELS.map((level) => {
    const count = levels.filter((one) => one === level).length;
    return ((100 * count) / Math.max(1, levels.length)).toFixed(1);
  }).join(' · ');
}

const knownGoodScores = (dataset: Dataset): number[] =>
  knownGood.rows.flatMap(
    ({ prefix: { start, version } }) => threatAt(dataset, start, version)?.score ?? [],
  );

function threatAt(dataset: Dataset, start: bigint, version: 4 | 6): Threat | undefined {
  const match = dataset.find(fromBigInt(start, version));
  return match === 0 ? undefined : dataset.attributes(dataset.attributesOf(match)).threat;
}
