export function parseAsn(text: string): number | undefined {
  if (!/^[0-9]{1,10}$/.test(text)) return undefined;
  const asn = Number(text);
  return asn <= MAX_ASN ? asn : undefined;
}

export function parsePrefixedAsn(text: string): number | undefined {
  return parseAsn(text.replace(/^AS/i, ''));
}

/**
 * RFC 6793: a router without 4-byte support puts this in place of a number that does not fit into
 * 16 bits.
 */
const AS_TRANS = 23456;
export const MAX_ASN = 0xffffffff;

/** What a number is for, if IANA does not assign it to networks. */
export function reservedAsnUse(asn: number): string | undefined {
  if ((asn >= 64512 && asn <= 65534) || (asn >= 4200000000 && asn < MAX_ASN))
    return 'private use (RFC 6996)';
  if ((asn >= 64496 && asn <= 64511) || (asn >= 65536 && asn <= 65551))
    return 'documentation (RFC 5398)';
  if (asn === AS_TRANS) return 'routers without four-byte numbers (RFC 6793)';
  return isReservedAsn(asn) ? 'no network: it is reserved' : undefined;
}

/**
 * Not assigned by IANA to networks (RFC 7607, 5398, 6996, 7300): a route with such an origin is a
 * leak.
 */
export function isReservedAsn(asn: number): boolean {
  return asn === 0 || asn === AS_TRANS || (asn >= 64496 && asn <= 131071) || asn >= 4200000000;
}
