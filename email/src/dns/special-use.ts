// Names that the public DNS does not have, but a resolver may, from a hosts file or an internal
// zone: a hostile record could make a check show those. Not `example` and the like, which
// documentation uses (RFC 6761 §6.5).
const SPECIAL_USE = new Set([
  // IANA's registry of special-use domain names: RFC 6761, RFC 6762, RFC 7686, RFC 9476.
  'invalid',
  'local',
  'localhost',
  'onion',
  'test',
  'alt',
  // Reserved for private use by ICANN in 2024, and what was in such use before: RFC 6762 appendix
  // G, and names that ICANN will not delegate because of it.
  'internal',
  'intranet',
  'private',
  'corp',
  'home',
  'lan',
  'mail',
  'localdomain',
  // RFC 3172: infrastructure. Reverse zones of internal networks, home.arpa (RFC 8375),
  // service.arpa; no mail domains.
  'arpa',
]);

/** Also single labels: a resolver takes those from a hosts file, or for the name of a container. */
export function isSpecialUse(name: string): boolean {
  const lastDot = name.lastIndexOf('.');
  return lastDot < 0 || SPECIAL_USE.has(name.slice(lastDot + 1).toLowerCase());
}
