/**
 * No schedule admits one request too many: processes that spend, refund, go idle, crash and come
 * back late; statements that are refused, whose answers are lost, or that storage executes long
 * after they were given up; leases that expire while their owners live. Seeded; 1,500 schedules on
 * the model in memory, some on each engine.
 */

import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { seededRandom } from '@whence/testing/seeded-random';
import { periodPasses } from '@whence/testing/until';
import type { LeaseStore } from '../storage/leases/lease-store.ts';
import { openTestStorage, testEngines } from '../test/storage/engines.ts';
import { MemoryLeases } from '../test/storage/memory-leases.ts';
import { Quota } from './quota.ts';

const NOON = Date.parse('2026-11-15T12:00:00Z');
const DAY = '2026-11-15';
const LIMIT = 120;
const ALLOWANCE = { limit: LIMIT, lease: 40 };
const PROCESSES = 3;
/** On real storage, where expiry takes time. */
const LEASE_MS = 5;

type Below = (count: number) => number;

/** Statements of one process on their way to storage and back. */
type Network = {
  /** In percent. */
  readonly faults: { refused: number; lost: number; late: number };
  /** Statements that were given up and that storage has not executed yet. */
  readonly late: (() => Promise<unknown>)[];
};

function overNetwork(store: LeaseStore, { faults, late }: Network, below: Below): LeaseStore {
  const send = async <T>(statement: () => Promise<T>): Promise<T> => {
    const fate = below(100);
    if (fate < faults.refused) throw new Error('refused');
    if (fate < faults.refused + faults.late) {
      late.push(statement);
      throw new Error('given up');
    }
    const answer = await statement();
    if (fate < faults.refused + faults.late + faults.lost) throw new Error('the answer was lost');
    return answer;
  };
  return {
    take: (...args) => send(() => store.take(...args)),
    end: (leases) => send(() => store.end(leases.map((lease) => ({ ...lease })))),
    renew: (owners) => send(() => store.renew(owners)),
    reclaim: (of) => send(() => store.reclaim(of)),
    // Nothing depends on recalls; waiting for them would take half a second each.
    recall: async () => {
      throw new Error('not in these schedules');
    },
    recallsSince: (number) => store.recallsSince(number),
    lastRecall: () => store.lastRecall(),
    takenOn: (day) => store.takenOn(day),
    prune: (...args) => store.prune(...args),
  };
}

/** `expire` lets the leases of processes that have crashed run out, or of all. */
type World = { readonly store: LeaseStore; expire(dead: ReadonlySet<string>): Promise<void> };

/** Returns how many requests were admitted and not refunded, and how many a crash may have lost. */
async function play(
  world: World,
  keyId: string,
  faults: Network['faults'],
  steps: number,
  below: Below,
) {
  const network: Network = { faults, late: [] };
  const dead = new Set<string>();
  const ids = Array.from({ length: PROCESSES }, (_, i) => `process ${i}`);
  const start = (processId: string) =>
    new Quota(overNetwork(world.store, network, below), { processId });
  const quotas = ids.map(start);
  let nowMs = NOON;
  let admitted = 0;
  let lost = 0;
  const spend = async (quota: Quota) => {
    const { isAllowed } = await quota
      .spend(keyId, ALLOWANCE, nowMs)
      .catch(() => ({ isAllowed: false }));
    if (isAllowed) admitted++;
    assert.ok(admitted <= LIMIT, `${admitted} of ${LIMIT} admitted`);
  };
  for (let step = 0; step < steps; step++) {
    const at = below(PROCESSES);
    const quota = quotas[at] as Quota;
    const act = below(100);
    if (act < 70) await Promise.all(Array.from({ length: 1 + below(3) }, () => spend(quota)));
    else if (act < 74 && admitted > 0) {
      quota.refund(keyId, DAY);
      admitted--;
    } else if (act < 80) {
      nowMs += 2_500;
      await quota.endIdle(nowMs).catch(() => {});
    } else if (act < 86) await quota.renewLeases().catch(() => {});
    else if (act < 91) await world.expire(dead);
    else if (act < 96) await network.late.splice(below(network.late.length + 1), 1)[0]?.();
    else {
      // What it has queued for storage would be lost as well, and cannot be seen from here.
      await quota.endIdle(nowMs).catch(() => {});
      lost += quota.open;
      dead.add(ids[at] as string);
      ids[at] = `process ${at}, started in step ${step}`;
      quotas[at] = start(ids[at] as string);
    }
  }
  // The network works again, running processes return what they hold, and crashed ones expire.
  Object.assign(faults, { refused: 0, lost: 0, late: 0 });
  for (const statement of network.late) await statement();
  for (const quota of quotas) await quota.close();
  await world.expire(dead);
  await world.store.reclaim();
  const last = new Quota(world.store);
  for (let i = 0; i < LIMIT; i++) await spend(last);
  return { admitted, lost };
}

const inMemory = (isMeant: (owner: string, dead: ReadonlySet<string>) => boolean): World => {
  const store = new MemoryLeases();
  return { store, expire: async (dead) => store.expire((owner) => isMeant(owner, dead)) };
};
const allOwners = () => true;
const deadOwners = (owner: string, dead: ReadonlySet<string>) =>
  dead.has(owner.slice(0, owner.lastIndexOf('.')));

test('schedules: with crashes and expiry, the limit is admitted except for what was open in a crash', async () => {
  for (let seed = 1; seed <= 1_000; seed++) {
    const random = seededRandom(seed);
    const below = (count: number) => Math.floor(random() * count);
    const none = { refused: 0, lost: 0, late: 0 };
    const { admitted, lost } = await play(inMemory(deadOwners), 'one', none, 60, below);
    assert.ok(admitted + lost >= LIMIT, `seed ${seed}: ${admitted} admitted, ${lost} lost`);
  }
});

test('schedules: with statements refused, repeated and executed late, the limit is never exceeded', async () => {
  for (let seed = 1; seed <= 500; seed++) {
    const random = seededRandom(seed);
    const below = (count: number) => Math.floor(random() * count);
    const faults = { refused: below(20), lost: below(20), late: below(20) };
    await play(inMemory(allOwners), 'one', faults, 80, below).catch((error) => {
      throw new Error(`seed ${seed}: ${error.message}`);
    });
  }
});

for (const engine of testEngines()) {
  const { name, skip } = engine;
  after(() => engine.close());

  test(`schedules on ${name}: the limit is never exceeded`, { skip }, async () => {
    const storage = await openTestStorage(await engine.newLocation(), { leaseMs: LEASE_MS });
    try {
      for (let seed = 1; seed <= 12; seed++) {
        const random = seededRandom(seed);
        const below = (count: number) => Math.floor(random() * count);
        const world = {
          store: storage.leases,
          expire: () => periodPasses(2 * LEASE_MS),
        };
        const faults = { refused: below(20), lost: below(20), late: below(20) };
        await play(world, `seed ${seed}`, faults, 60, below).catch((error) => {
          throw new Error(`seed ${seed}: ${error.message}`);
        });
      }
    } finally {
      await storage.close();
    }
  });
}
