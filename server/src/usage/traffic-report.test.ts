import assert from 'node:assert/strict';
import test from 'node:test';
import type { TrafficRow } from '../storage/statistics-changes.ts';
import type { TrafficStore } from '../storage/stores/traffic-store.ts';
import { trafficByHour, trafficOfTwoDays } from './traffic-report.ts';

const now = new Date('2026-11-16T12:30:00Z');
const HOUR_MS = 3_600_000;
const thisHour = now.getTime() - HOUR_MS / 2;

/** Answers as the stores do: rows of that hour and later. */
function storeOf(rows: readonly TrafficRow[]): TrafficStore {
  return { since: async (hour: number) => rows.filter((row) => row.hour >= hour) } as unknown as TrafficStore;
}

for (const [behaviour, buckets, want] of [
  ['without requests they are 0', [], [0, 0, 0]],
  ['they are linear inside a bucket', [[0.001, 100]], [0.5, 0.9, 0.99]],
  [
    'each falls into the bucket that holds its share',
    [
      [0.001, 90],
      [0.01, 10],
    ],
    [0.556, 1, 9.1],
  ],
  [
    'buckets may come in any order',
    [
      [0.01, 10],
      [0.001, 90],
    ],
    [0.556, 1, 9.1],
  ],
  [
    'beyond the last bound they are that bound',
    [
      [5, 1],
      [Number.POSITIVE_INFINITY, 9],
    ],
    [5_000, 5_000, 5_000],
  ],
] as const) {
  test(`traffic percentiles: ${behaviour}`, async () => {
    const rows = buckets.map(([bound, count]) => ({ hour: thisHour, counter: `latency ${bound}`, count }));
    const { latency } = await trafficByHour(storeOf(rows), 1, now);
    assert.deepEqual([latency.p50_ms, latency.p90_ms, latency.p99_ms], want);
  });
}

test('traffic: refusals by reason, probes and pages left out', async () => {
  const names = ['ip 200', 'ip 401', 'asn 403', 'ip 429', 'email 503', 'healthz 200', 'pages 404', 'none 404'];
  const rows = names.map((name) => ({ hour: thisHour, counter: `requests ${name}`, count: 2 }));
  const { last_day } = await trafficOfTwoDays(storeOf(rows), now);
  assert.equal(last_day.requests, 10);
  assert.deepEqual(last_day.refused, { unauthorized: 2, forbidden: 2, rate_limited: 2, overloaded: 2 });
  const { hours } = await trafficByHour(storeOf(rows), 1, now);
  assert.deepEqual([hours[0]?.requests, hours[0]?.server_errors, hours[0]?.refused], [10, 2, 8]);
});

test('traffic: the last 24 hours apart from those before, hours without requests included', async () => {
  const at = (hoursAgo: number) => ({ hour: thisHour - hoursAgo * HOUR_MS, counter: 'requests ip 200', count: 1 });
  const store = storeOf([at(0), at(2), at(23), at(24), at(47), at(60)]);
  const { last_day, day_before } = await trafficOfTwoDays(store, now);
  assert.deepEqual([last_day.requests, day_before.requests], [3, 2]);
  const { hours } = await trafficByHour(store, 3, now);
  assert.deepEqual(
    hours.map(({ hour, requests }) => [hour, requests]),
    [
      ['2026-11-16T10:00:00Z', 1],
      ['2026-11-16T11:00:00Z', 0],
      ['2026-11-16T12:00:00Z', 1],
    ],
  );
});
