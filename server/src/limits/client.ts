// Who a client is, for limits, fairness, statistics and logs alike. IPv4 may come IPv4-mapped (RFC
// 4291 §2.5.5.2), proxies may add the port, and a closed connection has no address: all such are
// one client.
import {
  type Address,
  formatAddress,
  parseAddress,
  truncateAddress,
} from '@whence/dataset/address';

/** An IPv6 client may use any address of its network. */
const IPV6_NETWORK_BITS = 64;

/**
 * The address as it is shown and stored: IPv4 as such, IPv6 in its canonical form. Other text is
 * returned unchanged.
 */
export function clientAddress(text = ''): string {
  const address = parseClient(text);
  return address === undefined ? text : formatAddress(address);
}

/** Clients with equal results are one client: an IPv4 address, or the /64 of an IPv6 address. */
export function clientNetwork(text = ''): string {
  const address = parseClient(text);
  if (address === undefined) return text;
  return formatAddress(
    address.version === 4 ? address : truncateAddress(address, IPV6_NETWORK_BITS),
  );
}

/**
 * Without the port, as in `192.0.2.1:1234` or `[2001:db8::1]:1234`, and without a zone (RFC 4007
 * §11).
 */
export function parseClient(text = ''): Address | undefined {
  const parts = /^(?:\[([^\]]*)\]|([\d.]+))(?::\d+)?$/.exec(text);
  return parseAddress((parts?.[1] ?? parts?.[2] ?? text).replace(/%.*/, ''));
}
