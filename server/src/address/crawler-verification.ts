/**
 * Whether an address is the crawler that it claims to be: by published ranges, else by documented
 * hostnames.
 */
import type { Address } from '@whence/dataset/address';
import type { Dataset } from '@whence/dataset/dataset';
import { findSpecialPurpose } from '@whence/dataset/special-purpose';
import type { CrawlerStatus } from '../vocabulary.ts';
import type { Crawler } from './crawlers.ts';
import type { Hostname } from './hostname.ts';

export type Verification = {
  status: CrawlerStatus;
  by?: 'ranges' | 'name' | 'network';
  hostname?: string;
};

/** `findHostname` is undefined if DNS must not be asked. */
export async function verifyCrawler(
  crawler: Crawler,
  address: Address,
  dataset: Dataset,
  findHostname: ((address: Address) => Promise<Hostname>) | undefined,
): Promise<Verification> {
  if (isInRanges(crawler, address, dataset)) return { status: 'verified', by: 'ranges' };
  if (findSpecialPurpose(address) !== undefined) return { status: 'forged', by: 'network' };
  const byNetwork = (status: CrawlerStatus): Verification =>
    status === 'unknown' && isForeign(crawler, address, dataset)
      ? { status: 'forged', by: 'network' }
      : { status };
  if (crawler.hostname === undefined) return byNetwork(withoutName(crawler, dataset));
  if (findHostname === undefined) return byNetwork('unknown');
  const { name, is_confirmed, error } = await findHostname(address);
  const hostname = name === undefined ? {} : { hostname: name };
  if (error !== undefined) return { ...byNetwork('unknown'), ...hostname };
  if (is_confirmed === true && name !== undefined && crawler.hostname.test(name))
    return { status: 'verified', by: 'name', ...hostname };
  return {
    status: crawler.may_lack_name === true ? withoutName(crawler, dataset) : 'forged',
    ...hostname,
  };
}

/**
 * A network that cannot be the crawler's: not one of the operator's own, or one of homes and
 * phones.
 */
function isForeign({ networks }: Crawler, address: Address, dataset: Dataset): boolean {
  const match = dataset.find(address);
  if (match === 0) return true;
  if (networks !== undefined) return !networks.includes(dataset.asnNumber(match));
  const { connection_type } = dataset.attributes(dataset.attributesOf(match));
  return connection_type === 'residential' || connection_type === 'mobile';
}

function isInRanges(
  { name, has_ranges, is_scanner }: Crawler,
  address: Address,
  dataset: Dataset,
): boolean {
  const match = dataset.find(address);
  if (match === 0 || has_ranges !== true) return false;
  const wanted = is_scanner === true ? 'scanner' : 'crawler';
  return dataset
    .decisions(dataset.attributesOf(match))
    .some(([field, , value]) => field === wanted && value === name);
}

function withoutName({ name, has_ranges, is_scanner }: Crawler, { meta }: Dataset): CrawlerStatus {
  if (has_ranges !== true) return 'unverifiable';
  if (is_scanner === true)
    return meta.sources.some(({ id }) => id === 'scanners') ? 'not_listed' : 'unknown';
  const end = `-${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`;
  return meta.sources.some(({ id }) => id.startsWith('crawler-') && id.endsWith(end))
    ? 'not_listed'
    : 'unknown';
}
