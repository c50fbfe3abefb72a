/**
 * Whether an address that calls itself a crawler is one: by the ranges that the operator publishes, as far as the dataset
 * has them, else by the hostname where the operator documents names.
 */
import type { Address } from '@whence/dataset/address';
import type { Dataset } from '@whence/dataset/internal/file/read';
import type { Crawler } from './crawlers.ts';
import type { Hostname } from './hostname.ts';

/**
 * `forged`: DNS says that the address is not the crawler's. `not_listed`: the address is not in the dataset's copy of the
 * ranges, which may be older than the address. `unverifiable`: the operator documents no way. `unknown`: DNS did not answer,
 * or was not asked, or the dataset has no copy.
 */
export const CRAWLER_STATUSES = ['verified', 'forged', 'not_listed', 'unverifiable', 'unknown'] as const;
export type CrawlerStatus = (typeof CRAWLER_STATUSES)[number];

export type Verification = { status: CrawlerStatus; by?: 'ranges' | 'name'; hostname?: string };

/** `findHostname` is undefined if DNS must not be asked. */
export async function verifyCrawler(
  crawler: Crawler,
  address: Address,
  dataset: Dataset,
  findHostname: ((address: Address) => Promise<Hostname>) | undefined,
): Promise<Verification> {
  if (isInRanges(crawler, address, dataset)) return { status: 'verified', by: 'ranges' };
  if (crawler.hostname === undefined) return { status: withoutName(crawler, dataset) };
  if (findHostname === undefined) return { status: 'unknown' };
  const { name, is_confirmed, error } = await findHostname(address);
  const hostname = name === undefined ? {} : { hostname: name };
  if (error !== undefined) return { status: 'unknown', ...hostname };
  if (is_confirmed === true && name !== undefined && crawler.hostname.test(name))
    return { status: 'verified', by: 'name', ...hostname };
  return { status: crawler.mayLackName === true ? withoutName(crawler, dataset) : 'forged', ...hostname };
}

function isInRanges({ ranges = [] }: Crawler, address: Address, dataset: Dataset): boolean {
  const match = dataset.find(address);
  if (match === 0) return false;
  return dataset
    .decisions(dataset.attributesOf(match))
    .some(([field, , value]) => field === 'crawler' && ranges.some((name) => name === value));
}

function withoutName({ ranges = [] }: Crawler, { meta }: Dataset): CrawlerStatus {
  if (ranges.length === 0) return 'unverifiable';
  const ends = ranges.map((name) => `-${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`);
  const isCopied = meta.sources.some(({ id }) => id.startsWith('crawler-') && ends.some((end) => id.endsWith(end)));
  return isCopied ? 'not_listed' : 'unknown';
}
