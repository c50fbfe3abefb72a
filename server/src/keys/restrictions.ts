// What is checked for each request beyond a key's secret; most have none. Paused keys are not
// accepted at all.
import { parseClient } from '../limits/client.ts';
import { PrefixSet } from '../limits/prefix-set.ts';
import type { StoredKey } from '../storage/stores/key-store.ts';
import type { RefusalReason } from '../vocabulary.ts';

export type Restrictions = {
  /**
   * Requests are refused from then on. Compared with the clock that processes share, also while
   * storage is unreachable.
   */
  readonly endsAtMs: number;
  readonly endsAs: 'expired' | 'revoked';
  /** Undefined for any client. A text that this version cannot read allows no client. */
  readonly networks: PrefixSet | undefined;
  readonly requestsPerSecond: number | undefined;
};

export function restrictionsOf(key: StoredKey): Restrictions | undefined {
  const { expiresAt, scheduledRevocation, allowedNetworks, requestsPerSecond } = key;
  const expiresMs = expiresAt?.getTime() ?? Number.POSITIVE_INFINITY;
  const revokedMs = scheduledRevocation?.at.getTime() ?? Number.POSITIVE_INFINITY;
  const endsAtMs = Math.min(expiresMs, revokedMs);
  const isUnrestricted =
    endsAtMs === Number.POSITIVE_INFINITY &&
    allowedNetworks === undefined &&
    requestsPerSecond === undefined;
  if (isUnrestricted) return undefined;
  const endsAs = expiresMs <= revokedMs ? 'expired' : 'revoked';
  return {
    endsAtMs,
    endsAs,
    networks: allowedNetworks && new PrefixSet(allowedNetworks),
    requestsPerSecond,
  };
}

/**
 * Why a request is refused; undefined if it is not. `address` is called only where it matters.
 */
export function refusalOf(
  { endsAtMs, endsAs, networks }: Restrictions,
  nowMs: number,
  address: () => string,
): RefusalReason | undefined {
  if (nowMs >= endsAtMs) return endsAs;
  if (networks === undefined) return undefined;
  const client = parseClient(address());
  return client !== undefined && networks.has(client) ? undefined : 'network';
}
