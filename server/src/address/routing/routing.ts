/**
 * The networks that announce the prefix of an address, the one of the record first, then the others (MOAS); and, where
 * validated ROA payloads are known, whether each is authorised.
 */
import type { Address } from '@whence/dataset/address';
import { type Match, prefixLength } from '@whence/dataset/internal/file/format';
import type { Dataset } from '@whence/dataset/internal/file/read';
import type { Supplement } from '@whence/dataset/internal/supplement/supplement';
import { parseCidr } from '@whence/dataset/prefix';
import { formatVrp, isMatched, originState, type RpkiState, type VrpTable } from './vrps.ts';

export type Origin = { asn: number; asn_name?: string; rpki?: RpkiState };
export type Roa = { asn: number; prefix: string; max_length: number };
/** `roas` are those that decide: the matching ones of a valid origin, all that cover the prefix of an invalid one. */
export type Routing = {
  origins: Origin[];
  roas?: Roa[];
  /** Only where a source says so. */
  is_anycast?: true;
  /** Name of the internet exchange, for addresses of its peering LAN. */
  exchange?: string;
};

type RoutedAddress = {
  readonly dataset: Dataset;
  readonly supplement?: Supplement | undefined;
  readonly address: Address;
  readonly match: Match;
};

export function routingOf({ dataset, supplement, address, match }: RoutedAddress, vrps?: VrpTable): Routing {
  const exchange = supplement?.exchange(address);
  return {
    ...originsOf(dataset, address, match, vrps),
    ...(supplement?.isAnycast(address) === true && { is_anycast: true as const }),
    ...(exchange !== undefined && { exchange }),
  };
}

function originsOf(
  dataset: Dataset,
  address: Address,
  match: Match,
  vrps?: VrpTable,
): Pick<Routing, 'origins' | 'roas'> {
  const origins = originNumbers(dataset, address, match).map((asn) => describeOrigin(dataset, asn));
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

/** The networks that announce the prefix, the one of the record first. */
export function originNumbers(dataset: Dataset, address: Address, match: Match): number[] {
  const others = dataset.otherOrigins(address, match).map(({ asn }) => asn);
  return [...new Set([dataset.asnNumber(match), ...others])];
}

/** Whether the network of the record may originate the prefix. */
export function recordState(dataset: Dataset, address: Address, match: Match, vrps: VrpTable): RpkiState {
  const length = prefixLength(match);
  return originState(vrps.covering(address, length), length, dataset.asnNumber(match));
}

/** The state of each of a network's own prefixes, in their order. Called between two of them, `giveWay` may pause. */
export async function prefixStates(
  vrps: VrpTable,
  asn: number,
  prefixes: readonly string[],
  giveWay: () => Promise<void> | undefined,
): Promise<RpkiState[]> {
  const states: RpkiState[] = [];
  for (const prefix of prefixes) {
    const pause = giveWay();
    if (pause !== undefined) await pause;
    const cidr = parseCidr(prefix);
    const covering = cidr === undefined ? [] : vrps.covering(cidr.address, cidr.length);
    states.push(originState(covering, cidr?.length ?? 0, asn));
  }
  return states;
}

/** A network that announces only this prefix, beside another one, may have no name. */
function describeOrigin(dataset: Dataset, asn: number): Origin {
  const name = dataset.asn(asn)?.asn_name;
  return name === undefined ? { asn } : { asn, asn_name: name };
}
