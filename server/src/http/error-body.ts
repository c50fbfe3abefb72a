/** The envelope of a refusal. */
import type { ApiError } from './errors.ts';

export function errorBody({ row, code, extra, meta }: ApiError, elapsedMs: number): { data: object; meta: object } {
  return {
    data: { error: row.text, code, ...extra },
    meta: { ...meta, processing_time_ms: row.timed ? elapsedMs : 0 },
  };
}
