/**
 * What is checked for each request with a key beyond its secret. Most keys have no restrictions and pay nothing for
 * them. A key that is paused is not among the keys that are accepted at all.
 */
import { type Address, truncateAddress } from '@whence/dataset/address';
import { parseCidr } from '@whence/dataset/prefix';
import { parseClient } from '../limits/client.ts';
import type { StoredKey } from '../storage/stores/key-store.ts';

type Network = { readonly base: Address; readonly length: number };

export type Restrictions = {
  /** Requests are refused from then on. Compared with the clock that processes share, also while storage is away. */
  readonly endsAtMs: number;
  /** Undefined for any client. */
  readonly networks: readonly Network[] | undefined;
  readonly requestsPerSecond: number | undefined;
};

/** Undefined for a key without any. */
export function restrictionsOf(key: StoredKey): Restrictions | undefined {
  const { expiresAt, scheduledRevocation, allowedNetworks, requestsPerSecond } = key;
  const endsAtMs = Math.min(
    expiresAt?.getTime() ?? Number.POSITIVE_INFINITY,
    scheduledRevocation?.at.getTime() ?? Number.POSITIVE_INFINITY,
  );
  const isUnrestricted =
    endsAtMs === Number.POSITIVE_INFINITY && allowedNetworks === undefined && requestsPerSecond === undefined;
  if (isUnrestricted) return undefined;
  return { endsAtMs, networks: allowedNetworks?.flatMap(networkOf), requestsPerSecond };
}

/** What this version cannot read allows no client. */
function networkOf(text: string): Network[] {
  const cidr = parseCidr(text);
  return cidr === undefined ? [] : [{ base: truncateAddress(cidr.address, cidr.length), length: cidr.length }];
}

/** `address` is asked for only where it matters. */
export function admits({ endsAtMs, networks }: Restrictions, nowMs: number, address: () => string): boolean {
  if (nowMs >= endsAtMs) return false;
  if (networks === undefined) return true;
  const client = parseClient(address());
  return client !== undefined && networks.some((network) => contains(network, client));
}

function contains({ base, length }: Network, client: Address): boolean {
  if (client.version !== base.version) return false;
  const { w0, w1, w2, w3 } = truncateAddress(client, length);
  return w0 === base.w0 && w1 === base.w1 && w2 === base.w2 && w3 === base.w3;
}
