/**
 * Which addresses can be reached from the internet (IANA special-purpose address registries, RFC
 * 6890).
 */
import { BlockList, isIP } from 'node:net';

/**
 * This host, private use, shared, loopback, link-local. Not the documentation ranges, which
 * examples use.
 */
export function isPrivateAddress(address: string): boolean {
  return isIn(PRIVATE, address);
}

/** For a connection that a hostile zone makes us open. What is not an address is not public. */
export function isPublicAddress(address: string): boolean {
  return isIP(address) !== 0 && !isIn(PRIVATE, address) && !isIn(NOT_GLOBAL, address);
}

const PRIVATE = blockList(
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.168.0.0/16 ::/127 fc00::/7 fe80::/10',
);

// Not globally reachable, and addresses that contain an IPv4 address (RFC 4291 §2.5.5, RFC 2765,
// RFC 6052): through a translator, 64:ff9b::a00:1 is 10.0.0.1.
const NOT_GLOBAL = blockList(
  '192.0.0.0/24 192.0.2.0/24 192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.175.48.0/24 198.18.0.0/15 ' +
    '198.51.100.0/24 203.0.113.0/24 224.0.0.0/3 ::/32 64:ff9b::/96 64:ff9b:1::/48 100::/63 2001::/23 2001:db8::/32 ' +
    '2002::/16 2620:4f:8000::/48 3fff::/20 5f00::/16 fec0::/10 ff00::/8',
);

/** A BlockList looks up an IPv4 address as an IPv4-mapped one too, so each version has its own. */
type Networks = { readonly 4: BlockList; readonly 6: BlockList };

function blockList(networks: string): Networks {
  const lists: Networks = { 4: new BlockList(), 6: new BlockList() };
  for (const network of networks.split(' ')) {
    const [address = '', length] = network.split('/');
    const version = isIP(address) === 4 ? 4 : 6;
    lists[version].addSubnet(address, Number(length), `ipv${version}`);
  }
  return lists;
}

function isIn(lists: Networks, address: string): boolean {
  if (isIP(address) === 4) return lists[4].check(address, 'ipv4');
  // An IPv4-mapped address is looked up among IPv4 networks.
  return (
    isIP(address) === 6 && (lists[6].check(address, 'ipv6') || lists[4].check(address, 'ipv6'))
  );
}
