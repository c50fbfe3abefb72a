/** DNS server addresses: `192.0.2.53`, `192.0.2.53:5353`, `2001:db8::53`, `[2001:db8::53]:5353`. */
import { getServers } from 'node:dns';
import { isIP, isIPv4, isIPv6 } from 'node:net';

export type DnsServer = { readonly address: string; readonly port: number; readonly family: 4 | 6 };

const DNS_PORT = 53;

/** Only IP addresses: looking up a host name would need another server. */
export function parseServer(text: string): DnsServer {
  const server = parseBareAddress(text) ?? parseWithPort(text);
  if (server === undefined)
    throw new TypeError(
      `"${text}" is not a DNS server. Write an IP address, with a port if it is not ${DNS_PORT}: 192.0.2.53, 192.0.2.53:5353 or [2001:db8::53]:5353.`,
    );
  return server;
}

/** The servers configured in the system, in its order. */
export function systemServers(): DnsServer[] {
  return getServers().map(parseServer);
}

function parseBareAddress(address: string): DnsServer | undefined {
  const version = isIP(address);
  if (version === 4 || version === 6) return { address, port: DNS_PORT, family: version };
  return undefined;
}

function parseWithPort(text: string): DnsServer | undefined {
  const [, v6, v4, digits] = /^(?:\[(.*)\]|([^:]*))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const port = digits === undefined ? DNS_PORT : Number(digits);
  if (port < 1 || port > 65535) return undefined;
  if (v6 !== undefined && isIPv6(v6)) return { address: v6, port, family: 6 };
  if (v4 !== undefined && isIPv4(v4)) return { address: v4, port, family: 4 };
  return undefined;
}
