// Fetches an MTA-STS policy (RFC 8461 §3.3) from a host that cannot be trusted: connects only to
// the public addresses that were looked up, and uses no proxy, which would resolve the name again.
import { isIPv6, type LookupFunction } from 'node:net';
import { fetchText } from '@whence/dataset/io/text-requests';
import { type FetchPolicy, MAX_POLICY_BYTES, POLICY_TIMEOUT_MS } from '@whence/email/mta-sts';

export type PolicyNetwork = {
  /** Certificate authorities to trust instead of Node's, as PEM. */
  readonly ca?: string;
  /** Instead of 443. */
  readonly port?: number;
  /** Replaces the check that an address is public. */
  readonly isReachable?: (address: string) => boolean;
};

/** A host with thousands of addresses must not make us connect to each of them. */
const MAX_ADDRESSES = 4;

/** `leftMs`: time left for the whole check. */
export function policyFetcher(
  { ca, port }: PolicyNetwork,
  leftMs: () => number,
  signal: AbortSignal,
): FetchPolicy {
  return async ({ url, addresses }) => {
    const target = new URL(url);
    if (port !== undefined) target.port = String(port);
    const timeoutMs = Math.max(1, Math.min(POLICY_TIMEOUT_MS, leftMs()));
    const fetched = await fetchText(target, {
      limits: { maxBytes: MAX_POLICY_BYTES, idleTimeoutMs: timeoutMs, totalTimeoutMs: timeoutMs },
      maxRedirects: 0,
      network: { lookup: lookupIn(addresses), ...(ca !== undefined && { ca }) },
      signal,
    });
    // Senders do not trust the certificate either: what could be set here would not help the owner
    // of the policy.
    return fetched.kind === 'failed'
      ? { ...fetched, reason: fetched.reason.replace(OWN_SETTINGS, '') }
      : fetched;
  };
}

const OWN_SETTINGS = /; to trust it, set [^;]*$/;

/** For connections to these addresses only, whatever the name means by then. */
export function lookupIn(addresses: readonly string[]): LookupFunction {
  const targets = addressesToTry(addresses).map((address) => ({
    address,
    family: isIPv6(address) ? 6 : 4,
  }));
  return (_hostname, { all }, callback) => {
    const [first] = targets;
    if (all === true) callback(null, targets);
    else callback(null, first?.address ?? '', first?.family);
  };
}

/** At most four, of each family in turn: a host may be reachable over one of them only. */
export function addressesToTry(addresses: readonly string[]): string[] {
  const ipv6 = addresses.filter((address) => isIPv6(address));
  const ipv4 = addresses.filter((address) => !isIPv6(address));
  const alternating = Array.from({ length: MAX_ADDRESSES }, (_, i) => [ipv6[i], ipv4[i]]).flat();
  return alternating.filter((address) => address !== undefined).slice(0, MAX_ADDRESSES);
}
