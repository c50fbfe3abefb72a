/** The dataset that commands without a server answer from. */

import { DatasetError } from '@whence/dataset/format';
import { openCurrent } from '@whence/dataset/publish';
import type { Dataset } from '@whence/dataset/read';

export function openLocalDataset(dataDir: string): Dataset {
  const dataset = openCurrent(dataDir);
  if (dataset === undefined)
    throw new DatasetError(`there is no dataset in ${dataDir}; build one with: whence dataset build`);
  return dataset;
}
