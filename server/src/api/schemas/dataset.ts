/** `GET /v1/dataset`. */
import { FLAG_SUBJECTS } from '@whence/dataset/record';
import {
  allOptional,
  boolean,
  dateTime,
  integer,
  list,
  named,
  namedObject,
  object,
  oneOfTexts,
  optional,
  share,
  string,
} from '../../http/json-schema.ts';
import { flagSubject } from './health.ts';
import { envelope, operation, refusals } from './refusals.ts';

const flagSource = namedObject('FlagSource', {
  from: oneOfTexts(
    ['feeds', 'tables', 'none'],
    'Lists of feeds, only tables, or nothing: then it is false everywhere.',
  ),
  sources: list(string('Name of a source.', 'tor-exits')),
  as_of: optional(
    string('Date of the oldest feed, or of the oldest table where no feed decides.', '2026-11-14'),
  ),
  too_old: optional(
    list(
      string('Name of a source.', 'tor-exits'),
      'Sources that are too old to count: they add no points and set no flag.',
    ),
  ),
});

const dataSource = namedObject('DataSource', {
  source: string('Name of the source.', 'npm-dbip-country'),
  as_of: string('Date of the source.', '2026-06-01'),
});

const dataSources = namedObject('FieldSources', {
  source: string('Name of the oldest source.', 'npm-dbip-country'),
  as_of: string('Its date.', '2026-06-01'),
  ipv4: optional(dataSource),
  ipv6: optional(dataSource),
});

const familyFigures = namedObject('FamilyFigures', {
  announced: integer('How many IPv4 addresses, or IPv6 /48s, are announced.'),
  answered_share: share('Share of them that is answered; the rest is special-purpose space.'),
  country_share: share('Share of the answered whose country is known.'),
  country_confirmed_share: share(
    'Share of the answered whose country two independent sources name.',
  ),
  exact_rir_share: share('Share of the answered whose registry comes from a delegated file.'),
  connection_type_share: share('Share of the answered whose connection type a source decided.'),
  connection_type_from: namedObject('ConnectionTypeFrom', {
    list: share('Share of the answered whose connection type comes from a list.'),
    table: share('From a table written by hand, or the overrides.'),
    rule: share('From a rule on names.'),
    signals: share('From the sum of weak signals: words, registration, announced prefixes.'),
    none: share('From nothing: assumed.'),
  }),
});

const space = {
  ipv4_addresses: integer('IPv4 addresses that have it.'),
  ipv6_48s: { type: 'number', description: 'IPv6 /48s that have it.' },
};
const spaceFigures = namedObject('SpaceFigures', space);
const flagFigures = namedObject('FlagFigures', {
  records: integer('Runs of addresses that have it.'),
  ...space,
});
const byName = (figures: object, description: string) => ({
  type: 'object',
  description,
  additionalProperties: figures,
});

const figures = namedObject('Figures', {
  ipv4: familyFigures,
  ipv6: familyFigures,
  country_agreement: list(
    namedObject('CountryAgreement', {
      sources: {
        ...list(string('Name of a source.', 'npm-dbip-country')),
        minItems: 2,
        maxItems: 2,
      },
      ipv4_addresses: integer('On how many addresses both name a country.'),
      share: share('Share of them on which it is the same.'),
    }),
  ),
  flags: byName(flagFigures, 'Per flag, and under threat for every score above 0.'),
  countries: byName(spaceFigures, 'Answered space per country.'),
  registries: byName(spaceFigures, 'Answered space per registry.'),
});

const source = namedObject('Source', {
  id: string('Name of the source.', 'npm-dbip-country'),
  as_of: string('Date of the source.', '2026-06-01'),
  licence: string('Its licence.', 'CC BY 4.0'),
  credit: string(
    'What its licence asks to be shown.',
    'IP Geolocation by DB-IP (https://db-ip.com)',
  ),
  records: integer('Rows that were read from it.'),
  max_age_days: optional(
    integer(
      'Days after its date for which it counts. A list that is older sets no flag and adds no points.',
    ),
  ),
  is_table: optional(
    boolean('A table of this program. Without max_age_days its rows are lasting facts.'),
  ),
  is_broad: optional(
    boolean('A list of attackers from all over the internet, without which scores are unknown.'),
  ),
});

const counts = namedObject('DatasetCounts', {
  ipv4_intervals: integer('Runs of IPv4 addresses with one answer.'),
  ipv6_intervals: integer('Runs of IPv6 addresses with one answer.'),
  records: integer('Distinct answers.'),
  attribute_sets: integer('Distinct answers, the network aside.'),
  asns: integer('Networks.'),
  ipv4_prefixes: integer('Announced IPv4 prefixes.'),
  ipv6_prefixes: integer('Announced IPv6 prefixes.'),
});

const publishedVersion = namedObject('PublishedVersion', {
  version: integer('Number of the version.'),
  built_at: dateTime('When it was built.'),
  bytes: integer('Size of its file.'),
  current: boolean('Whether it is the one that is served.'),
});

const refusedFeed = namedObject('RefusedFeed', {
  id: string('Name of the feed.', 'tor-exits'),
  reason: string('Why its newest copy was not used.', 'it is empty'),
  used: optional(
    string('Date of the older copy that was used instead, if there was one.', '2026-11-14'),
  ),
});

const threatKnowledge = namedObject('ThreatKnowledge', {
  ipv4: boolean(
    'Whether threat scores of IPv4 addresses are complete: broad attack lists and the Tor list are current. If not, 0 is not low.',
  ),
  ipv6: boolean('The same of an IPv6 address.'),
});

const datasetReport = namedObject('DatasetReport', {
  version: integer('Number of the version, as in meta.dataset_version of a lookup.'),
  built_at: dateTime('When it was built.'),
  data_as_of: optional(
    string('Date of the oldest source that decides prefixes or countries.', '2026-06-01'),
  ),
  data_sources: named('DataSources', {
    ...object(allOptional({ prefix: dataSources, country: dataSources })),
    description:
      'Per field the oldest source that decides it for at least 1% of the answered space.',
  }),
  sources: list(source),
  counts,
  versions: list(publishedVersion),
  figures,
  flag_sources: named('FlagSources', {
    ...object(Object.fromEntries(FLAG_SUBJECTS.map((subject) => [subject, flagSource]))),
    description: 'What each flag is decided from, and under blocklists what the threat score is.',
  }),
  unknown_flags: list(
    flagSubject,
    'Flags that are false everywhere: no source knows them, or none of their lists counts.',
  ),
  dated_flags: list(
    flagSubject,
    'Flags of which a list is too old to count, or that are from tables of a past date.',
  ),
  threat_is_known: threatKnowledge,
  refused: list(refusedFeed, 'Feeds whose newest copy was not used.'),
});

export const datasetSchema = operation('Dataset', {
  operationId: 'getDataset',
  summary: 'Which dataset answers?',
  description:
    'The version that is served, how old it is, what it is made of, and all versions that are kept.',
  response: {
    200: envelope('The version that is served.', datasetReport),
    304: { type: 'null', description: 'The answer is the one of If-None-Match.' },
    ...refusals,
  },
});
