import assert from 'node:assert/strict';
import test from 'node:test';
import { parseMetrics } from './metrics-watch.ts';

test('metrics: counters and parts of histograms may only grow, gauges may do both', () => {
  const { counters, gauges } = parseMetrics(
    [
      '# HELP requests_total Requests.',
      '# TYPE requests_total counter',
      'requests_total{route="ip",status="200"} 12',
      '# TYPE duration_seconds histogram',
      'duration_seconds_bucket{le="+Inf"} 3',
      'duration_seconds_sum 0.5',
      '# TYPE lag_seconds gauge',
      'lag_seconds 0.001',
      '',
    ].join('\n'),
  );
  assert.deepEqual(Object.fromEntries(counters), {
    'requests_total{route="ip",status="200"}': 12,
    'duration_seconds_bucket{le="+Inf"}': 3,
    duration_seconds_sum: 0.5,
  });
  assert.deepEqual(Object.fromEntries(gauges), { lag_seconds: 0.001 });
});
