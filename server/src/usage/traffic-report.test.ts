import assert from 'node:assert/strict';
import test from 'node:test';
import { HOUR_MS } from '../day.ts';
import type { TrafficRow } from '../storage/statistics-changes.ts';
import type { TrafficStore } from '../storage/stores/usage-store.ts';
import { refusedOfLastDay, trafficByHour } from './traffic-report.ts';

const now = new Date('2026-11-16T12:30:00Z');
const thisHour = now.getTime() - HOUR_MS / 2;

/** Answers as the stores do: rows of that hour and later. */
function storeOf(rows: readonly TrafficRow[]): TrafficStore {
  return {
    since: async (hour: number) => rows.filter((row) => row.hour >= hour),
  } as unknown as TrafficStore;
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
    const rows = buckets.map(([bound, count]) => ({
      hour: thisHour,
      counter: `latency ${bound}`,
      count,
    }));
    const { latency } = await trafficByHour(storeOf(rows), 1, now);
    assert.deepEqual([latency.p50_ms, latency.p90_ms, latency.p99_ms], want);
  });
}

test('traffic: refusals by reason; probes, pages, and what is counted beside a request left out', async () => {
  const counters = [
    ...['ip 200', 'ip 401', 'asn 403', 'ip 429', 'email 503', 'decide 403', 'mcp 401'].map(
      (name) => `requests ${name}`,
    ),
    ...['healthz 200', 'pages 404', 'none 404', 'mcp 200'].map((name) => `requests ${name}`),
    'refused UNAUTHORIZED',
    'refused FORBIDDEN',
    'refused RATE_LIMIT_EXCEEDED',
    'decision set="default",rule="tor",decision="deny"',
    'download key-1 GeoLite2-ASN.mmdb 3',
  ];
  const rows = counters.map((counter) => ({ hour: thisHour, counter, count: 2 }));
  const { hours, refused } = await trafficByHour(storeOf(rows), 1, now);
  assert.deepEqual(refused, { unauthorized: 2, forbidden: 2, rate_limited: 2, overloaded: 0 });
  assert.deepEqual([hours[0]?.requests, hours[0]?.server_errors, hours[0]?.refused], [14, 2, 6]);
});

test('traffic: DNS that is down is not an overload', async () => {
  const codes = ['OVERLOADED', 'DNS_UNAVAILABLE', 'DNS_UNAVAILABLE', 'STORAGE_UNAVAILABLE'];
  const rows = codes.map((code) => ({ hour: thisHour, counter: `unavailable ${code}`, count: 1 }));
  const { refused, unavailable } = await trafficByHour(storeOf(rows), 1, now);
  assert.deepEqual([refused.overloaded, unavailable], [1, { dns: 2, other: 1 }]);
});

test('traffic: hours without requests are there', async () => {
  const at = (hoursAgo: number) => ({
    hour: thisHour - hoursAgo * HOUR_MS,
    counter: 'requests ip 200',
    count: 1,
  });
  const { hours } = await trafficByHour(storeOf([at(0), at(2), at(23)]), 3, now);
  assert.deepEqual(
    hours.map(({ hour, requests }) => [hour, requests]),
    [
      ['2026-11-16T10:00:00Z', 1],
      ['2026-11-16T11:00:00Z', 0],
      ['2026-11-16T12:00:00Z', 1],
    ],
  );
});

// It is 12:30 UTC. Every hour of both days had ten requests, all of them refused.
const steady = Array.from({ length: 60 }, (_, hoursAgo) =>
  ['requests ip 401', 'refused UNAUTHORIZED'].map((counter) => ({
    hour: thisHour - hoursAgo * HOUR_MS,
    counter,
    count: hoursAgo === 0 ? 5 : 10,
  })),
).flat();
for (const [behaviour, rows, refused] of [
  ['steady traffic is the same as yesterday', steady, [235, 235]],
  ['without traffic both are 0', [], [0, 0]],
  [
    'what came later yesterday does not count',
    steady.filter(({ hour }) => hour > thisHour - 24 * HOUR_MS),
    [235, 0],
  ],
] as const)
  test(`traffic: equal spans are compared: ${behaviour}`, async () => {
    const compared = await refusedOfLastDay(storeOf(rows), now);
    assert.deepEqual([compared.now, compared.before], refused);
  });
