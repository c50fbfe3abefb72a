/**
 * Who scans the internet for research from an address, by the first source that names an operator.
 */

import type { Dataset } from '@whence/dataset/dataset';
import type { Match } from '@whence/dataset/match';

export type Scanner = { operator: string };

export function scannerOf(dataset: Dataset, match: Match): Scanner | undefined {
  const operator = dataset
    .decisions(dataset.attributesOf(match))
    .find(([field]) => field === 'scanner')?.[2];
  return typeof operator === 'string' ? { operator } : undefined;
}
