/** Sizes of feeds, in the words of a message. */
export function formatMegabytes(bytes: number): string {
  return `${inMegabytes(bytes)} MB`;
}

/** `1.2 of 5.0 MB` */
export function formatProgress(bytes: number, total: number): string {
  return `${(bytes / MEGABYTE).toFixed(1)} of ${(total / MEGABYTE).toFixed(1)} MB`;
}

const MEGABYTE = 1_000_000;

function inMegabytes(bytes: number): string {
  const megabytes = bytes / MEGABYTE;
  if (Number.isInteger(megabytes) || megabytes >= 100) return megabytes.toFixed(0);
  return megabytes >= 0.1 ? megabytes.toFixed(1) : megabytes.toPrecision(1);
}
