/**
 * The registration date of an AS number in 16 bits: year - 1980, month and day in 7, 4 and 5 bits, as in a FAT
 * directory. 0: unknown. AS numbers are younger than 1980; a date outside of the range is not known any better.
 */
const FIRST_YEAR = 1980;
const LAST_YEAR = FIRST_YEAR + 127;

/** `date` is yyyy-mm-dd. */
export function encodeDate(date: string | undefined): number {
  const [year = 0, month = 0, day = 0] = date?.split('-').map(Number) ?? [];
  return year < FIRST_YEAR || year > LAST_YEAR ? 0 : ((year - FIRST_YEAR) << 9) | (month << 5) | day;
}

export function decodeDate(date: number): string | undefined {
  if (date === 0) return undefined;
  const twoDigits = (value: number) => String(value).padStart(2, '0');
  return `${FIRST_YEAR + (date >>> 9)}-${twoDigits((date >>> 5) & 15)}-${twoDigits(date & 31)}`;
}
