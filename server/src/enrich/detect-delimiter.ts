/**
 * Which character separates the cells of a CSV file, from its first rows. Spreadsheets write semicolons where the comma
 * is the decimal mark, and exports of databases write tabs, also in files that are called .csv.
 */
import { isIP } from 'node:net';
import { cellTexts, rowEndFinder } from './csv-row.ts';

/** The first of them wins when nothing tells them apart. */
const CANDIDATES = [',', ';', '\t'] as const;
const MAX_ROWS = 10;
const MAX_BYTES = 65_536;

/** Undefined if no candidate splits the first row: the file may have a single column. */
export function detectDelimiter(head: Buffer): string | undefined {
  let best: { delimiter: string; rank: number[] } | undefined;
  for (const delimiter of CANDIDATES) {
    const rows = firstRows(head, delimiter.charCodeAt(0));
    const columns = rows[0]?.length ?? 0;
    if (columns < 2) continue;
    // In `192.0.2.1;3,5` only the semicolon leaves an address. Rows of equal length come next, then more columns.
    const hasAddress = rows.some((cells) => cells.some((cell) => isIP(cell.trim()) !== 0));
    const isEven = rows.every((cells) => cells.length === columns);
    const rank = [Number(hasAddress), Number(isEven), columns];
    if (best === undefined || isHigher(rank, best.rank)) best = { delimiter, rank };
  }
  return best?.delimiter;
}

function isHigher(rank: readonly number[], other: readonly number[]): boolean {
  const at = rank.findIndex((value, i) => value !== other[i]);
  return at >= 0 && (rank[at] as number) > (other[at] as number);
}

/** Without the last row if it may be cut off. */
function firstRows(head: Buffer, delimiter: number): string[][] {
  const bytes = head.subarray(0, MAX_BYTES);
  const findEnd = rowEndFinder(delimiter);
  const rows: string[][] = [];
  for (let start = 0; start < bytes.length && rows.length < MAX_ROWS; ) {
    const found = findEnd(bytes, start, bytes.length);
    if (found < 0 && rows.length > 0) break;
    const next = found < 0 ? bytes.length : found;
    const text = bytes.subarray(start, next).toString('latin1').trimEnd();
    if (text !== '') rows.push(cellTexts(bytes, start, start + text.length, delimiter));
    start = next;
  }
  return rows;
}
