import assert from 'node:assert/strict';
import test from 'node:test';
import { percentileMs, sumTraffic } from './traffic.ts';

for (const [behaviour, buckets, share, want] of [
  ['without requests it is 0', [], 0.5, 0],
  ['it is linear inside a bucket', [[0.001, 100]], 0.5, 0.5],
  [
    'it falls into the bucket that holds the share',
    [
      [0.001, 90],
      [0.01, 10],
    ],
    0.95,
    5.5,
  ],
  [
    'buckets may come in any order',
    [
      [0.01, 10],
      [0.001, 90],
    ],
    0.95,
    5.5,
  ],
  [
    'beyond the last bound it is that bound',
    [
      [5, 1],
      [Number.POSITIVE_INFINITY, 9],
    ],
    0.99,
    5_000,
  ],
] as const) {
  test(`percentile: ${behaviour}`, () => assert.equal(percentileMs(new Map(buckets), share), want));
}

test('traffic: refusals by reason, probes and pages left out', () => {
  const rows = ['ip 200', 'ip 401', 'asn 403', 'ip 429', 'email 503', 'healthz 200', 'pages 404', 'none 404'].map(
    (name) => ({ hour: 0, counter: `requests ${name}`, count: 2 }),
  );
  const { requests, serverErrors, refused } = sumTraffic(rows);
  assert.deepEqual([requests, serverErrors], [10, 2]);
  assert.deepEqual(refused, { unauthorized: 2, forbidden: 2, rate_limited: 2, overloaded: 2 });
});
