/** The errors that every endpoint can answer with. */
import { details, envelope, error, oneOfErrors } from './envelope.ts';
import { named, string } from './json-schema.ts';

const unauthorized = envelope(
  'Key missing, malformed, unknown, revoked, paused or expired, or not allowed from this network.',
  named(
    'Unauthorized',
    error(
      'unauthorized',
      'UNAUTHORIZED',
      details({ hint: string('Where to send the key, if it was sent elsewhere.') }),
    ),
  ),
);
const forbidden = envelope(
  'The key lacks the permission.',
  named(
    'Forbidden',
    error('forbidden', 'FORBIDDEN', details({ required: string('The permission it lacks.', 'ip:read') })),
  ),
);
const rateLimited = envelope(
  'The requests of the day, or of the second, are used up.',
  error('rate limit exceeded', 'RATE_LIMIT_EXCEEDED'),
);
const unavailable = envelope(
  'No dataset is loaded, storage is down, or the server is overloaded.',
  oneOfErrors({
    DATASET_UNAVAILABLE: 'dataset unavailable',
    STORAGE_UNAVAILABLE: 'storage unavailable',
    OVERLOADED: 'overloaded',
  }),
);
export const refusals = { 401: unauthorized, 403: forbidden, 429: rateLimited, 503: unavailable };
/** Every endpoint except the health checks takes a key. */
export const security = [{ key: [] }];

/** Of a parameter that is on or off. */
export const invalidSwitch = details({
  parameter: string('The name of the parameter.', 'explain'),
  allowed: { type: 'array', items: string('A value it can have.', 'true') },
});

export const headersTooLarge = envelope(
  'Headers over 16 KiB.',
  error('request headers too large', 'HEADERS_TOO_LARGE'),
);
