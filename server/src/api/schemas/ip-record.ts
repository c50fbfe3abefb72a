/** The record of an address, and what an answer has beside it on request. */
import {
  byFlag,
  CONNECTION_TYPES,
  FLAG_FACTS,
  RIRS,
  THREAT_LEVELS,
  TYPE_SOURCES,
} from '@whence/dataset/record';
import { RPKI_STATES } from '../../address/routing/vrps.ts';
import {
  allOptional,
  always,
  boolean,
  constant,
  integer,
  list,
  listParameter,
  named,
  namedObject,
  number,
  oneOfTexts,
  optional,
  string,
  strings,
} from '../../http/json-schema.ts';
import { ADDRESS_SECTIONS } from '../../vocabulary.ts';

export const rpkiState = oneOfTexts(RPKI_STATES);
const origin = namedObject('Origin', {
  asn: integer('Number of the network.'),
  asn_name: optional(string('Its name, where known.', 'Google LLC')),
  peers: optional(
    integer(
      'How many peers of the route collectors see this origin, where several networks announce the prefix.',
    ),
  ),
  rpki: optional(rpkiState),
});
const roa = namedObject('Roa', {
  asn: integer('Number of the network that may announce it.'),
  prefix: string('The prefix of the ROA.', '8.8.8.0/24'),
  max_length: integer('The longest prefix that it allows.'),
});
const routing = namedObject('Routing', {
  origins: list(
    origin,
    'The networks that announce the prefix; the one of the record comes first.',
  ),
  rare_origins: optional(
    list(
      origin,
      'Seen by fewer than 5 peers, beside an origin that more than 50 see: a leak or a mistake.',
    ),
  ),
  prefix_is_derived: optional(
    always(
      'The prefix was made from ranges and may be wider than what is announced: there is no RPKI state.',
    ),
  ),
  connection_type_source: optional(
    oneOfTexts(
      TYPE_SOURCES,
      'What decided the connection type. assumed: nothing did, and business means unknown.',
    ),
  ),
  roas: optional(list(roa, 'The ROAs that decide, where ROA data is configured.')),
});

const privacy = namedObject('Privacy', {
  kind: oneOfTexts(['relay', 'vpn', 'tor', 'proxy']),
  service: optional(string('Name of the service, where known.', 'iCloud Private Relay')),
});

const scanner = namedObject('Scanner', {
  operator: string('Who scans the internet from the address.', 'Censys'),
});

const crawler = namedObject('Crawler', {
  name: string('The crawler whose operator documents such names.', 'Googlebot'),
  is_verified: boolean('False: the name is forged.'),
});

const location = namedObject('Location', {
  city: optional(string('Name of the city.', 'Mountain View')),
  region: optional(string('Name of the region.', 'California')),
  latitude: optional(number('Degrees north, of the city.', 37.4224)),
  longitude: optional(number('Degrees east.', -122.085)),
  source: string('The type of the database that says so.', 'DBIP-City-Lite'),
  as_of: string('The day on which it was built.', '2026-11-01'),
});

const hostname = namedObject('Hostname', {
  name: optional(string('The name in the PTR record.', 'dns.google')),
  is_confirmed: optional(
    boolean('Whether the name leads back to the address. Absent if DNS did not answer.'),
  ),
  crawler: optional(crawler),
  error: optional(constant('dns_temporary_failure')),
});

/** Beside the members of a record, each only if it was included and something is known. */
const addressSections = allOptional({
  routing: { ...routing, description: 'Only with include=routing.' },
  privacy: { ...privacy, description: 'Only with include=privacy.' },
  scanner: {
    ...scanner,
    description: 'Only with include=scanner, for addresses of research scanners.',
  },
  location: {
    ...location,
    description: 'Only with include=location, where there is a location database.',
  },
  labels: list({ type: 'string' }, 'Only with include=labels, where the overrides have some.'),
  hostname: { ...hostname, description: 'Only with include=hostname; empty without a PTR record.' },
});

export const includeParameter = listParameter(
  oneOfTexts(ADDRESS_SECTIONS),
  'What the record also has, separated by commas: routing (all networks that announce the prefix), privacy (the privacy service behind the address), scanner (the operator of a research scanner), location (city and coordinates, where the server has a database of cities), labels (your own, from the overrides), hostname (its confirmed name).',
  ['routing', 'privacy', 'hostname'],
);

export const connectionType = named('ConnectionType', oneOfTexts(CONNECTION_TYPES));
export const rir = named(
  'Rir',
  oneOfTexts(RIRS, 'The registry. Absent for own networks in private space.'),
);
const threatLevel = named('ThreatLevel', oneOfTexts(THREAT_LEVELS));

const detection = namedObject('Detection', {
  ...byFlag((flag) => boolean(FLAG_FACTS[flag].about)),
  ai_company: optional(string('Who runs the crawler; only with is_ai_crawler.', 'OpenAI')),
  cloud_provider: optional(string('The cloud provider, when detected.', 'Google Cloud')),
});

export const threat = namedObject('Threat', {
  score: { type: 'integer', minimum: 0, maximum: 100 },
  level: threatLevel,
  explanation: optional(strings('One line per contribution, with its points.')),
});

export const evidence = namedObject('Evidence', {
  field: string('The field that was decided.', 'country'),
  value: { description: 'Its value.', type: ['string', 'number', 'boolean'] },
  source: string('The source that decided it.', 'npm-dbip-country'),
  prefix: string('The prefix for which the source says so.', '8.8.8.0/24'),
  as_of: string('Date of the source.', '2026-06-01'),
  note: optional(
    string('Why it has this value, or adds no points.', 'list of 2025-04-15, too old to count'),
  ),
});

export const ipRecord = namedObject('IpRecord', {
  ip: string('The address in normal form.', '8.8.8.8'),
  prefix: string(
    'The most specific prefix that holds it. With prefix_is_derived in the evidence, it comes from a list of ranges and not from an announcement.',
    '8.8.8.0/24',
  ),
  asn: integer('Number of the network.'),
  asn_name: string('Organisation that owns it.', 'Google LLC'),
  country: string('ISO 3166-1 alpha-2; ZZ when nothing is known.', 'US'),
  rir: optional(rir),
  connection_type: connectionType,
  detection,
  threat,
  evidence: optional(list(evidence, 'Only with explain=true.')),
  threat_is_known: optional(
    boolean(
      'Only with explain=true. False: a kind of list is missing or has expired, so the score is the least that is known.',
    ),
  ),
  ...addressSections,
});
