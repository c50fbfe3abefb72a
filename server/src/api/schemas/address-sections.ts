/** What an answer about an address has only on request. */

import { RPKI_STATES } from '../../address/routing/vrps.ts';
import {
  boolean,
  constant,
  integer,
  list,
  listParameter,
  named,
  namesOf,
  number,
  object,
  oneOfTexts,
  string,
} from '../../http/json-schema.ts';
import { ADDRESS_SECTIONS } from '../../vocabulary.ts';

export const rpkiState = oneOfTexts(RPKI_STATES);
const origin = named(
  'Origin',
  object(
    {
      asn: integer('Number of the network.'),
      asn_name: string('Its name, where known.', 'Google LLC'),
      rpki: rpkiState,
    },
    ['asn_name', 'rpki'],
  ),
);
const roa = named(
  'Roa',
  object({
    asn: integer('Number of the network that may announce it.'),
    prefix: string('The prefix of the ROA.', '8.8.8.0/24'),
    max_length: integer('The longest prefix that it allows.'),
  }),
);
const routing = named(
  'Routing',
  object(
    {
      origins: {
        ...list(origin),
        description: 'The networks that announce the prefix; the one of the record comes first.',
      },
      roas: { ...list(roa), description: 'The ROAs that decide, where ROA data is configured.' },
      is_anycast: { type: 'boolean', const: true, description: 'Only where a source says so.' },
      exchange: string('The internet exchange whose peering LAN has the address, where known.', 'AMS-IX'),
    },
    ['roas', 'is_anycast', 'exchange'],
  ),
);

const privacy = named(
  'Privacy',
  object(
    {
      kind: oneOfTexts(['relay', 'vpn', 'tor', 'proxy']),
      service: string('Name of the service, where known.', 'iCloud Private Relay'),
    },
    ['service'],
  ),
);

const crawler = named(
  'Crawler',
  object({
    name: string('The crawler whose operator documents such names.', 'Googlebot'),
    is_verified: boolean('False: the name is forged.'),
  }),
);

const location = named(
  'Location',
  object(
    {
      city: string('Name of the city.', 'Mountain View'),
      region: string('Name of the region; in geofeeds of operators its ISO 3166-2 code.', 'California'),
      latitude: number('Degrees north, of the city.', 37.4224),
      longitude: number('Degrees east.', -122.085),
      source: string('Which feed says so.', 'dbip-city-lite'),
      as_of: string('Date of that feed.', '2026-11-01'),
    },
    ['city', 'region', 'latitude', 'longitude'],
  ),
);

const hostname = named(
  'Hostname',
  object(
    {
      name: string('The name in the PTR record.', 'dns.google'),
      is_confirmed: boolean('Whether the name leads back to the address. Absent if DNS did not answer.'),
      crawler,
      error: constant('dns_temporary_failure'),
    },
    ['name', 'is_confirmed', 'crawler', 'error'],
  ),
);

const registrationFields = {
  range: string('The registered range: a prefix, or first-last.', '8.8.8.0/24'),
  name: string('Name of the range.', 'GOGL'),
  organization: string('Who holds it.', 'Google LLC'),
  country: string('ISO 3166-1 alpha-2, where the registry states one.', 'US'),
  abuse_email: string('Where abuse is reported.', 'abuse@example.com'),
  registered_at: string('When it was registered.', '2014-03-14T20:52:05Z'),
  changed_at: string('When that was last changed.', '2014-03-14T20:52:05Z'),
  source: string('The registry’s host.', 'rdap.arin.net'),
  error: constant('registry_unavailable'),
};
const registration = named('Registration', object(registrationFields, namesOf(registrationFields)));

/** Beside the members of a record, each only if it was included and something is known. */
export const addressSections = {
  routing: { ...routing, description: 'Only with include=routing.' },
  privacy: { ...privacy, description: 'Only with include=privacy.' },
  location: { ...location, description: 'Only with include=location, where the feeds of locations are enabled.' },
  hostname: { ...hostname, description: 'Only with include=hostname; empty without a PTR record.' },
  registration: { ...registration, description: 'Only with include=registration.' },
};

export const includeParameter = listParameter(
  oneOfTexts(ADDRESS_SECTIONS),
  'What the record also has, separated by commas: routing (all networks that announce the prefix), privacy (the privacy service behind the address), location (city and coordinates, where their feed is enabled), hostname (its confirmed name), registration (who holds it; where switched on).',
  ['routing', 'privacy', 'hostname'],
);
