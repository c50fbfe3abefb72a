/**
 * Names that the evidence shows and the record does not: the crawlers that fetch from an address, and the relay behind
 * it. Several lists may name the same address; each gives a row.
 */
import type { Facts, Reason } from './describe.ts';

export function evidenceNames({ listings }: Pick<Facts, 'listings'>): Reason[] {
  return listings.flatMap(({ overlay: { source, drives, crawler, operator, isRelay } }): Reason[] => [
    ...(crawler === undefined ? [] : [['crawler', source, crawler] as const]),
    ...(isRelay === true && operator !== undefined && drives.includes('is_vpn')
      ? [['relay', source, operator] as const]
      : []),
  ]);
}
