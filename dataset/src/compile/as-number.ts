/** AS numbers as feeds and people write them, and the numbers that no network has. */

export function parseAsn(text: string): number | undefined {
  if (!/^[0-9]{1,10}$/.test(text)) return undefined;
  const asn = Number(text);
  return asn <= MAX_ASN ? asn : undefined;
}

/** As people write it: `15169`, `AS15169`, `as15169`. */
export function parsePrefixedAsn(text: string): number | undefined {
  return parseAsn(text.replace(/^AS/i, ''));
}

/** RFC 6793: what an old router writes for a number that does not fit into its 16 bits. */
export const AS_TRANS = 23456;
export const MAX_ASN = 0xffffffff;

/**
 * IANA keeps these from networks: 0 (RFC 7607), AS_TRANS, 64496-131071 (documentation, private use and a reserve, RFC 5398 and
 * RFC 6996) and everything from 4200000000 (private use and the last number, RFC 6996 and RFC 7300). Where one shows up as an
 * origin, a network has leaked what was meant for its inside.
 */
export function isReservedAsn(asn: number): boolean {
  return asn === 0 || asn === AS_TRANS || (asn >= 64496 && asn <= 131071) || asn >= 4200000000;
}
