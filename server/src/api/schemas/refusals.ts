/** The errors that every endpoint can answer with. */
import { details, envelope, error, oneOfErrors } from './envelope.ts';
import { string } from './json-schema.ts';

const unauthorized = envelope(
  'Key missing, malformed, unknown, revoked, paused or expired, or not allowed from this network.',
  error('unauthorized', 'UNAUTHORIZED'),
);
const forbidden = envelope(
  'The key lacks the permission.',
  error('forbidden', 'FORBIDDEN', details({ required: string('The permission it lacks.', 'ip:read') })),
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

export const headersTooLarge = envelope(
  'Headers over 16 KiB.',
  error('request headers too large', 'HEADERS_TOO_LARGE'),
);
