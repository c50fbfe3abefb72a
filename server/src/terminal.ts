/** Where a command writes. All but `write` as Node's streams have it: `write` may return false, then wait for `drain`. */
export type Output = {
  write(text: string | Uint8Array): unknown;
  on?(event: 'drain' | 'error', listener: (error: Error) => void): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
};

/** The outcome of a command that was used rightly: 0 fine, 1 the answer is no. */
export type ExitCode = 0 | 1;

/** Thrown when a command was used wrongly; the program prints the message and ends with 2. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** Columns as wide as their widest cell; numbers are for the caller to pad. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
  const formatRow = (row: readonly string[]) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd();
  return rows.map((row) => `${formatRow(row)}\n`).join('');
}

export function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}

export function formatMegabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
