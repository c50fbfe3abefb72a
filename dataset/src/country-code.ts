/** ISO 3166-1 alpha-2 codes as numbers: the two ASCII bytes. */
export const encodeCountry = (country: string): number =>
  (country.charCodeAt(0) << 8) | country.charCodeAt(1);
export const decodeCountry = (value: number): string =>
  String.fromCharCode(value >> 8, value & 0xff);
