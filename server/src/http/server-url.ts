/** The URL of a server that listens on this address and port. */
export function serverUrl(host: string, port: number): string {
  // RFC 3986 §3.2.2: an IPv6 address stands in brackets.
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
