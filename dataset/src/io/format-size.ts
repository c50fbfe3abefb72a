/**
 * Sizes and rates of files in messages. Lists may have a few hundred bytes, routing tables a
 * gigabyte.
 */

export function formatSize(bytes: number): string {
  if (bytes < IN_BYTES_BELOW) return `${bytes} bytes`;
  const megabytes = bytes / MEGABYTE;
  return Number.isInteger(megabytes) ? `${megabytes} MB` : `${megabytes.toFixed(1)} MB`;
}

export function formatProgress(bytes: number, total: number): string {
  if (total < IN_BYTES_BELOW) return `${bytes} of ${total} bytes`;
  return `${(bytes / MEGABYTE).toFixed(1)} of ${(total / MEGABYTE).toFixed(1)} MB`;
}

export function formatRate(bytesPerSecond: number): string {
  return bytesPerSecond < 1000
    ? `${bytesPerSecond} bytes/s`
    : `${Number((bytesPerSecond / 1000).toFixed(1))} kB/s`;
}

const MEGABYTE = 1_000_000;
const IN_BYTES_BELOW = 100_000;
