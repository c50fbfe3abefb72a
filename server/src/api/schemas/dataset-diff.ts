/** `GET /v1/dataset/diff`. */
import { CHANGE_KINDS, COMPARED_ATTRIBUTES } from '@whence/dataset/internal/diff/diff';
import { boolean, dateTime, integer, list, namedObject, oneOfTexts, optional, string } from '../../http/json-schema.ts';
import { diffQuery } from '../../versions/diff-request.ts';
import { envelope, operation, refusal, refusals } from './refusals.ts';

const size = integer('IPv4 addresses, or IPv6 /48s; what is smaller counts as one.');
const value = (side: string) => optional(string(`The value ${side}; absent where there is none, and for flags.`, 'DE'));
const comparedVersion = namedObject('ComparedVersion', {
  version: integer('Number of the version.'),
  built_at: dateTime('When it was built.'),
});
const attributeChange = namedObject('AttributeChange', {
  attribute: oneOfTexts(COMPARED_ATTRIBUTES, 'The field of the record.'),
  change: oneOfTexts(CHANGE_KINDS, 'Gained or lost where only one version has a value.'),
  family: oneOfTexts(['ipv4', 'ipv6'], 'Family of the addresses.'),
  count: integer('Networks with the change, however many are listed.'),
  size,
  largest: list(
    namedObject('ChangedNetwork', {
      network: string('A prefix, or first-last where the addresses are none.', '192.0.2.0-192.0.2.130'),
      asn: integer('Number of the network that announces it.'),
      asn_name: string('Its name.', 'Google LLC'),
      from: value('before'),
      to: value('after'),
      size,
    }),
    'The largest first, at most limit.',
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

const datasetDiff = namedObject('DatasetDiff', {
  from: comparedVersion,
  to: comparedVersion,
  limit: integer('The limit in effect.'),
  is_same: boolean('Whether both hold the same, to the byte.'),
  changes: list(attributeChange, 'By attribute; those without a change are left out.'),
  sources: list(sourceChange),
});

export const datasetDiffSchema = operation('Dataset', {
  operationId: 'compareDatasetVersions',
  summary: 'What changed between two versions?',
  description:
    'Addresses that changed network, country, flag, name or threat level, by attribute, and the sources. Without versions: the current one, compared with the one before. Counts are exact, lists hold the largest.',
  querystring: diffQuery,
  response: {
    200: envelope('The differences.', datasetDiff),
    400: refusal('A version or a limit that is no number.', ['INVALID_VERSION', 'INVALID_LIMIT']),
    404: refusal('No such version, or no version before it.', 'VERSION_NOT_FOUND'),
    ...refusals,
  },
});
