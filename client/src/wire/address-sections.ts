/** What `include` adds to the record of an address. */
export type AddressMembers = {
  routing?: Routing;
  privacy?: Privacy;
  location?: Location;
  hostname?: Hostname;
  registration?: Registration;
};
export type LocalAddressSection = 'routing' | 'privacy' | 'location';
export type AddressSection = LocalAddressSection | 'hostname' | 'registration';

/** The networks that announce the prefix; the one of the record comes first. */
export type Routing = {
  origins: Origin[];
  roas?: Roa[];
  /** Only where a source says so. */
  is_anycast?: true;
  /** Name of the internet exchange, for addresses of its peering LAN. */
  exchange?: string;
};
/** `rpki` is there where validated ROA payloads are known. */
export type Origin = { asn: number; asn_name?: string; rpki?: 'valid' | 'invalid' | 'not_found' };
export type Roa = { asn: number; prefix: string; max_length: number };

/** The privacy service behind an address. Absent from the answer if no source knows one. */
export type Privacy = { kind: PrivacyKind; service?: string };
export type PrivacyKind = 'relay' | 'vpn' | 'tor' | 'proxy';

/** Where an address is, as `source` says. Absent from the answer if no source knows it. */
export type Location = {
  city?: string;
  /** A name; in geofeeds of operators an ISO 3166-2 code. */
  region?: string;
  /** In degrees, of the city: both or neither. */
  latitude?: number;
  longitude?: number;
  source: string;
  as_of: string;
};

/**
 * The PTR record of an address, confirmed if the name leads back to it. Empty without a PTR record. `crawler`: the name is
 * one that the operator of the crawler documents, and forged unless it is verified.
 */
export type Hostname = {
  name?: string;
  is_confirmed?: boolean;
  crawler?: { name: string; is_verified: boolean };
  error?: 'dns_temporary_failure';
};

/** Who holds an address, by its registry. Every field is there if the registry states it. */
export type Registration = {
  /** A prefix, or `first-last`. */
  range?: string;
  name?: string;
  organization?: string;
  country?: string;
  abuse_email?: string;
  registered_at?: string;
  changed_at?: string;
  /** The host that answered. */
  source?: string;
  error?: 'registry_unavailable';
};
