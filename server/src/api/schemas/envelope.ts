/** What every answer has in common: `data` and `meta`. */
import { integer, named, object } from '../../http/json-schema.ts';

export const processingTime = integer('Milliseconds spent.');
const timedMeta = named('Meta', object({ processing_time_ms: processingTime }));

export const envelope = (description: string, data: object, meta: object = timedMeta) => ({
  description,
  ...object({ data, meta }),
});
