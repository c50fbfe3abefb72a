/** Parsers of settings that are addresses. They throw an error that says what the value must be. */
import { parsePrefix, type Range } from '@whence/dataset/prefix';
import { parseServer } from '@whence/email/dns-servers';
import { parseList } from './values.ts';

export function parseDnsServers(text: string): string[] {
  const servers = parseList(text);
  try {
    for (const server of servers) parseServer(server);
  } catch {
    throw new Error('IP addresses with or without a port, separated by commas');
  }
  return servers;
}

export function parseProxies(text: string): string[] {
  const proxies = parseList(text);
  for (const proxy of proxies) {
    const range = parsePrefix(proxy);
    if (range === undefined) throw new Error('IP addresses or prefixes, separated by commas');
    if (isTooWide(range))
      throw new Error(
        'the addresses of your own proxies: with a wider IPv4 prefix than /8, or IPv6 than /7, any client could ' +
          'forge its address',
      );
  }
  return proxies;
}

/** Wider than the widest blocks for private use: 10.0.0.0/8 (RFC 1918) and fc00::/7 (RFC 4193). */
function isTooWide({ start, end, version }: Range): boolean {
  const addresses = end - start + 1n;
  if (version === 4) return addresses > 1n << 24n;
  // Proxies are compared in their IPv4-mapped form too: a prefix that contains it means all of IPv4.
  const isAllOfIpv4 = start <= MAPPED_START && end >= MAPPED_END;
  return isAllOfIpv4 || addresses > 1n << 121n;
}

const MAPPED_START = 0xffff_0000_0000n;
const MAPPED_END = 0xffff_ffff_ffffn;
