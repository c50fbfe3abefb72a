/** What an answer about an address has only on request. */
import { boolean, integer, named, object, string } from './json-schema.ts';

const REGISTRATION_FIELDS = [
  'range',
  'name',
  'organization',
  'country',
  'abuse_email',
  'registered_at',
  'changed_at',
  'source',
];

const routing = named(
  'Routing',
  object(
    {
      origins: {
        type: 'array',
        description: 'The networks that announce the prefix; the one of the record comes first.',
        items: object(
          {
            asn: integer('Number of the network.'),
            asn_name: string('Its name, where known.', 'Google LLC'),
            rpki: { type: 'string', enum: ['valid', 'invalid', 'not_found'] },
          },
          ['asn_name', 'rpki'],
        ),
      },
      roas: {
        type: 'array',
        description: 'The ROAs that decide, where ROA data is configured.',
        items: object({
          asn: integer('Number of the network that may announce it.'),
          prefix: string('The prefix of the ROA.', '8.8.8.0/24'),
          max_length: integer('The longest prefix that it allows.'),
        }),
      },
    },
    ['roas'],
  ),
);

const privacy = named(
  'Privacy',
  object(
    {
      kind: { type: 'string', enum: ['relay', 'vpn', 'tor', 'proxy'] },
      service: string('Name of the service, where known.', 'iCloud Private Relay'),
    },
    ['service'],
  ),
);

const hostname = named(
  'Hostname',
  object(
    {
      name: string('The name in the PTR record.', 'dns.google'),
      is_confirmed: boolean('Whether the name leads back to the address. Absent if DNS did not answer.'),
      crawler: object({
        name: string('The crawler whose operator documents such names.', 'Googlebot'),
        is_verified: boolean('False: the name is forged.'),
      }),
      error: { type: 'string', const: 'dns_temporary_failure' },
    },
    ['name', 'is_confirmed', 'crawler', 'error'],
  ),
);

const registration = named(
  'Registration',
  object(
    {
      range: string('The registered range: a prefix, or first-last.', '8.8.8.0/24'),
      name: string('Name of the range.', 'GOGL'),
      organization: string('Who holds it.', 'Google LLC'),
      country: string('ISO 3166-1 alpha-2, where the registry states one.', 'US'),
      abuse_email: string('Where abuse is reported.', 'abuse@example.com'),
      registered_at: string('When it was registered.', '2014-03-14T20:52:05Z'),
      changed_at: string('When that was last changed.', '2014-03-14T20:52:05Z'),
      source: string('The registry’s host.', 'rdap.arin.net'),
      error: { type: 'string', const: 'registry_unavailable' },
    },
    [...REGISTRATION_FIELDS, 'error'],
  ),
);

/** Beside the members of a record, each only if it was included and something is known. */
export const addressSections = {
  routing: { ...routing, description: 'Only with include=routing.' },
  privacy: { ...privacy, description: 'Only with include=privacy.' },
  hostname: { ...hostname, description: 'Only with include=hostname; empty without a PTR record.' },
  registration: { ...registration, description: 'Only with include=registration.' },
};

export const includeParameter = string(
  'What the record also has, separated by commas: routing (all networks that announce the prefix), privacy (the privacy service behind the address), hostname (its confirmed name), registration (who holds it; where switched on).',
  'routing,privacy,hostname',
);
