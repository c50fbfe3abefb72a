/** Why the score of a record may be too low, for answers that only have its address. */
import { parseAddress } from '@whence/dataset/address';
import type { Dataset } from '@whence/dataset/dataset';
import type { ThreatGap } from '@whence/dataset/record';
import type { LiveDataset } from './live-dataset.ts';

/** Undefined if the score is complete. */
export function threatGapOf(dataset: Dataset, ip: string): ThreatGap | undefined {
  const address = parseAddress(ip);
  const match = address === undefined ? 0 : dataset.find(address);
  return address === undefined || match === 0
    ? undefined
    : dataset.threatGap(address.version, match);
}

/** By the dataset that answers when it is called. */
export const threatKnownBy =
  (live: Pick<LiveDataset, 'current'>) =>
  (ip: string): boolean =>
    live.current !== undefined && threatGapOf(live.current.dataset, ip) === undefined;
