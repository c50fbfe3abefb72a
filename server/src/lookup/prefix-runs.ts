/** Runs of addresses with one match inside a range, found by walking from one to the next. */
import type { Match } from '@whence/dataset/format';
import { fromBigInt } from '@whence/dataset/prefix';
import type { Dataset } from '@whence/dataset/read';

export type RangeRun = { start: bigint; end: bigint; match: Match };

/** In ascending order, unannounced space (match 0) included. Adjacent pieces with the same match are one. */
export function* runsWithin(dataset: Dataset, version: 4 | 6, start: bigint, end: bigint): Generator<RangeRun> {
  let open: RangeRun | undefined;
  for (let at = start; at <= end; ) {
    const address = fromBigInt(at, version);
    const match = dataset.find(address);
    const bounds = dataset.bounds(address);
    // A table may know less of unannounced space than where it ends; one address is progress all the same.
    const last = bounds.end < at ? at : bounds.end;
    const pieceEnd = last > end ? end : last;
    if (open?.match === match) open.end = pieceEnd;
    else {
      if (open !== undefined) yield open;
      open = { start: at, end: pieceEnd, match };
    }
    at = pieceEnd + 1n;
  }
  if (open !== undefined) yield open;
}
