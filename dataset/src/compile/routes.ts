/**
 * One table of announcements from several sources. The most trusted comes first; a later source speaks only where the earlier ones are
 * silent, because a table that lacks a prefix and a table that has another one disagree, and the better table is right.
 * Within a table the narrowest prefix wins, as it does in a router.
 */
import { flatten, type Layer, Ranges, sweep } from './ranges.ts';

/** `sourceOf[row]` is the position of the source that a row comes from. */
export type JoinedRoutes = { readonly layer: Layer; readonly sourceOf: readonly number[] };

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
      sweep([flatten(ranges), flatten(later)], (start, end, [earlierRow = -1, laterRow = -1]) => {
        if (laterRow < 0) return;
        if (earlierRow >= 0) isCut[laterRow] = 1;
        else gaps.push([start, end, laterRow]);
      });
    }
    // A row that nobody cuts stays whole, so that announcements inside it keep their own prefixes.
    for (let row = 0; row < later.length; row++)
      if (isCut[row] === 0) add(starts[row] as bigint, ends[row] as bigint, values[row] as number, source);
    for (const [start, end, row] of gaps) if (isCut[row] === 1) add(start, end, values[row] as number, source);
  });
  return { layer: flatten(ranges), sourceOf };
}

/** Rows that hold whatever is announced, and leave the prefixes around them as they are. They come from the source `position`. */
export function insetRoutes({ layer, sourceOf }: JoinedRoutes, inset: Ranges, position: number): JoinedRoutes {
  if (inset.length === 0) return { layer, sourceOf };
  const ranges = new Ranges();
  for (const { starts, ends, values } of [layer.ranges, inset])
    for (let row = 0; row < values.length; row++)
      ranges.add(starts[row] as bigint, ends[row] as bigint, values[row] as number);
  const runs = { starts: [] as bigint[], ends: [] as bigint[], rows: [] as number[] };
  sweep([flatten(inset), layer], (start, end, [insetRow = -1, row = -1]) => {
    runs.starts.push(start);
    runs.ends.push(end);
    runs.rows.push(insetRow < 0 ? row : layer.ranges.length + insetRow);
  });
  return { layer: { ranges, ...runs }, sourceOf: [...sourceOf, ...inset.values.map(() => position)] };
}
