/** `GET /v1/dataset`. */
import { FLAG_SUBJECTS, QUALITY_FAMILIES, QUALITY_MEASURES, QUALITY_WEIGHTS } from '@whence/dataset/record';
import { envelope } from './envelope.ts';
import { boolean, integer, list, named, object, string } from './json-schema.ts';
import { refusals, security } from './refusals.ts';

const flagSource = named(
  'FlagSource',
  object(
    {
      from: {
        type: 'string',
        enum: ['feeds', 'tables', 'none'],
        description: 'Lists of feeds, only tables of a past date, or nothing: then it is false everywhere.',
      },
      sources: list(string('Name of a source.', 'tor-exits')),
      as_of: string('Date of the oldest feed, or of the oldest table where no feed decides.', '2026-11-14'),
    },
    ['as_of'],
  ),
);

const dataSource = named(
  'DataSource',
  object({
    source: string('Name of the source.', 'npm-dbip-country'),
    as_of: string('Date of the source.', '2026-06-01'),
  }),
);

const share = (description: string) => ({ type: 'number', minimum: 0, maximum: 1, description });
const familyFigures = (unit: string) =>
  object({
    announced: integer(`How many ${unit} are announced.`),
    answered_share: share('Share of them that is answered; the rest is special-purpose space.'),
    country_share: share('Share of the answered whose country is known.'),
    country_confirmed_share: share('Share of the answered whose country two independent sources name.'),
    exact_rir_share: share('Share of the answered whose registry comes from a delegated file.'),
    connection_type_share: share('Share of the answered whose connection type a source decided.'),
    connection_type_from: object({
      list: share('Share of the answered whose connection type comes from a list.'),
      table: share('From a table written by hand, or the overrides.'),
      rule: share('From a rule on names.'),
      signals: share('From the sum of weak signals: words, registration, announced prefixes.'),
      none: share('From nothing: assumed.'),
    }),
  });

const qualityRow = named(
  'QualityRow',
  object({
    field: string('A field of the record, or one value of it.', 'connection_type=education'),
    measure: { type: 'string', enum: QUALITY_MEASURES, description: 'What the value is a share of.' },
    family: { type: 'string', enum: QUALITY_FAMILIES },
    weight: { type: 'string', enum: QUALITY_WEIGHTS, description: 'What counts once.' },
    value: share('The measured share.'),
    n: integer('Labels, counted by weight.'),
    interval: {
      ...list(share('A bound.')),
      minItems: 2,
      maxItems: 2,
      description: '95 % confidence interval: low, high.',
    },
    labels: string('Where the labels are from.', 'networks'),
    labels_as_of: string('Date of the labels.', '2026-11-15'),
    held_out: boolean('The labels are a source of the version; the measured answers are those without that source.'),
  }),
);

const spaceFigures = {
  ipv4_addresses: integer('IPv4 addresses that have it.'),
  ipv6_48s: { type: 'number', description: 'IPv6 /48s that have it.' },
};

export const datasetSchema = {
  operationId: 'getDataset',
  summary: 'Which dataset answers?',
  description: 'The version that is served, how old it is, what it is made of, and all versions that are kept.',
  tags: ['Dataset'],
  security,
  response: {
    200: envelope(
      'The version that is served.',
      object(
        {
          version: integer('Number of the version, as in meta.dataset_version of a lookup.'),
          built_at: string('When it was built.', '2026-11-15T05:26:11.551Z'),
          age_seconds: integer('Seconds since then.'),
          data_as_of: string('Date of the oldest source that decides prefixes or countries.', '2026-06-01'),
          data_sources: {
            ...object({ prefix: dataSource, country: dataSource }, ['prefix', 'country']),
            description: 'Per field the oldest source that decides it for at least 1 % of the answered space.',
          },
          sources: list(
            object({
              id: string('Name of the source.', 'npm-dbip-country'),
              as_of: string('Date of the source.', '2026-06-01'),
              licence: string('Its licence.', 'CC BY 4.0'),
              credit: string('What its licence asks to be shown.', 'IP Geolocation by DB-IP (https://db-ip.com)'),
              records: integer('Rows that were read from it.'),
            }),
          ),
          counts: object({
            ipv4_intervals: integer('Runs of IPv4 addresses with one answer.'),
            ipv6_intervals: integer('Runs of IPv6 addresses with one answer.'),
            records: integer('Distinct answers.'),
            tails: integer('Distinct answers, the network aside.'),
            asns: integer('Networks.'),
            ipv4_prefixes: integer('Announced IPv4 prefixes.'),
            ipv6_prefixes: integer('Announced IPv6 prefixes.'),
          }),
          versions: list(
            object({
              version: integer('Number of the version.'),
              built_at: string('When it was built.', '2026-11-15T05:26:11.551Z'),
              bytes: integer('Size of its file.'),
              current: boolean('Whether it is the one that is served.'),
            }),
          ),
          figures: object({
            ipv4: familyFigures('addresses'),
            ipv6: familyFigures('/48s'),
            country_agreement: list(
              object({
                sources: list(string('Name of a source.', 'npm-dbip-country')),
                ipv4_addresses: integer('On how many addresses both name a country.'),
                share: share('Share of them on which it is the same.'),
              }),
            ),
            flags: {
              type: 'object',
              description: 'Per flag, and under threat for every score above 0.',
              additionalProperties: object({ records: integer('Runs of addresses that have it.'), ...spaceFigures }),
            },
            countries: {
              type: 'object',
              description: 'Answered space per country.',
              additionalProperties: object(spaceFigures),
            },
            registries: {
              type: 'object',
              description: 'Answered space per registry.',
              additionalProperties: object(spaceFigures),
            },
          }),
          flag_sources: {
            ...object(Object.fromEntries(FLAG_SUBJECTS.map((subject) => [subject, flagSource]))),
            description: 'What each flag is decided from, and under blocklists what the threat score is.',
          },
          quality: {
            ...list(qualityRow),
            description: 'How right the answers are, measured on labels that did not decide them.',
          },
          refused: {
            ...list(
              object(
                {
                  id: string('Name of the feed.', 'tor-exits'),
                  reason: string('Why its newest copy was not used.', 'it is empty'),
                  used: string('Date of the older copy that was used instead, if there was one.', '2026-11-14'),
                },
                ['used'],
              ),
            ),
            description: 'Feeds whose newest copy was not used.',
          },
        },
        ['data_as_of'],
      ),
    ),
    ...refusals,
  },
};
