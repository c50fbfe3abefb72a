/** What a benchmark or a long test prints: progress, counts, tables with aligned columns. */
import { loadavg } from 'node:os';

export const print = (text: string) => process.stdout.write(`${text}\n`);
export const loadAverage = () => `load average ${loadavg()[0]?.toFixed(1)}`;
export const formatCount = (count: number) => count.toLocaleString('en-US');

/**
 * Names from datasets and feeds may contain terminal control sequences: anything but printable
 * characters is dropped.
 */
export const printable = (text: string) => text.replace(/[\p{C}\u2028\u2029]/gu, '');

/** Columns as wide as their widest cell. Numbers are padded by the caller. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows)
    for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, cell.length);
  const lines = rows.map((row) =>
    row.map((cell, i) => printable(cell).padEnd(widths[i] ?? 0)).join('  '),
  );
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}
