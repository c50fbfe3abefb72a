/**
 * Prefixes whose country is known and that DB-IP places elsewhere. Written by hand; each row has its reason. A list of
 * the operator itself, where an update has one, comes before this table.
 */

export const ADDRESS_COUNTRIES_AS_OF = '2026-11-16';

export const addressCountries: readonly (readonly [prefix: string, country: string, reason: string])[] = [
  // Registered in Canada as one block.
  ['144.217.0.0/16', 'CA', 'OVH Canada'],
  // Registered in Germany as one block; DB-IP says GB for two /24s of it only.
  ['173.249.0.0/18', 'DE', 'Contabo'],
  // The public resolver of DNSPod, inside a block that is otherwise placed in China.
  ['119.29.29.0/24', 'CN', 'DNSPod resolver'],
  // b.root-servers.net, run by the University of Southern California; anycast, so the operator decides.
  ['199.9.14.0/23', 'US', 'B root'],
  ['170.247.170.0/23', 'US', 'B root'],
  // Anycast of Fastly: the same address answers on all continents, so the operator decides.
  ['151.101.0.0/16', 'US', 'Fastly anycast'],
  // The peering LAN of Equinix Ashburn. A member announces it by mistake.
  ['206.126.236.0/22', 'US', 'Equinix Ashburn'],
];
