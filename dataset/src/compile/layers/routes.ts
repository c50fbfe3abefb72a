/**
 * One routing table from several sources, the most trusted first. A later source is used only for addresses that no
 * earlier one covers: where a table lacks a prefix and has another one there, the two tables disagree, and the more
 * trusted decides. Within a table the longest prefix decides, as in a router.
 */
import { flatten, type Layer, Ranges } from '../../ranges.ts';
import { LayerCursor, sweep } from '../../sweep.ts';

/** `sourceOf[row]` is the position of the row's source. */
type JoinedRoutes = { readonly layer: Layer; readonly sourceOf: readonly number[] };

export function joinRoutes(sources: readonly Ranges[]): JoinedRoutes {
  const ranges = new Ranges();
  const sourceOf: number[] = [];
  const add = (start: bigint, end: bigint, asn: number, source: number) => {
    ranges.add(start, end, asn);
    sourceOf.push(source);
  };
  sources.forEach((later, source) => {
    const { starts, ends, values } = later;
    const isCut = new Uint8Array(later.length);
    const gaps: [start: bigint, end: bigint, row: number][] = [];
    if (ranges.length > 0) {
      const atEarlier = new LayerCursor(flatten(ranges));
      const atLater = new LayerCursor(flatten(later));
      sweep([atEarlier, atLater], (start, end) => {
        if (atLater.row < 0) return;
        if (atEarlier.row >= 0) isCut[atLater.row] = 1;
        else gaps.push([start, end, atLater.row]);
      });
    }
    // A row that no earlier source cuts stays whole, so that announcements inside it keep their own prefixes.
    for (let row = 0; row < later.length; row++)
      if (isCut[row] === 0) add(starts[row] as bigint, ends[row] as bigint, values[row] as number, source);
    for (const [start, end, row] of gaps) if (isCut[row] === 1) add(start, end, values[row] as number, source);
  });
  return { layer: flatten(ranges), sourceOf };
}
