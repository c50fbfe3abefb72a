/** `GET /v1/asn/{asn}` and `GET /v1/asn/search`. */
import {
  allOptional,
  boolean,
  integer,
  list,
  listParameter,
  namedObject,
  object,
  oneOfTexts,
  optional,
  string,
  strings,
  switchParameter,
} from '../../http/json-schema.ts';
import { searchQuery } from '../../lookup/lookup-requests.ts';
import { NETWORK_SECTIONS } from '../../vocabulary.ts';
import { connectionType, rir } from './ip-record.ts';
import { envelope, operation, refusal, refusals } from './refusals.ts';

const networkFields = {
  asn: integer('Number of the network.'),
  asn_name: string('Organisation that owns it.', 'Google LLC'),
  country: string('ISO 3166-1 alpha-2.', 'US'),
  rir: optional(rir),
  connection_type: connectionType,
  is_announced: boolean('Whether it announces any prefix.'),
  prefix_count: namedObject('PrefixCount', {
    ipv4: integer('IPv4 prefixes.'),
    ipv6: integer('IPv6 prefixes.'),
  }),
  ...allOptional({
    handle: string('Short name in the registry, when known.', 'GOOGLE'),
    registered: string('Date of registration, when known.', '2000-03-30'),
    cloud_provider: string('The cloud provider, when it is one.', 'Google Cloud'),
  }),
};
const addressCount = namedObject('AddressCount', { ipv4: integer('IPv4 addresses.') });
const prefixes = namedObject('AsnPrefixes', {
  ipv4: strings('IPv4 prefixes.'),
  ipv6: strings('IPv6 prefixes.'),
});

const networkRouting = namedObject('NetworkRouting', {
  rpki: namedObject('RpkiCounts', {
    valid: integer('Announced prefixes that a ROA allows.'),
    invalid: integer('Those that ROAs do not allow.'),
    not_found: integer('Those that no ROA covers.'),
    derived: integer(
      'Prefixes made from ranges, which may be wider than what is announced: they have no state.',
    ),
  }),
});

export const asnSchema = operation('ASN', {
  operationId: 'getAsn',
  summary: 'Look up a network',
  params: object({
    asn: {
      ...string('AS number, with or without AS.', '15169'),
      pattern: '^([Aa][Ss])?[0-9]{1,10}$',
    },
  }),
  querystring: object({
    include_prefixes: optional(switchParameter('Adds every prefix of the network.')),
    include: optional(
      listParameter(
        oneOfTexts(NETWORK_SECTIONS),
        'routing adds the number of prefixes by RPKI state, where ROA data is configured.',
        NETWORK_SECTIONS,
      ),
    ),
  }),
  response: {
    200: envelope(
      'The network.',
      namedObject('AsnRecord', {
        ...networkFields,
        address_count: addressCount,
        routing: optional(networkRouting),
        prefixes: optional({ ...prefixes, description: 'Only with include_prefixes=true.' }),
      }),
    ),
    400: refusal(
      'Not an AS number, an unknown include, or a parameter that is neither true nor false.',
      ['INVALID_ASN', 'INVALID_INCLUDE', 'INVALID_QUERY'],
    ),
    404: refusal('Unknown or reserved number.', 'ASN_NOT_FOUND'),
    ...refusals,
  },
});

export const asnSearchSchema = operation('ASN', {
  operationId: 'searchAsn',
  summary: 'Find networks by name',
  description:
    'Matches name and handle, without regard to case and accents, and the number. Best matches first, then the larger network.',
  querystring: searchQuery,
  response: {
    200: envelope(
      'What was found.',
      namedObject('AsnSearchAnswer', {
        query: string('The text as sent.', 'google'),
        limit: integer('The limit in effect.'),
        count: integer('Results in this answer.'),
        total: integer('Networks that match.'),
        results: list(namedObject('AsnSearchResult', networkFields)),
        next_cursor: optional(
          string('For the next results, as cursor. Absent when there are no more.', '3-15169'),
        ),
      }),
    ),
    400: refusal('Text missing or wrong, or a wrong limit or cursor.', [
      'MISSING_QUERY',
      'INVALID_QUERY',
      'INVALID_LIMIT',
    ]),
    ...refusals,
  },
});
