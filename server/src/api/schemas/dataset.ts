/** `GET /v1/dataset`. */
import { FLAG_SUBJECTS } from '@whence/dataset/record';
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
      as_of: string('The newest date of them.', '2026-11-14'),
    },
    ['as_of'],
  ),
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
      none: share('From nothing: the default.'),
    }),
  });

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
      object({
        version: integer('Number of the version, as in meta.dataset_version of a lookup.'),
        built_at: string('When it was built.', '2026-11-15T05:26:11.551Z'),
        age_seconds: integer('Seconds since then.'),
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
      }),
    ),
    ...refusals,
  },
};
