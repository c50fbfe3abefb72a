/** A walk over the runs of addresses inside the prefixes of one network that the network itself announces. */
import { type Match, prefixLength } from '@whence/dataset/internal/file/format';
import type { Dataset } from '@whence/dataset/internal/file/read';
import { parseCidr, parsePrefix } from '@whence/dataset/prefix';
import type { YieldToEventLoop } from './dataset-walks.ts';
import { walkPrefix } from './prefix-walk.ts';

type AnnouncedRun = { readonly start: bigint; readonly end: bigint; readonly match: Match; readonly version: 4 | 6 };

/** True if there are more than `maxRuns`. `onPrefix` is called after the runs of each prefix, with its position. */
export async function walkAnnounced(
  dataset: Dataset,
  asn: number,
  prefixes: readonly string[],
  maxRuns: number,
  yieldToEventLoop: YieldToEventLoop,
  onRun: (run: AnnouncedRun) => void,
  onPrefix: (position: number) => void = () => {},
): Promise<boolean> {
  let left = maxRuns;
  for (const [position, prefix] of prefixes.entries()) {
    if (left <= 0) return true;
    const range = parsePrefix(prefix);
    const length = parseCidr(prefix)?.length;
    if (range === undefined || length === undefined) continue;
    const { version } = range;
    const pause = yieldToEventLoop();
    if (pause !== undefined) await pause;
    const { runs, isTruncated } = await walkPrefix(
      dataset,
      range,
      undefined,
      yieldToEventLoop,
      (start, end, match) => {
        // A more specific prefix belongs to another network, or is in `prefixes` itself.
        if (dataset.asnNumber(match) === asn && prefixLength(match) === length) onRun({ start, end, match, version });
      },
      left,
    );
    onPrefix(position);
    if (isTruncated) return true;
    left -= runs;
  }
  return false;
}
