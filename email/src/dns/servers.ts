/** DNS server addresses: `192.0.2.53`, `192.0.2.53:5353`, `2001:db8::53`, `[2001:db8::53]:5353`. */
import { getServers } from 'node:dns';
import { isIP, isIPv6 } from 'node:net';

export type DnsServer = { readonly address: string; readonly port: number; readonly family: 4 | 6 };

const DNS_PORT = 53;

/** Only IP addresses: looking up a host name would need another server. */
export function parseServer(text: string): DnsServer {
  const [, bracketed, bare = '', digits] = /^(?:\[(.*)\]|([^:]*))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const address = isIPv6(text) ? text : (bracketed ?? bare);
  const family = isIP(address);
  const port = Number(digits ?? DNS_PORT);
  const isRight = bracketed === undefined || family === 6;
  if ((family === 4 || family === 6) && isRight && port >= 1 && port <= 65535)
    return { address, port, family };
  throw new TypeError(
    `"${text}" is not a DNS server. Write an IP address, with a port if it is not ${DNS_PORT}: 192.0.2.53, 192.0.2.53:5353 or [2001:db8::53]:5353.`,
  );
}

/** The servers configured in the system, in its order. */
export function systemServers(): DnsServer[] {
  return getServers().map(parseServer);
}
