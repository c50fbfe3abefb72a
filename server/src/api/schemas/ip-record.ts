/** The record of an address. */
import { addressSections } from './address-sections.ts';
import { boolean, integer, named, object, string } from './json-schema.ts';

export const connectionType = {
  type: 'string',
  enum: ['residential', 'datacenter', 'mobile', 'business', 'education'],
};
export const rir = { type: 'string', enum: ['ARIN', 'RIPE', 'APNIC', 'LACNIC', 'AFRINIC'] };

export const detection = named(
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

const threat = named(
  'Threat',
  object(
    {
      score: { type: 'integer', minimum: 0, maximum: 100 },
      level: { type: 'string', enum: ['low', 'medium', 'high', 'critical'] },
      explanation: {
        type: 'array',
        items: { type: 'string' },
        description: 'One line per contribution, with its points.',
      },
    },
    ['explanation'],
  ),
);

const evidence = named(
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
      prefix: string('The announced prefix that holds it.', '8.8.8.0/24'),
      asn: integer('Number of the network.'),
      asn_name: string('Organisation that owns it.', 'Google LLC'),
      country: string('ISO 3166-1 alpha-2; ZZ when nothing is known.', 'US'),
      rir,
      connection_type: connectionType,
      detection,
      threat,
      evidence: { type: 'array', items: evidence, description: 'Only with explain=true.' },
      ...addressSections,
    },
    ['evidence', ...Object.keys(addressSections)],
  ),
);
