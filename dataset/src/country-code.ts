/** ISO 3166-1 alpha-2 codes as numbers: the two ASCII bytes. */
export const encodeCountry = (country: string): number => (country.charCodeAt(0) << 8) | country.charCodeAt(1);
export const decodeCountry = (value: number): string => String.fromCharCode(value >> 8, value & 0xff);

/** False for `ZZ`, `XX`, `EU` and `AP`, which registries and feeds use where there is no single country. */
export function isCountry(text: string): boolean {
  return /^[A-Z]{2}$/.test(text) && text !== 'ZZ' && text !== 'XX' && text !== 'EU' && text !== 'AP';
}
