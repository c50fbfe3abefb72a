/** The dataset that answers, or a refusal while there is none; the credits of its sources; what it cannot know. */
import { datedFlags, unknownFlags } from '@whence/dataset/flag-sources';
import type { Dataset } from '@whence/dataset/read';
import { ApiError } from '../../http/errors.ts';
import type { LiveDataset, ServedDataset } from '../../lookup/live-dataset.ts';
import type { DatasetLimits } from '../wire.ts';

export function requireDataset({ current }: LiveDataset): ServedDataset {
  if (current === undefined) throw new ApiError('DATASET_UNAVAILABLE', { headers: { 'Retry-After': '10' } });
  return current;
}

/** What licences ask to be shown beside results; of some sources, or of all. */
export function creditsOf({ meta }: Dataset, sourceIds?: ReadonlySet<string>): string[] {
  const sources = meta.sources.filter(({ id }) => sourceIds?.has(id) ?? true);
  return [...new Set(sources.map(({ credit }) => credit).filter((credit) => credit !== ''))];
}

export function limitsOf({ meta: { flag_sources } }: Dataset): DatasetLimits {
  return {
    unknown: unknownFlags(flag_sources),
    dated: datedFlags(flag_sources).map((subject) => {
      const { as_of } = flag_sources[subject];
      return { subject, ...(as_of === undefined ? {} : { as_of }) };
    }),
  };
}
