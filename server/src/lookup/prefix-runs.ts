/** Consecutive addresses of a range that have the same match. */
import type { Match } from '@whence/dataset/internal/file/format';
import type { Dataset } from '@whence/dataset/internal/file/read';
import { fromBigInt } from '@whence/dataset/prefix';

type RangeRun = { start: bigint; end: bigint; match: Match };

/** In ascending order, unannounced space (match 0) included. Adjacent runs with the same match are merged. */
export function* runsWithin(dataset: Dataset, version: 4 | 6, start: bigint, end: bigint): Generator<RangeRun> {
  let open: RangeRun | undefined;
  for (let at = start; at <= end; ) {
    const address = fromBigInt(at, version);
    const match = dataset.find(address);
    const bounds = dataset.bounds(address);
    // In unannounced space a table may not know the end of the run; then it advances by one address.
    const last = bounds.end < at ? at : bounds.end;
    const runEnd = last > end ? end : last;
    if (open?.match === match) open.end = runEnd;
    else {
      if (open !== undefined) yield open;
      open = { start: at, end: runEnd, match };
    }
    at = runEnd + 1n;
  }
  if (open !== undefined) yield open;
}
