/** `GET /v1/dataset/diff`. */
import { byFlag } from '@whence/dataset/record';
import {
  boolean,
  dateTime,
  integer,
  list,
  named,
  namedObject,
  object,
  optional,
  string,
} from '../../http/json-schema.ts';
import { diffQuery } from '../../versions/diff-request.ts';
import { threatLevel } from './ip-record.ts';
import { envelope, refusalData, refusals, security } from './refusals.ts';

const ipv4Size = { addresses: integer('IPv4 addresses.') };
const ipv6Size = { slash48s: integer('IPv6 /48s; what is smaller counts as one.') };
const count = { count: integer('All of them, however many are listed.') };
const amount = {
  ipv4: namedObject('Ipv4Amount', { ...count, ...ipv4Size }),
  ipv6: namedObject('Ipv6Amount', { ...count, ...ipv6Size }),
};
const largest = (entry: object) => ({ ...list(entry), description: 'The largest first, at most limit.' });
/** Changes of both families. `name` is that of an entry; with the family before it, of its schema. */
const changes = (name: string, entry: Record<string, object>) => {
  const ofFamily = (family: string, size: Record<string, object>) => {
    const one = namedObject(`${family}${name}`, { ...entry, ...size });
    return namedObject(`${family}${name}List`, { ...count, ...size, largest: largest(one) });
  };
  return { ipv4: ofFamily('Ipv4', ipv4Size), ipv6: ofFamily('Ipv6', ipv6Size) };
};
const namedChanges = (name: string, entry: Record<string, object>) => namedObject(`${name}Lists`, changes(name, entry));
const cameAndWent = (name: string, entry: Record<string, object>) => {
  const each = namedChanges(name, entry);
  return namedObject(`${name}Changes`, { gained: each, lost: each });
};

const network = string('A prefix, or first-last where the addresses are none.', '192.0.2.0-192.0.2.130');
const networkName = { asn: integer('Number of the network.'), asn_name: string('Its name.', 'Google LLC') };
const namedNetwork = namedObject('NetworkName', networkName);
const country = string('ISO 3166-1 alpha-2; ZZ when nothing is known.', 'DE');
const comparedVersion = namedObject('ComparedVersion', {
  version: integer('Number of the version.'),
  built_at: dateTime('When it was built.'),
});
const label = (example: string) => optional(string('Absent where there is none.', example));
const labelChanges = namedChanges('LabelChange', { network, from: label('AWS'), to: label('Azure') });
const announced = { ipv4_addresses: integer('IPv4 addresses it announces.') };
const networkList = namedObject('NetworkList', {
  ...count,
  largest: largest(namedObject('NetworkChange', { ...networkName, ...announced })),
});
const renamedList = namedObject('RenamedNetworkList', {
  ...count,
  largest: largest(
    namedObject('NameChange', {
      asn: integer('Number of the network.'),
      from: string('Its former name.', 'Facebook, Inc.'),
      to: string('Its name.', 'Meta Platforms, Inc.'),
      ...announced,
    }),
  ),
});
const sourceState = namedObject('SourceState', {
  as_of: string('Date of the source.', '2026-06-01'),
  records: integer('Rows read.'),
});
const sourceChange = namedObject('SourceChange', {
  id: string('Name of the source.'),
  from: optional(sourceState),
  to: optional(sourceState),
});
const bothAmounts = namedObject('Amount', amount);
const flagChanges = cameAndWent('FlaggedNetwork', { network, ...networkName });

const datasetDiff = namedObject('DatasetDiff', {
  from: comparedVersion,
  to: comparedVersion,
  limit: integer('The limit in effect.'),
  is_same: boolean('Whether both hold the same, to the byte.'),
  addresses: named('AddressChanges', {
    ...object({ gained: bothAmounts, lost: bothAmounts }),
    description: 'Addresses that one version answers and the other does not.',
  }),
  prefixes: {
    ...cameAndWent('AnnouncedPrefix', { prefix: string('The announced prefix.', '192.0.2.0/24'), ...networkName }),
    description: 'Announced prefixes that one version has and the other has not.',
  },
  origins: {
    ...namedChanges('OriginChange', {
      prefix: string('The announced prefix.', '192.0.2.0/24'),
      from: namedNetwork,
      to: namedNetwork,
    }),
    description: 'Prefixes announced in both versions, by another network.',
  },
  countries: named('CountryChanges', {
    ...object({
      ...changes('CountryChange', { network, from: country, to: country }),
      moves: {
        ...list(namedObject('CountryMove', { from: country, to: country, ...amount })),
        description: 'Added up by pair of countries, the most IPv4 addresses first, at most limit.',
      },
    }),
    description: 'Of addresses that both versions answer.',
  }),
  levels: {
    ...list(namedObject('LevelMove', { from: threatLevel, to: threatLevel, ...amount })),
    description: 'How much moved between threat levels, of addresses that both versions answer.',
  },
  flags: named('FlagChanges', {
    ...object(byFlag(() => flagChanges)),
    description: 'What only one version answers has no flag in the other.',
  }),
  ai_company: labelChanges,
  cloud_provider: labelChanges,
  networks: namedObject('NetworkChanges', { appeared: networkList, vanished: networkList, renamed: renamedList }),
  sources: list(sourceChange),
});

export const datasetDiffSchema = {
  operationId: 'compareDatasetVersions',
  summary: 'What changed between two versions?',
  description:
    'Announced prefixes that came, went or changed hands; addresses that changed country, flag, name or threat level; networks; sources. Counts are exact, lists hold the largest.',
  tags: ['Dataset'],
  security,
  querystring: diffQuery,
  response: {
    200: envelope('The differences.', datasetDiff),
    400: envelope(
      'A version that is missing or no number, or a limit that is none.',
      refusalData(['INVALID_VERSION', 'INVALID_LIMIT']),
    ),
    404: envelope('No such version.', refusalData('VERSION_NOT_FOUND')),
    ...refusals,
  },
};
