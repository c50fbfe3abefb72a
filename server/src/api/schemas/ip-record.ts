/** The record of an address. */

import { boolean, integer, list, named, namesOf, object, oneOfTexts, string, strings } from '../../http/json-schema.ts';
import { addressSections } from './address-sections.ts';

export const connectionType = named(
  'ConnectionType',
  oneOfTexts(['residential', 'datacenter', 'mobile', 'business', 'education']),
);
export const rir = named('Rir', oneOfTexts(['ARIN', 'RIPE', 'APNIC', 'LACNIC', 'AFRINIC']));
export const threatLevel = named('ThreatLevel', oneOfTexts(['low', 'medium', 'high', 'critical']));

const detection = named(
  'Detection',
  object(
    {
      is_datacenter: boolean('connection_type is datacenter.'),
      is_tor_exit: boolean('A Tor exit node.'),
      is_proxy: boolean('A known proxy.'),
      is_vpn: boolean('Belongs to a VPN provider.'),
      is_residential: boolean('connection_type is residential.'),
      is_mobile: boolean('connection_type is mobile.'),
      is_ai_crawler: boolean('Used by an AI crawler or bot.'),
      ai_company: string('Who runs the crawler; only with is_ai_crawler.', 'OpenAI'),
      cloud_provider: string('The cloud provider, when detected.', 'Google Cloud'),
    },
    ['ai_company', 'cloud_provider'],
  ),
);

export const FLAGS = Object.keys(detection.properties).filter((name) => name.startsWith('is_'));

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
