/**
 * The networks that announce the prefix of an address, the one of the record first, then the others (MOAS); and, where
 * validated ROA payloads are known, whether each is authorised.
 */
import type { Address } from '@whence/dataset/address';
import { type Match, prefixLength } from '@whence/dataset/format';
import type { Dataset } from '@whence/dataset/read';
import { formatVrp, isMatched, originState, type RpkiState, type VrpTable } from './vrps.ts';

export type Origin = { asn: number; asn_name?: string; rpki?: RpkiState };
export type Roa = { asn: number; prefix: string; max_length: number };
/** `roas` are those that decide: the matching ones of a valid origin, all that cover the prefix of an invalid one. */
export type Routing = { origins: Origin[]; roas?: Roa[] };

export function routingOf(dataset: Dataset, address: Address, match: Match, vrps?: VrpTable): Routing {
  const first = dataset.asnNumber(match);
  const others = dataset.otherOrigins(address, match).map(({ asn }) => asn);
  const origins = [...new Set([first, ...others])].map((asn) => describeOrigin(dataset, asn));
  if (vrps === undefined) return { origins };
  const length = prefixLength(match);
  const covering = vrps.covering(address, length);
  const states = origins.map((origin) => ({ ...origin, rpki: originState(covering, length, origin.asn) }));
  const isAnyInvalid = states.some(({ rpki }) => rpki === 'invalid');
  const deciding = isAnyInvalid
    ? covering
    : covering.filter((vrp) => origins.some(({ asn }) => isMatched(vrp, length, asn)));
  return { origins: states, ...(deciding.length > 0 && { roas: deciding.map(formatVrp) }) };
}

/** A network that announces only this prefix, beside another one, may have no name. */
function describeOrigin(dataset: Dataset, asn: number): Origin {
  const name = dataset.asn(asn)?.asn_name;
  return name === undefined ? { asn } : { asn, asn_name: name };
}
