/** The dataset that answers, or a refusal while there is none; and the credits of its sources. */
import type { Dataset } from '@whence/dataset/read';
import { ApiError } from '../../http/errors.ts';
import type { LiveDataset, ServedDataset } from '../../lookup/live-dataset.ts';

export function requireDataset({ current }: LiveDataset): ServedDataset {
  if (current === undefined) throw new ApiError('DATASET_UNAVAILABLE', { headers: { 'Retry-After': '10' } });
  return current;
}

/** What licences ask to be shown beside results; of some sources, or of all. */
export function creditsOf({ meta }: Dataset, sourceIds?: ReadonlySet<string>): string[] {
  const sources = meta.sources.filter(({ id }) => sourceIds?.has(id) ?? true);
  return [...new Set(sources.map(({ credit }) => credit).filter((credit) => credit !== ''))];
}
