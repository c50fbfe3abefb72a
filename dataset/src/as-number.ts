/** Parsing of AS numbers, and the numbers that are reserved. */

export function parseAsn(text: string): number | undefined {
  if (!/^[0-9]{1,10}$/.test(text)) return undefined;
  const asn = Number(text);
  return asn <= MAX_ASN ? asn : undefined;
}

/** Accepts `15169`, `AS15169` and `as15169`. */
export function parsePrefixedAsn(text: string): number | undefined {
  return parseAsn(text.replace(/^AS/i, ''));
}

/** RFC 6793: a router without 4-byte support puts this in place of a number that does not fit into 16 bits. */
const AS_TRANS = 23456;
export const MAX_ASN = 0xffffffff;

/**
 * Numbers that IANA does not assign to networks: 0 (RFC 7607), AS_TRANS, 64496-131071 (documentation, private use and
 * reserved, RFC 5398 and RFC 6996) and everything from 4200000000 (private use and the last number, RFC 6996 and RFC
 * 7300). A route with such an origin is a leak from inside a network.
 */
export function isReservedAsn(asn: number): boolean {
  return asn === 0 || asn === AS_TRANS || (asn >= 64496 && asn <= 131071) || asn >= 4200000000;
}
