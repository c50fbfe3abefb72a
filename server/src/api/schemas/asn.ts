/** `GET /v1/asn/{asn}` and `GET /v1/asn/search`. */
import { envelope, error, oneOfErrors } from './envelope.ts';
import { connectionType, rir } from './ip-record.ts';
import { boolean, integer, named, object, string } from './json-schema.ts';
import { invalidSwitch, refusals, security } from './refusals.ts';

const searchedAsn = {
  asn: integer('Number of the network.'),
  asn_name: string('Organisation that owns it.', 'Google LLC'),
  country: string('ISO 3166-1 alpha-2.', 'US'),
  rir,
  connection_type: connectionType,
  is_announced: boolean('Whether it announces any prefix.'),
  prefix_count: object({ ipv4: integer('IPv4 prefixes.'), ipv6: integer('IPv6 prefixes.') }),
};
const optionalAsn = {
  handle: string('Short name in the registry, when known.', 'GOOGLE'),
  registered: string('Date of registration, when known.', '2000-03-30'),
  cloud_provider: string('The cloud provider, when it is one.', 'Google Cloud'),
};
const prefixes = named(
  'AnnouncedPrefixes',
  object({
    ipv4: { type: 'array', items: { type: 'string' } },
    ipv6: { type: 'array', items: { type: 'string' } },
  }),
);

export const asnSchema = {
  operationId: 'getAsn',
  summary: 'Look up a network',
  tags: ['ASN'],
  security,
  params: object({ asn: string('AS number, with or without AS.', '15169') }),
  querystring: {
    type: 'object',
    properties: { include_prefixes: string('true adds every announced prefix.', 'true') },
  },
  response: {
    200: envelope(
      'The network.',
      object(
        { ...searchedAsn, address_count: object({ ipv4: integer('IPv4 addresses.') }), ...optionalAsn, prefixes },
        [...Object.keys(optionalAsn), 'prefixes'],
      ),
    ),
    400: envelope(
      'Not an AS number, or a parameter that is neither true nor false.',
      oneOfErrors({ INVALID_ASN: 'invalid ASN', INVALID_QUERY: 'invalid query parameter' }, invalidSwitch),
    ),
    404: envelope('Unknown or reserved number.', error('no data found for ASN', 'NOT_FOUND')),
    ...refusals,
  },
};

export const asnSearchSchema = {
  operationId: 'searchAsn',
  summary: 'Find networks by name',
  description:
    'Matches name and handle, without regard to case and accents, and the number. Best matches first, then the larger network.',
  tags: ['ASN'],
  security,
  querystring: {
    type: 'object',
    properties: {
      q: string('Required. Text to look for, at most 100 characters.', 'google'),
      limit: string('1 to 100; above 100 means 100. Default 20.', '5'),
    },
  },
  response: {
    200: envelope(
      'What was found.',
      object({
        query: string('The text as sent.', 'google'),
        limit: integer('The limit in effect.'),
        count: integer('Results in this answer.'),
        total: integer('Networks that match.'),
        results: { type: 'array', items: object({ ...searchedAsn, ...optionalAsn }, Object.keys(optionalAsn)) },
      }),
    ),
    400: envelope(
      'Text or limit missing or wrong.',
      oneOfErrors({
        MISSING_QUERY: 'missing query parameter',
        INVALID_QUERY: 'invalid query parameter',
        INVALID_LIMIT: 'invalid limit',
      }),
    ),
    ...refusals,
  },
};
