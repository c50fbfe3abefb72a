/** `/healthz` and `/readyz`. */
import { FLAG_SUBJECTS } from '@whence/dataset/record';
import {
  constant,
  dateTime,
  integer,
  list,
  named,
  namedObject,
  oneOfTexts,
  optional,
  string,
} from '../../http/json-schema.ts';
import { envelope, headersTooLarge, refusal } from './refusals.ts';

export const healthzSchema = {
  operationId: 'getHealth',
  security: [],
  summary: 'Is the process alive?',
  tags: ['Health'],
  response: {
    200: envelope('Alive.', namedObject('HealthReport', { status: constant('ok') })),
    431: headersTooLarge,
  },
};

export const flagSubject = named('FlagSubject', oneOfTexts(FLAG_SUBJECTS));
const checks = namedObject('ReadyChecks', {
  dataset: oneOfTexts(['ok', 'stale', 'fallback', 'missing']),
  storage: oneOfTexts(
    ['ok', 'read-only', 'degraded', 'unavailable'],
    'degraded: storage does not answer; known keys and what is leased are used while the grace lasts.',
  ),
  storage_round_trip: optional(
    oneOfTexts(
      ['ok', 'slow'],
      'With PostgreSQL. slow: a round trip takes more than 45 ms, and requests wait for it.',
    ),
  ),
  rules: optional(
    oneOfTexts(
      ['ok', 'refused'],
      'With a rules file. refused: the rules before it are in use; without any the server is not ready.',
    ),
  ),
  overrides: optional(
    constant('refused', 'Those before them are in use; without any the server is not ready.'),
  ),
  lists: optional(
    constant(
      'held',
      'A list for firewalls lost too many prefixes by an update: those before are served.',
    ),
  ),
  clock: optional(
    constant(
      'wrong',
      'While the database differs from other clocks by over an hour, or that of SQLite has jumped: nothing is removed, no key revoked as scheduled.',
    ),
  ),
  update: optional(oneOfTexts(['ok', 'running', 'failing'], 'Once there was an update or a pull.')),
  report_mailbox: optional(
    oneOfTexts(
      ['ok', 'failing'],
      'With a mailbox of reports. failing: for an hour no report could be fetched from it.',
    ),
  ),
  shutdown: optional(constant('stopping', 'Once the server was told to stop.')),
});

const checksums = namedObject('Checksums', {
  rules: string('Of the rules in use; empty without any.', '9b1f07c2'),
  overrides: string('Of the overrides in use; empty without any.', ''),
  settings: string('Of settings that replicas have in common.', '5ae04d11'),
});

export const readyzSchema = {
  operationId: 'getReadiness',
  security: [],
  summary: 'Can it answer?',
  tags: ['Health'],
  response: {
    200: envelope(
      'Ready.',
      namedObject('ReadyReport', {
        status: constant('ready'),
        checks,
        checksums,
        dataset_version: integer('Version of the dataset that is served.'),
        dataset_age_seconds: integer('Seconds since it was built.'),
        data_as_of: optional(
          string('Date of the oldest source that decides prefixes or countries.', '2026-06-01'),
        ),
        data_age_seconds: optional(integer('Seconds since that day began.')),
        unknown_flags: list(
          flagSubject,
          'Flags that are false everywhere until an update brings a list: no source knows them, or no list counts.',
        ),
        dated_flags: list(
          flagSubject,
          'Flags of which a list is too old to count, or that change daily and are from old tables.',
        ),
        held_lists: optional(
          list(string('A list whose prefixes before the last update are served.', 'tor')),
        ),
        update: optional(
          namedObject('UpdateReport', {
            outcome: oneOfTexts(['running', 'published', 'unchanged', 'failed']),
            started_at: dateTime(
              'When the last update from feeds began.',
              '2026-11-15T05:00:00.000Z',
            ),
            finished_at: optional(
              dateTime('When it ended; absent while it runs.', '2026-11-15T05:00:40.000Z'),
            ),
            succeeded_at: optional(
              dateTime(
                'When one last came to its end, or a pull last found a new version.',
                '2026-11-15T05:00:40.000Z',
              ),
            ),
            feeds_refused: list(string('A feed that was refused.', 'tor-exits')),
            refused_format: optional(
              integer(
                'Format of the newest dataset of the static host, if this version of whence cannot read it.',
              ),
            ),
          }),
        ),
      }),
    ),
    431: headersTooLarge,
    503: refusal('Not ready.', 'NOT_READY', { checks, checksums }),
  },
};
