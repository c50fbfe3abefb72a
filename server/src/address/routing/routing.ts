/**
 * Origins of an address's prefix, the record's first, then others (MOAS), and whether VRPs
 * authorise each.
 */
import { setImmediate } from 'node:timers/promises';
import type { Address } from '@whence/dataset/address';
import type { Dataset } from '@whence/dataset/dataset';
import { typeSourceOf } from '@whence/dataset/evidence';
import { type Match, prefixLength } from '@whence/dataset/match';
import { parseCidr } from '@whence/dataset/prefix';
import type { TypeSource } from '@whence/dataset/record';
import { formatVrp, isMatched, originState, type RpkiState, type VrpTable } from './vrps.ts';

/**
 * `peers`: how many peers of the route collectors see it as the origin, where several networks
 * announce the prefix.
 */
export type Origin = { asn: number; asn_name?: string; peers?: number; rpki?: RpkiState };
type Roa = { asn: number; prefix: string; max_length: number };
/**
 * `roas` are those that decide: the matching ones of a valid origin, all that cover the prefix of
 * an invalid one.
 */
export type Routing = {
  origins: Origin[];
  /** Seen by very few peers beside an origin that nearly all see: a leak or a mistake. */
  rare_origins?: Origin[];
  /**
   * The prefix was made from ranges and may be wider than what is announced, so RPKI says nothing
   * about it.
   */
  prefix_is_derived?: true;
  connection_type_source?: TypeSource;
  roas?: Roa[];
};

export type MatchedAddress = {
  readonly dataset: Dataset;
  readonly address: Address;
  readonly match: Match;
};

export function routingOf({ dataset, address, match }: MatchedAddress, vrps?: VrpTable): Routing {
  return {
    ...originsOf(dataset, address, match, vrps),
    connection_type_source: typeSourceOf(dataset, match),
  };
}

type Origins = Pick<Routing, 'origins' | 'rare_origins' | 'roas' | 'prefix_is_derived'>;

function originsOf(dataset: Dataset, address: Address, match: Match, vrps?: VrpTable): Origins {
  const { usual, rare } = splitOrigins(dataset, address, match);
  const isDerived = dataset.isDerivedPrefix(match);
  const length = prefixLength(match);
  const covering = vrps === undefined || isDerived ? undefined : vrps.covering(address, length);
  const describe = ({ asn, peers }: SeenOrigin): Origin => {
    const name = dataset.asn(asn)?.asn_name;
    return {
      asn,
      // A network that announces only this prefix, beside another one, may have no name.
      ...(name !== undefined && { asn_name: name }),
      ...(peers !== undefined && { peers }),
      ...(covering && { rpki: originState(covering, length, asn) }),
    };
  };
  const origins = usual.map(describe);
  const deciding = origins.some(({ rpki }) => rpki === 'invalid')
    ? covering
    : covering?.filter((vrp) => origins.some(({ asn }) => isMatched(vrp, length, asn)));
  return {
    origins,
    ...(rare.length > 0 && { rare_origins: rare.map(describe) }),
    ...(isDerived && { prefix_is_derived: true as const }),
    ...(deciding !== undefined && deciding.length > 0 && { roas: deciding.map(formatVrp) }),
  };
}

type SeenOrigin = { readonly asn: number; readonly peers?: number | undefined };

const RARE_PEERS = 5;
const USUAL_PEERS = 50;

/**
 * The networks that announce the prefix, the one of the record first, and those that very few peers
 * see.
 */
function splitOrigins(
  dataset: Dataset,
  address: Address,
  match: Match,
): { usual: SeenOrigin[]; rare: SeenOrigin[] } {
  const listed = dataset.otherOrigins(address, match);
  const first = dataset.asnNumber(match);
  const numbers = [...new Set([first, ...listed.map(({ asn }) => asn)])];
  const seen = numbers.map(
    (asn): SeenOrigin => ({ asn, peers: listed.find((origin) => origin.asn === asn)?.peers }),
  );
  const isUsual = seen.some(({ peers = 0 }) => peers > USUAL_PEERS);
  const isRare = ({ asn, peers = RARE_PEERS }: SeenOrigin) =>
    isUsual && asn !== first && peers < RARE_PEERS;
  return { usual: seen.filter((origin) => !isRare(origin)), rare: seen.filter(isRare) };
}

/** The networks that announce the prefix, the one of the record first. */
export function originNumbers(dataset: Dataset, address: Address, match: Match): number[] {
  return splitOrigins(dataset, address, match).usual.map(({ asn }) => asn);
}

/**
 * Whether the network of the record may originate the prefix; undefined if the prefix is not what
 * is announced.
 */
export function recordState(
  dataset: Dataset,
  address: Address,
  match: Match,
  vrps: VrpTable,
): RpkiState | undefined {
  if (dataset.isDerivedPrefix(match)) return undefined;
  const length = prefixLength(match);
  return originState(vrps.covering(address, length), length, dataset.asnNumber(match));
}

/** The same for a prefix that a network announces, as text. */
export function prefixState(
  dataset: Dataset,
  prefix: string,
  asn: number,
  vrps: VrpTable,
): RpkiState | undefined {
  const cidr = parseCidr(prefix);
  if (cidr === undefined) return undefined;
  const match = dataset.find(cidr.address);
  if (match !== 0 && dataset.isDerivedPrefix(match)) return undefined;
  return originState(vrps.covering(cidr.address, cidr.length), cidr.length, asn);
}

/**
 * RPKI state of each of a network's prefixes, null where not announced. `yieldToEventLoop` may
 * pause between two.
 */
export async function prefixStates(
  { dataset, vrps }: { readonly dataset: Dataset; readonly vrps: VrpTable },
  asn: number,
  prefixes: readonly string[],
  yieldToEventLoop: () => Promise<void> | undefined,
): Promise<(RpkiState | null)[]> {
  const states: (RpkiState | null)[] = [];
  for (const prefix of prefixes) {
    const pause = yieldToEventLoop();
    if (pause !== undefined) await pause;
    states.push(prefixState(dataset, prefix, asn, vrps) ?? null);
  }
  return states;
}

/** Prefixes by state. `derived`: made from ranges, so that RPKI says nothing about them. */
export type NetworkRouting = {
  rpki: { valid: number; invalid: number; not_found: number; derived: number };
};

/** About a millisecond: networks announce up to twenty thousand prefixes. */
const PREFIXES_PER_TURN = 200;

export async function countStates(
  dataset: Dataset,
  asn: number,
  vrps: VrpTable,
): Promise<NetworkRouting> {
  const rpki = { valid: 0, invalid: 0, not_found: 0, derived: 0 };
  const { ipv4, ipv6 } = dataset.prefixesOf(asn);
  let left = PREFIXES_PER_TURN;
  for (const prefix of [...ipv4, ...ipv6]) {
    rpki[prefixState(dataset, prefix, asn, vrps) ?? 'derived']++;
    if (--left > 0) continue;
    left = PREFIXES_PER_TURN;
    await setImmediate();
  }
  return { rpki };
}

export function withPartStates(json: string, dataset: Dataset, vrps: VrpTable): string {
  const content = JSON.parse(json) as { parts: PartState[] };
  for (const part of content.parts) {
    const state = prefixState(dataset, part.prefix, part.asn, vrps);
    if (state === undefined) part.prefix_is_derived = true;
    else part.rpki = state;
  }
  return JSON.stringify(content);
}

type PartState = { prefix: string; asn: number; rpki?: RpkiState; prefix_is_derived?: true };
