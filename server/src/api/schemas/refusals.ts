/** The errors that every endpoint can answer with. */
import { envelope } from './envelope.ts';
import { refusalData } from './error-schemas.ts';

export const refusals = {
  401: envelope(
    'Key missing, malformed, unknown, revoked, paused or expired, or not allowed from this network.',
    refusalData('UNAUTHORIZED'),
  ),
  403: envelope('The key lacks the permission.', refusalData('FORBIDDEN')),
  429: envelope('The requests of the day, or of the second, are used up.', refusalData('RATE_LIMIT_EXCEEDED')),
  503: envelope(
    'No dataset is loaded, storage is down, or the server is overloaded.',
    refusalData(['DATASET_UNAVAILABLE', 'STORAGE_UNAVAILABLE', 'OVERLOADED']),
  ),
};
/** Every endpoint except the health checks takes a key. */
export const security = [{ key: [] }];

export const headersTooLarge = envelope('Headers over 16 KiB.', refusalData('HEADERS_TOO_LARGE'));
