/** Aligned columns and numbers for a terminal. */
import { printable } from './printable.ts';

/** Columns as wide as their widest cell, each cell printable. Numbers are padded by the caller. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map(printable));
  const columns = Math.max(0, ...cells.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, i) => Math.max(...cells.map((row) => row[i]?.length ?? 0)));
  const formatRow = (row: readonly string[]) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd();
  return cells.map((row) => `${formatRow(row)}\n`).join('');
}

export function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}

export function formatMegabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
