/** What the tools of the MCP server return, as JSON Schema. Clients check results with it. */
import { allOptional, integer, list, object, oneOfTexts, optional, string, strings } from '../../http/json-schema.ts';
import { addressCount, networkFields } from '../schemas/asn.ts';
import { threatKnowledge } from '../schemas/dataset.ts';
import { ipRecord } from '../schemas/ip-record.ts';

const { detection: _detection, evidence: listedEvidence, ...record } = ipRecord.properties;
const addressFields = {
  ...record,
  flags: strings('Those that are true: is_vpn, is_proxy, is_tor_exit, is_datacenter, …'),
  ...allOptional({
    ai_company: string('Who runs the AI crawler.'),
    cloud_provider: string('The cloud provider.'),
    evidence: { ...listedEvidence, description: 'With explain.' },
  }),
};
const { asn, asn_name, country, connection_type, prefix_count } = networkFields;
const errors = strings('`code: explanation`, one per finding.');

export const address = object(addressFields);

export const batch = object({
  results: list(
    object({
      query: string('The submitted text.'),
      error: optional(string('Why there is no record.')),
      code: optional(oneOfTexts(['INVALID_IP', 'NOT_FOUND'])),
      ...allOptional(addressFields),
    }),
  ),
});

export const network = object({
  ...networkFields,
  address_count: addressCount,
  prefixes: optional(object({ ipv4: strings('The first IPv4 prefixes.'), ipv6: strings('The first IPv6 prefixes.') })),
});

export const search = object({
  total: integer('Networks that match.'),
  results: list(object({ asn, asn_name, country, connection_type, prefix_count })),
});

export const domain = object({
  domain: string('The checked domain.'),
  score: integer('0 to 100.'),
  grade: oneOfTexts(['A', 'B', 'C', 'D', 'F']),
  mx: object({ records: strings('Hosts by preference.'), errors }),
  spf: object({ record: string('The record, or empty.'), errors }),
  dkim: list(
    object({
      selector: string('Name of the selector.'),
      key_type: string('rsa or ed25519.'),
      key_bits: integer('Size of the key.'),
      errors,
    }),
    'Keys that were found.',
  ),
  dmarc: object({
    record: string('The record that applies, or empty.'),
    policy: string('The policy in effect.'),
    errors,
  }),
  recommendations: strings('What to do, the most rewarding first.'),
  transport: optional({ type: 'object', description: 'With include: transport.' }),
  networks: optional({ type: 'object', description: 'With include: networks.' }),
  smtp: optional({ type: 'object', description: 'With include: smtp.' }),
  report: optional({ type: 'object', description: 'With explain: the whole report.' }),
});

export const dataset = object({
  version: integer('Number of the version.'),
  built_at: string('When it was built.'),
  age_seconds: integer('Seconds since then.'),
  data_as_of: optional(string('Date of the oldest source that decides prefixes or countries.')),
  networks: integer('Networks.'),
  prefixes: prefix_count,
  sources: list(object({ id: string('Name of the source.'), as_of: string('Its date.') })),
  unknown_flags: strings('Flags that no source knows: false everywhere.'),
  dated_flags: strings('Flags of which a list is too old to count, or that are from tables of a past date.'),
  threat_is_known: threatKnowledge,
  report: optional({ type: 'object', description: 'With explain: the whole report.' }),
});
