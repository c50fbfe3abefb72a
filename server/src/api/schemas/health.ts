/** `/healthz` and `/readyz`. */
import { FLAG_SUBJECTS } from '@whence/dataset/record';
import { constant, dateTime, integer, list, named, object, oneOfTexts, string } from '../../http/json-schema.ts';
import { envelope } from './envelope.ts';
import { refusalData } from './error-schemas.ts';
import { headersTooLarge } from './refusals.ts';

export const healthzSchema = {
  operationId: 'getHealth',
  security: [],
  summary: 'Is the process alive?',
  tags: ['Health'],
  response: {
    200: envelope('Alive.', named('HealthReport', object({ status: constant('ok') }))),
    431: headersTooLarge,
  },
};

const flagSubject = named('FlagSubject', oneOfTexts(FLAG_SUBJECTS));
const checks = named(
  'ReadyChecks',
  object(
    {
      dataset: oneOfTexts(['ok', 'stale', 'fallback', 'missing']),
      storage: {
        ...oneOfTexts(['ok', 'read-only', 'degraded', 'unavailable']),
        description: 'degraded: storage does not answer; known keys and what is leased are used while the grace lasts.',
      },
      storage_round_trip: {
        ...oneOfTexts(['ok', 'slow']),
        description: 'With PostgreSQL. slow: a round trip takes more than 90 ms, and requests wait for it.',
      },
      clock: {
        type: 'string',
        const: 'wrong',
        description:
          'While the clock has jumped and no other clock agrees: nothing is removed, no key revoked as scheduled.',
      },
      update: {
        ...oneOfTexts(['ok', 'running', 'failing']),
        description: 'Once there was an update or a pull.',
      },
      shutdown: { type: 'string', const: 'stopping', description: 'Once the server was told to stop.' },
    },
    ['storage_round_trip', 'clock', 'update', 'shutdown'],
  ),
);

export const readyzSchema = {
  operationId: 'getReadiness',
  security: [],
  summary: 'Can it answer?',
  tags: ['Health'],
  response: {
    200: envelope(
      'Ready.',
      named(
        'ReadyReport',
        object(
          {
            status: constant('ready'),
            checks,
            dataset_version: integer('Version of the dataset that is served.'),
            dataset_age_seconds: integer('Seconds since it was built.'),
            data_as_of: string('Date of the oldest source that decides prefixes or countries.', '2026-06-01'),
            data_age_seconds: integer('Seconds since that day began.'),
            unknown_flags: {
              ...list(flagSubject),
              description:
                'Flags that no source of the dataset knows: false everywhere, until an update brings a list.',
            },
            dated_flags: {
              ...list(flagSubject),
              description: 'Flags that change daily and are from tables of a past until an update brings a list.',
            },
            update: named(
              'UpdateReport',
              object(
                {
                  outcome: oneOfTexts(['running', 'published', 'unchanged', 'failed']),
                  started_at: dateTime('When the last update from feeds began.', '2026-11-15T05:00:00.000Z'),
                  finished_at: dateTime('When it ended; absent while it runs.', '2026-11-15T05:00:40.000Z'),
                  succeeded_at: dateTime('When one last came to its end.', '2026-11-15T05:00:40.000Z'),
                  feeds_refused: list(string('A feed that was refused.', 'tor-exits')),
                  refused_format: integer(
                    'Format of the newest dataset of the static host, if this version of whence cannot read it.',
                  ),
                },
                ['finished_at', 'succeeded_at', 'refused_format'],
              ),
            ),
          },
          ['update', 'data_as_of', 'data_age_seconds'],
        ),
      ),
    ),
    431: headersTooLarge,
    503: envelope('Not ready.', refusalData('NOT_READY', { checks })),
  },
};
