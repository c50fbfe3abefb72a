import assert from 'node:assert/strict';
import test from 'node:test';
import { checkReplicas, type ReplicaRecord } from './promises.ts';
import type { Lookup } from './traffic.ts';

const lookup = (sentAtMs: number, changes: Partial<Lookup> = {}): Lookup => ({
  sentAtMs,
  latencyMs: 1,
  status: 200,
  key: 'unlimited',
  isLimited: false,
  ...changes,
});

const calm = Array.from({ length: 500 }, (_, i) => lookup(6_000 + i));
const used = Array.from({ length: 1_000 }, (_, i) =>
  lookup(7_000 + i, { key: 'free', isLimited: true }),
);
const good: ReplicaRecord = {
  fromMs: 0,
  faults: [{ name: 'a restart', fromMs: 20_000, toMs: 21_000 }],
  lookups: [
    ...calm,
    ...used,
    lookup(8_500, { key: 'free', isLimited: true, status: 429 }),
    lookup(20_500),
  ],
  revocations: { revoked: 3, accepted: [], failures: 1 },
  endings: [0, 0],
};

/** The promises that are broken, by their beginning. */
const broken = (changes: Partial<ReplicaRecord>) =>
  checkReplicas({ ...good, ...changes })
    .filter(({ isKept }) => !isKept)
    .map(({ promise }) => promise.split(' ').slice(0, 3).join(' '));

const more = (lookup: Lookup) => ({ lookups: [...good.lookups, lookup] });

for (const [behaviour, changes, want] of [
  ['a run without a fault in it', {}, []],
  [
    'slow lookups while nothing happens',
    { lookups: calm.map((one) => ({ ...one, latencyMs: 60 })) },
    ['99th percentile of', 'a Free key'],
  ],
  ['an error while nothing happens', more(lookup(9_000, { status: 503 })), ['outside the faults']],
  [
    'an error of a key with a limit during a fault',
    more(lookup(20_500, { isLimited: true, key: 'x', status: 503 })),
    [],
  ],
  [
    'an error of a known key during a fault',
    more(lookup(20_500, { status: 503 })),
    ['a restart: keys'],
  ],
  ['an error soon after it', more(lookup(23_500, { status: 0 })), ['a restart: keys']],
  ['one request too many', more(lookup(9_000, { key: 'free', isLimited: true })), ['a Free key']],
  [
    'a revoked key that is accepted',
    { revocations: { revoked: 3, accepted: [{ atMs: 1, when: 'later' }], failures: 0 } },
    ['no replica with'],
  ],
  [
    'a revoked key that is accepted by a replica in its grace',
    { revocations: { revoked: 3, accepted: [{ atMs: 20_500, when: 'later' }], failures: 0 } },
    [],
  ],
  ['a replica that was killed', { endings: [0, 'SIGKILL'] }, ['both replicas run']],
] as const)
  test(`replica soak: ${behaviour}`, () => assert.deepEqual(broken(changes), want));
