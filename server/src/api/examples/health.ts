/** Answers about the server itself. */

export const HEALTH_EXAMPLES = {
  getHealth: { 200: { data: { status: 'ok' }, meta: { processing_time_ms: 0 } } },
  getReadiness: {
    200: {
      data: {
        status: 'ready',
        checks: { dataset: 'ok', storage: 'ok' },
        dataset_version: 2,
        dataset_age_seconds: 0,
        data_as_of: '2026-06-01',
        data_age_seconds: 14_428_800,
        unknown_flags: ['is_proxy'],
        dated_flags: ['is_tor_exit', 'blocklists'],
      },
      meta: { processing_time_ms: 10 },
    },
    503: {
      data: { error: 'not ready', code: 'NOT_READY', checks: { dataset: 'missing', storage: 'ok' } },
      meta: { processing_time_ms: 0 },
    },
  },
};
