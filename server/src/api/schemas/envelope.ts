/** What every answer has in common: `data` and `meta`, and the error in `data` of a refusal. */
import { integer, named, object } from './json-schema.ts';

export const processingTime = integer('Milliseconds spent.');
const timedMeta = named('Meta', object({ processing_time_ms: processingTime }));

export const envelope = (description: string, data: object, meta: object = timedMeta) => ({
  description,
  ...object({ data, meta }),
});

export const error = (text: string, code: string, extra: Record<string, object> = {}) =>
  object(
    { error: { type: 'string', const: text }, code: { type: 'string', const: code }, ...extra },
    Object.keys(extra),
  );
export const details = (properties: Record<string, object>) => ({ details: { type: 'object', properties } });

/** One of several errors, as text by code. */
export const oneOfErrors = (texts: Record<string, string>, extra: Record<string, object> = {}) =>
  object(
    {
      error: { type: 'string', enum: Object.values(texts) },
      code: { type: 'string', enum: Object.keys(texts) },
      ...extra,
    },
    Object.keys(extra),
  );
