/**
 * The first number in from..to for which `isBefore` is false; it is true for all before and false
 * for all after.
 */
export function lowerBound(from: number, to: number, isBefore: (at: number) => boolean): number {
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (isBefore(middle)) from = middle + 1;
    else to = middle;
  }
  return from;
}
