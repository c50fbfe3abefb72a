/** `/healthz` and `/readyz`. */
import { FLAG_SUBJECTS } from '@whence/dataset/record';
import { envelope, error } from './envelope.ts';
import { integer, list, named, object, string } from './json-schema.ts';
import { headersTooLarge } from './refusals.ts';

export const healthzSchema = {
  operationId: 'getHealth',
  security: [],
  summary: 'Is the process alive?',
  tags: ['Health'],
  response: {
    200: envelope('Alive.', object({ status: { type: 'string', const: 'ok' } })),
    431: headersTooLarge,
  },
};

const checks = named(
  'ReadinessChecks',
  object(
    {
      dataset: { type: 'string', enum: ['ok', 'stale', 'fallback', 'missing'] },
      storage: {
        type: 'string',
        enum: ['ok', 'read-only', 'degraded', 'unavailable'],
        description: 'degraded: storage does not answer; known keys and what is leased are used while the grace lasts.',
      },
      storage_round_trip: {
        type: 'string',
        enum: ['ok', 'slow'],
        description: 'With PostgreSQL. slow: a round trip takes more than 90 ms, and requests wait for it.',
      },
      update: {
        type: 'string',
        enum: ['ok', 'running', 'failing'],
        description: 'Once there was an update or a pull.',
      },
      shutdown: { type: 'string', const: 'stopping', description: 'Once the server was told to stop.' },
    },
    ['storage_round_trip', 'update', 'shutdown'],
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
      object(
        {
          status: { type: 'string', const: 'ready' },
          checks,
          dataset_version: integer('Version of the dataset that is served.'),
          dataset_age_seconds: integer('Seconds since it was built.'),
          data_as_of: string('Date of the oldest source that decides prefixes or countries.', '2026-06-01'),
          data_age_seconds: integer('Seconds since that day began.'),
          unknown_flags: {
            ...list({ type: 'string', enum: FLAG_SUBJECTS }),
            description: 'Flags that no source of the dataset knows: false everywhere, until an update brings a list.',
          },
          dated_flags: {
            ...list({ type: 'string', enum: FLAG_SUBJECTS }),
            description: 'Flags that change daily and are from tables of a past date, until an update brings a list.',
          },
          update: object(
            {
              outcome: { type: 'string', enum: ['running', 'published', 'unchanged', 'failed'] },
              started_at: string('When the last update from feeds began.', '2026-11-15T05:00:00.000Z'),
              finished_at: string('When it ended; absent while it runs.', '2026-11-15T05:00:40.000Z'),
              succeeded_at: string('When one last came to its end.', '2026-11-15T05:00:40.000Z'),
              feeds_refused: { type: 'array', items: string('A feed that was refused.', 'tor-exits') },
              refused_format: integer(
                'Format of the newest dataset of the static host, if this version of whence cannot read it.',
              ),
            },
            ['finished_at', 'succeeded_at', 'refused_format'],
          ),
        },
        ['update', 'data_as_of', 'data_age_seconds'],
      ),
    ),
    431: headersTooLarge,
    503: envelope('Not ready.', error('not ready', 'NOT_READY', { checks })),
  },
};
