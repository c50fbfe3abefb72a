/**
 * What the registration of a network says about its kind. In Brazil, Bangladesh or Ukraine most small networks sell
 * internet access; in the United States or Australia most belong to companies that use it.
 */
import { rirOfAsn } from '../../data-files/rir.ts';

/** Numbers up to here were given out until about 2009, and to larger organisations. */
const LAST_16_BIT = 65_535;

/** `country`: where most of its space is registered. */
export function regionSignals(asn: number, country: string | undefined): string[] {
  const registry = rirOfAsn(asn);
  return [
    ...(country === undefined ? [] : [`country ${country}`]),
    asn <= LAST_16_BIT ? 'old number' : `number of ${registry ?? 'no registry'}`,
  ];
}
