import assert from 'node:assert/strict';
import test from 'node:test';
import {
  addUp,
  countersOf,
  Metrics,
  type MetricsSnapshot,
  renderMetrics,
  withCounters,
} from './metrics.ts';

function snapshot(
  count: (metrics: Metrics) => void,
  gauges: Record<string, number> = {},
): MetricsSnapshot {
  const metrics = new Metrics();
  count(metrics);
  return metrics.snapshot(gauges);
}

const BUILD = { version: '1.2.3', node: '20.1.0' };
const two = snapshot(
  (metrics) => {
    metrics.count('ip', 200, 0.25);
    metrics.count('ip', 404, 0.5);
    metrics.count('asn', 200, 60);
    metrics.count('email', 503, 1, 'DNS_UNAVAILABLE');
    metrics.count('readyz', 503, 1, 'NOT_READY');
    metrics.cacheHits = 3;
    metrics.countStall('dashboard');
    metrics.countKeyRefusal('paused');
  },
  { whence_dataset_version: 4, whence_leased_requests: 5 },
);

for (const [behaviour, line] of [
  ['requests by route and status', 'whence_requests_total{route="ip",status="404"} 1'],
  ['a histogram per route', 'whence_request_duration_seconds_bucket{route="ip",le="0.0001"} 0'],
  [
    'buckets that include those below',
    'whence_request_duration_seconds_bucket{route="ip",le="1"} 2',
  ],
  ['what is above all bounds', 'whence_request_duration_seconds_bucket{route="asn",le="5"} 0'],
  [
    'all requests in the last bucket',
    'whence_request_duration_seconds_bucket{route="asn",le="+Inf"} 1',
  ],
  ['the sum of a route', 'whence_request_duration_seconds_sum{route="ip"} 0.75'],
  ['the count of a route', 'whence_request_duration_seconds_count{route="ip"} 2'],
  ['503 by code', 'whence_unavailable_total{code="DNS_UNAVAILABLE"} 1'],
  ['refusals of keys by reason', 'whence_key_refusals_total{reason="paused"} 1'],
  ['stalls by route', 'whence_event_loop_stalls_total{route="dashboard"} 1'],
  ['hits of the cache', 'whence_answer_cache_total{result="hit"} 3'],
  ['gauges', 'whence_dataset_version 4'],
  ['the build', 'whence_build_info{version="1.2.3",node="20.1.0"} 1'],
] as const) {
  test(`metrics: the text has ${behaviour}`, () =>
    assert.ok(renderMetrics(two, BUILD).split('\n').includes(line), renderMetrics(two, BUILD)));
}

test('metrics: each family is announced once, ahead of its series', () => {
  const seen = new Set<string>();
  for (const line of renderMetrics(two, BUILD).trimEnd().split('\n')) {
    const [, announced] = /^# TYPE (\w+)/.exec(line) ?? [];
    if (announced !== undefined) {
      assert.ok(!seen.has(announced), announced);
      seen.add(announced);
    } else if (!line.startsWith('#')) {
      const name = /^\w+/.exec(line)?.[0] ?? '';
      assert.ok(seen.has(name) || seen.has(name.replace(/_(bucket|sum|count)$/, '')), line);
    }
  }
});

test('metrics: workers are added up; gauges are a maximum where a sum makes no sense', () => {
  const other = snapshot((metrics) => metrics.count('ip', 200, 0.2), {
    whence_dataset_version: 3,
    whence_leased_requests: 1,
  });
  const { routes, gauges } = addUp([two, other]);
  assert.deepEqual(routes['ip']?.statuses, { 200: 2, 404: 1 });
  assert.equal(routes['ip']?.buckets[10], 2);
  assert.deepEqual(gauges, { whence_dataset_version: 4, whence_leased_requests: 6 });
});

test('metrics: what remains of a worker that has ended are its counters', () => {
  const { routes, counters, gauges } = countersOf(two);
  assert.deepEqual([routes, counters, gauges], [two.routes, two.counters, {}]);
});

test('metrics: times are the same sum in every order of workers', () => {
  const [a, b, c] = [0.1, 0.2, 0.3].map((seconds) =>
    snapshot((metrics) => metrics.count('ip', 200, seconds)),
  ) as [MetricsSnapshot, MetricsSnapshot, MetricsSnapshot];
  const sumOf = (...snapshots: MetricsSnapshot[]) => addUp(snapshots).routes['ip']?.seconds;
  assert.equal(sumOf(addUp([a, b]), c), sumOf(a, addUp([b, c])));
});

test('metrics: counters of other parts are added', () => {
  const more = withCounters(withCounters(two, { a_total: 1 }), { a_total: 2, b_total: 1 });
  assert.deepEqual([more.counters['a_total'], more.counters['b_total']], [3, 1]);
  assert.ok(renderMetrics(more, BUILD).includes('# TYPE a_total counter\na_total 3\n'));
});

test('metrics: a probe that is answered with 503 is not a request that was', () => {
  assert.ok(!Object.keys(two.counters).some((name) => name.includes('NOT_READY')));
});
