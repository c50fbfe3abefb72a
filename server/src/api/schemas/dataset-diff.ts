/** `GET /v1/dataset/diff`. */
import { envelope, error, oneOfErrors } from './envelope.ts';
import { detection } from './ip-record.ts';
import { boolean, integer, list, named, object, string } from './json-schema.ts';
import { refusals, security } from './refusals.ts';

const ipv4Size = { addresses: integer('IPv4 addresses.') };
const ipv6Size = { slash48s: integer('IPv6 /48s; what is smaller counts as one.') };
const count = { count: integer('All of them, however many are listed.') };
const amount = { ipv4: object({ ...count, ...ipv4Size }), ipv6: object({ ...count, ...ipv6Size }) };
const largest = (properties: Record<string, object>, optional: readonly string[] = []) => ({
  ...list(object(properties, optional)),
  description: 'The largest first, at most limit.',
});
const changes = (entry: Record<string, object>, optional: readonly string[] = []) => ({
  ipv4: object({ ...count, ...ipv4Size, largest: largest({ ...entry, ...ipv4Size }, optional) }),
  ipv6: object({ ...count, ...ipv6Size, largest: largest({ ...entry, ...ipv6Size }, optional) }),
});
const cameAndWent = (entry: Record<string, object>) =>
  object({ gained: object(changes(entry)), lost: object(changes(entry)) });

const network = string('A prefix, or first-last where the addresses are none.', '192.0.2.0-192.0.2.130');
const networkName = { asn: integer('Number of the network.'), asn_name: string('Its name.', 'Google LLC') };
const country = string('ISO 3166-1 alpha-2; ZZ when nothing is known.', 'DE');
const comparedVersion = named(
  'ComparedVersion',
  object({
    version: integer('Number of the version.'),
    built_at: string('When it was built.', '2026-11-15T05:26:11.551Z'),
  }),
);
const labelChange = named(
  'LabelChange',
  object(
    changes(
      {
        network,
        from: string('Absent where there is none.', 'AWS'),
        to: string('Absent where there is none.', 'Azure'),
      },
      ['from', 'to'],
    ),
  ),
);
const networkList = named(
  'NetworkList',
  object({
    ...count,
    largest: largest({ ...networkName, ipv4_addresses: integer('IPv4 addresses it announces.') }),
  }),
);
const sourceState = object({ as_of: string('Date of the source.', '2026-06-01'), records: integer('Rows read.') });

export const datasetDiffSchema = {
  operationId: 'compareDatasetVersions',
  summary: 'What changed between two versions?',
  description:
    'Announced prefixes that came, went or changed hands; addresses that changed country, flag, name or threat level; networks; sources. Counts are exact, lists hold the largest.',
  tags: ['Dataset'],
  security,
  querystring: {
    type: 'object',
    properties: {
      from: string('Required. Number of the older version.', '1'),
      to: string('Required. Number of the newer version.', '2'),
      limit: string('Entries per list, 1 to 1000; above 1000 means 1000. Default 20.', '5'),
    },
  },
  response: {
    200: envelope(
      'The differences.',
      object({
        from: comparedVersion,
        to: comparedVersion,
        limit: integer('The limit in effect.'),
        is_same: boolean('Whether both hold the same, to the byte.'),
        addresses: {
          ...object({ gained: object(amount), lost: object(amount) }),
          description: 'Addresses that one version answers and the other does not.',
        },
        prefixes: {
          ...cameAndWent({ prefix: string('The announced prefix.', '192.0.2.0/24'), ...networkName }),
          description: 'Announced prefixes that one version has and the other has not.',
        },
        origins: {
          ...object(
            changes({
              prefix: string('The announced prefix.', '192.0.2.0/24'),
              from: object(networkName),
              to: object(networkName),
            }),
          ),
          description: 'Prefixes announced in both versions, by another network.',
        },
        countries: {
          ...object({
            ...changes({ network, from: country, to: country }),
            moves: {
              ...list(object({ from: country, to: country, ...amount })),
              description: 'Added up by pair of countries, the most IPv4 addresses first, at most limit.',
            },
          }),
          description: 'Of addresses that both versions answer.',
        },
        levels: {
          ...list(
            object({
              from: { type: 'string', enum: ['low', 'medium', 'high', 'critical'] },
              to: { type: 'string', enum: ['low', 'medium', 'high', 'critical'] },
              ...amount,
            }),
          ),
          description: 'How much moved between threat levels, of addresses that both versions answer.',
        },
        flags: {
          ...object(
            Object.fromEntries(
              Object.keys(detection.properties)
                .filter((name) => name.startsWith('is_'))
                .map((name) => [name, cameAndWent({ network, ...networkName })]),
            ),
          ),
          description: 'What only one version answers has no flag in the other.',
        },
        ai_company: labelChange,
        cloud_provider: labelChange,
        networks: object({
          appeared: networkList,
          vanished: networkList,
          renamed: object({
            ...count,
            largest: largest({
              asn: integer('Number of the network.'),
              from: string('Its former name.', 'Facebook, Inc.'),
              to: string('Its name.', 'Meta Platforms, Inc.'),
              ipv4_addresses: integer('IPv4 addresses it announces.'),
            }),
          }),
        }),
        sources: list(
          object({ id: string('Name of the source.'), from: sourceState, to: sourceState }, ['from', 'to']),
        ),
      }),
    ),
    400: envelope(
      'A version that is missing or no number, or a limit that is none.',
      oneOfErrors({ INVALID_VERSION: 'invalid dataset version', INVALID_LIMIT: 'invalid limit' }),
    ),
    404: envelope('No such version.', error('no such dataset version', 'VERSION_NOT_FOUND')),
    ...refusals,
  },
};
