/** Addresses of one CIDR or range, or numbers of one range, unless --limit says otherwise: a /12 of IPv4. */
export const EXPANSION_LIMIT = 1 << 20;
