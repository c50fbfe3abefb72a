/** What an answer about an address has only on request. */
import { boolean, named, object, string } from './json-schema.ts';

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

/** Beside the members of a record, each only if it was included and something is known. */
export const addressSections = {
  privacy: { ...privacy, description: 'Only with include=privacy.' },
  hostname: { ...hostname, description: 'Only with include=hostname; empty without a PTR record.' },
};

export const includeParameter = string(
  'What the record also has, separated by commas: privacy (the privacy service behind the address), hostname (its confirmed name).',
  'privacy,hostname',
);
