/** What every answer has in common: `data` and `meta`. */
import { integer, namedObject, object } from '../../http/json-schema.ts';

export const processingTime = integer('Milliseconds spent.');
const timedMeta = namedObject('Meta', { processing_time_ms: processingTime });

export const envelope = (description: string, data: object, meta: object = timedMeta) => ({
  description,
  ...object({ data, meta }),
});
