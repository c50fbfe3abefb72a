/**
 * Rows of a report as bytes: a million rows are added up in a fifth of a second, which objects and JSON do not allow.
 *
 *   shape   id f64, number of rows u32, then each row
 *   row     0 u8 and an IPv4 address i32, or the length u8 and the text of an IPv6 address; then messages f64
 */
import { isIPv4 } from 'node:net';
import { ipv4Number } from '../spf/passing.ts';

/** Messages by address. */
export type ShapeCounts = { readonly id: number; readonly counts: ReadonlyMap<string, number> };

/** About 60 kB. */
const ROWS_PER_PAGE = 4_000;
export const SHAPE_BYTES = 12;
const MAX_ROW_BYTES = 1 + 45 + 8;

/** In order, so that the same rows are the same bytes. */
export function packRows(shapes: readonly ShapeCounts[]): Buffer[] {
  const pages: Buffer[] = [];
  const page = Buffer.alloc(ROWS_PER_PAGE * (SHAPE_BYTES + MAX_ROW_BYTES));
  let [at, rows] = [0, 0];
  const endPage = () => {
    if (rows > 0) pages.push(Buffer.from(page.subarray(0, at)));
    [at, rows] = [0, 0];
  };
  for (const { id, counts } of shapes) {
    let left = counts.size;
    for (const address of [...counts.keys()].sort()) {
      if (rows === ROWS_PER_PAGE) endPage();
      if (rows === 0 || left === counts.size)
        at = page.writeUInt32LE(Math.min(left, ROWS_PER_PAGE - rows), page.writeDoubleLE(id, at));
      left--;
      rows++;
      if (isIPv4(address)) at = page.writeInt32LE(ipv4Number(address) | 0, page.writeUInt8(0, at));
      else at = page.writeUInt8(address.length, at) + page.write(address, at + 1, 'latin1');
      at = page.writeDoubleLE(counts.get(address) ?? 0, at);
    }
  }
  endPage();
  return pages;
}
