/** The networks that announce the prefix of an address: the one of the record first, then the others (MOAS). */
import type { Address } from '@whence/dataset/address';
import type { Match } from '@whence/dataset/format';
import type { Dataset } from '@whence/dataset/read';

export type Origin = { asn: number; asn_name?: string };
export type Routing = { origins: Origin[] };

export function routingOf(dataset: Dataset, address: Address, match: Match): Routing {
  const first = dataset.asnNumber(match);
  const others = dataset.otherOrigins(address, match).map(({ asn }) => asn);
  return { origins: [...new Set([first, ...others])].map((asn) => describeOrigin(dataset, asn)) };
}

/** A network that announces only this prefix, beside another one, may have no name. */
function describeOrigin(dataset: Dataset, asn: number): Origin {
  const name = dataset.asn(asn)?.asn_name;
  return name === undefined ? { asn } : { asn, asn_name: name };
}
