import assert from 'node:assert/strict';
import test from 'node:test';

import { readKernelCounters } from './kernel-counters.ts';
import type { Fault } from './load/protocol.ts';
import { checkPromises, isAllowed, type SoakRecord } from './promises.ts';

const KERNEL = readKernelCounters(
  'TcpExt: SyncookiesFailed Pruned ListenOverflows ListenDrops\nTcpExt: 7 0 2 5\nIpExt: a\nIpExt: 1\n',
);

const RECORD: SoakRecord = {
  fromMs: 0,
  toMs: 600_000,
  kills: [100_000],
  lock: { fromMs: 300_000, toMs: 310_000 },
  swaps: [{ beganMs: 0, atMs: 0, version: 1 }],
  load: {
    sent: 1,
    skipped: 0,
    answers: {},
    lookups: {
      sentAtMs: [10_000, 20_000],
      latencyMs: [1, 2],
      datasetVersion: [1, 1],
      hasLimit: [false, false],
    },
    faults: [],
    freeKeys: [],
    ownDelaysMs: [0],
  },
  samples: [90_000, 570_000].map((atMs) => ({
    atMs,
    processes: 3,
    residentBytes: 300e6,
    descriptors: 100,
  })),
  processes: 3,
  descriptors: { before: 90, after: 90 },
  metrics: { scrapes: 600, failures: 0, decreases: [] },
  freeKeys: [{ counted: 1_000, cut: 0, remaining: 0 }],
  kernel: { before: KERNEL, after: { ...KERNEL, ListenOverflows: 3 } },
  zone: { answered: 100, faults: [] },
  ending: 0,
};

function refusal(
  status: number,
  code: string,
  endedAtMs: number,
  more: Partial<Fault> = {},
): Fault {
  const about = { request: 'lookup', detail: '', isSilentZone: false } as const;
  return {
    ...about,
    sentAtMs: endedAtMs,
    endedAtMs,
    outcome: { kind: 'refused', status, code },
    ...more,
  };
}

for (const [behaviour, fault, want] of [
  ['OVERLOADED right after a kill', refusal(503, 'OVERLOADED', 101_000), true],
  ['OVERLOADED at another time', refusal(503, 'OVERLOADED', 200_000), false],
  [
    'STORAGE_UNAVAILABLE for a Free key during the lock',
    refusal(503, 'STORAGE_UNAVAILABLE', 305_000, { tier: 'free' }),
    true,
  ],
  [
    'STORAGE_UNAVAILABLE for an Enterprise key',
    refusal(503, 'STORAGE_UNAVAILABLE', 305_000, { tier: 'enterprise' }),
    false,
  ],
  [
    'STORAGE_UNAVAILABLE without a lock',
    refusal(503, 'STORAGE_UNAVAILABLE', 400_000, { tier: 'free' }),
    false,
  ],
  [
    'DNS_UNAVAILABLE for a silent zone',
    refusal(503, 'DNS_UNAVAILABLE', 1, { isSilentZone: true }),
    true,
  ],
  ['DNS_UNAVAILABLE for another zone', refusal(503, 'DNS_UNAVAILABLE', 1), false],
  ['a bug', refusal(500, 'INTERNAL', 101_000), false],
] as const)
  test(`soak: ${behaviour} is ${want ? 'allowed' : 'a broken promise'}`, () =>
    assert.equal(isAllowed(RECORD, fault), want));

test('soak: what the kernel has dropped stands beside requests that are cut off', () => {
  assert.deepEqual(KERNEL, { ListenOverflows: 2, ListenDrops: 5, SyncookiesFailed: 7 });
  const row = checkPromises(RECORD).find(({ promise }) => promise.includes('cut off'));
  assert.equal(row?.seen, '0; kernel: ListenOverflows +1, ListenDrops +0, SyncookiesFailed +0');
});

/** The promises that are broken, by their first words. */
function broken(change: Partial<SoakRecord>): string[] {
  const rows = checkPromises({ ...RECORD, ...change }).filter(({ isKept }) => !isKept);
  return rows.map(({ promise }) => promise.split(' ').slice(0, 3).join(' '));
}

const { load } = RECORD;
const slow = {
  sentAtMs: [10_000, 101_000],
  latencyMs: [1, 80],
  datasetVersion: [1, 1],
  hasLimit: [false, false],
};
const cutAt = (endedAtMs: number) => ({
  load: {
    ...load,
    faults: [refusal(0, '', endedAtMs, { outcome: { kind: 'cut', reason: 'ECONNRESET' } })],
  },
});

for (const [behaviour, change, want] of [
  ['a quiet run breaks nothing', {}, []],
  ['a connection cut by a kill is no answer', cutAt(100_100), []],
  ['a connection cut without a kill', cutAt(200_000), ['no request is']],
  [
    'lookups that are slow after a kill alone',
    { load: { ...load, lookups: slow } },
    ['99th percentile of'],
  ],
  [
    'memory that grows',
    {
      samples: [
        ...RECORD.samples.slice(0, 1),
        { atMs: 570_000, processes: 3, residentBytes: 340e6, descriptors: 1 },
      ],
    },
    ['memory grows by'],
  ],
  ['descriptors that stay', { descriptors: { before: 90, after: 500 } }, ['file descriptors are']],
  [
    'a wrong answer over DNS',
    { zone: { answered: 99, faults: ['a: ETIMEOUT'] } },
    ['every question to'],
  ],
  [
    'one request too many',
    { freeKeys: [{ counted: 1_001, cut: 0, remaining: 0 }] },
    ['a Free key'],
  ],
  [
    'more left than was not counted',
    { freeKeys: [{ counted: 900, cut: 0, remaining: 101 }] },
    ['a Free key'],
  ],
  ['what a kill may cost', { freeKeys: [{ counted: 900, cut: 2, remaining: 93 }] }, []],
  [
    'requests that are lost',
    { freeKeys: [{ counted: 900, cut: 0, remaining: 90 }] },
    ['a Free key'],
  ],
  [
    'a counter that goes backwards',
    { metrics: { scrapes: 2, failures: 0, decreases: [{ atMs: 1, series: 'x', from: 2, to: 1 }] } },
    ['counters in /metrics'],
  ],
  [
    'an old dataset after a swap',
    {
      swaps: [
        { beganMs: 0, atMs: 0, version: 1 },
        { beganMs: 12_000, atMs: 12_000, version: 2 },
      ],
    },
    ['a selected dataset'],
  ],
  [
    'a dataset that is served while it is being selected',
    {
      swaps: [
        { beganMs: 0, atMs: 0, version: 2 },
        { beganMs: 9_990, atMs: 20_000, version: 1 },
      ],
    },
    [],
  ],
  ['an exit code', { ending: 1 }, ['stops when told']],
] as const)
  test(`soak: ${behaviour}`, () => assert.deepEqual(broken(change), want));
