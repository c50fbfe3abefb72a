/** What an answer about an address has only on request. */
import { named, object, string } from './json-schema.ts';

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

/** Beside the members of a record, each only if it was included and something is known. */
export const addressSections = { privacy: { ...privacy, description: 'Only with include=privacy.' } };

export const includeParameter = string(
  'What the record also has, separated by commas: privacy (the privacy service behind the address).',
  'privacy',
);
