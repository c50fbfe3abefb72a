/** The record of an address. */
import { byFlag, CONNECTION_TYPES, FLAG_FACTS, RIRS, THREAT_LEVELS } from '@whence/dataset/record';

import {
  boolean,
  integer,
  list,
  named,
  namedObject,
  oneOfTexts,
  optional,
  string,
  strings,
} from '../../http/json-schema.ts';
import { addressSections } from './address-sections.ts';

export const connectionType = named('ConnectionType', oneOfTexts(CONNECTION_TYPES));
export const rir = named('Rir', {
  ...oneOfTexts(RIRS),
  description: 'The registry. Absent for own networks in private space.',
});
export const threatLevel = named('ThreatLevel', oneOfTexts(THREAT_LEVELS));

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
  note: optional(string('Why it has this value, or adds no points.', 'list of 2025-04-15, too old to count')),
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
  evidence: optional({ ...list(evidence), description: 'Only with explain=true.' }),
  threat_is_known: optional(
    boolean('Only with explain=true. False: no current list could have raised the score, so it does not mean low.'),
  ),
  ...addressSections,
});
