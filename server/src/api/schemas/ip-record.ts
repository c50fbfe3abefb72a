/** The record of an address. */
import { byFlag, CONNECTION_TYPES, FLAG_FACTS, RIRS, THREAT_LEVELS } from '@whence/dataset/record';

import { boolean, integer, list, named, namesOf, object, oneOfTexts, string, strings } from '../../http/json-schema.ts';
import { addressSections } from './address-sections.ts';

export const connectionType = named('ConnectionType', oneOfTexts(CONNECTION_TYPES));
export const rir = named('Rir', oneOfTexts(RIRS));
export const threatLevel = named('ThreatLevel', oneOfTexts(THREAT_LEVELS));

const detection = named(
  'Detection',
  object(
    {
      ...byFlag((flag) => boolean(FLAG_FACTS[flag].about)),
      ai_company: string('Who runs the crawler; only with is_ai_crawler.', 'OpenAI'),
      cloud_provider: string('The cloud provider, when detected.', 'Google Cloud'),
    },
    ['ai_company', 'cloud_provider'],
  ),
);

export const threat = named(
  'Threat',
  object(
    {
      score: { type: 'integer', minimum: 0, maximum: 100 },
      level: threatLevel,
      explanation: strings('One line per contribution, with its points.'),
    },
    ['explanation'],
  ),
);

export const evidence = named(
  'Evidence',
  object({
    field: string('The field that was decided.', 'country'),
    value: { description: 'Its value.', type: ['string', 'number', 'boolean'] },
    source: string('The source that decided it.', 'npm-dbip-country'),
    prefix: string('The prefix for which the source says so.', '8.8.8.0/24'),
    as_of: string('Date of the source.', '2026-06-01'),
  }),
);

export const ipRecord = named(
  'IpRecord',
  object(
    {
      ip: string('The address in normal form.', '8.8.8.8'),
      prefix: string(
        'The most specific prefix that holds it. With prefix_is_derived in the evidence, it comes from a list of ranges and not from an announcement.',
        '8.8.8.0/24',
      ),
      asn: integer('Number of the network.'),
      asn_name: string('Organisation that owns it.', 'Google LLC'),
      country: string('ISO 3166-1 alpha-2; ZZ when nothing is known.', 'US'),
      rir,
      connection_type: connectionType,
      detection,
      threat,
      evidence: { ...list(evidence), description: 'Only with explain=true.' },
      ...addressSections,
    },
    ['evidence', ...namesOf(addressSections)],
  ),
);
