/**
 * Fetches the policy of MTA-STS (RFC 8461 §3.3). The domain is a stranger's, and so is the address that its DNS names:
 * the connection goes to the addresses that were looked up and found public, and the name is not resolved again, so that
 * it cannot lead anywhere else. A proxy is not used: it would resolve the name itself.
 */
import { isIPv6, type LookupFunction } from 'node:net';
import { fetchText } from '@whence/dataset/fetch-text';
import { type FetchPolicy, MAX_POLICY_BYTES, POLICY_TIMEOUT_MS } from '@whence/email/mta-sts';

export type PolicyNetwork = {
  /** Authorities to trust instead of Node's, as PEM. */
  readonly ca?: string;
  /** Instead of 443. */
  readonly port?: number;
  /** Instead of whether the address is public. */
  readonly isReachable?: (address: string) => boolean;
};

/** `leftMs`: what is left of the time for the whole check. */
export function policyFetcher({ ca, port }: PolicyNetwork, leftMs: () => number, signal: AbortSignal): FetchPolicy {
  return async ({ url, addresses }) => {
    const target = new URL(url);
    if (port !== undefined) target.port = String(port);
    const timeoutMs = Math.max(1, Math.min(POLICY_TIMEOUT_MS, leftMs()));
    return fetchText(target, {
      limits: { maxBytes: MAX_POLICY_BYTES, idleTimeoutMs: timeoutMs, totalTimeoutMs: timeoutMs },
      maxRedirects: 0,
      network: { lookup: lookupIn(addresses), ...(ca !== undefined && { ca }) },
      signal,
    });
  };
}

function lookupIn(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  return (_hostname, { all }, callback) => {
    const [first] = found;
    if (all === true) callback(null, found);
    else callback(null, first?.address ?? '', first?.family);
  };
}
