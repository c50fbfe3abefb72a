/** Leases on every engine: what is granted, opened, returned and reclaimed. */

import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { periodPasses, until } from '@whence/testing/until';
import { openTestStorage, testEngines } from '../../test/storage/engines.ts';
import type { StorageOptions } from '../open-storage.ts';
import type { Storage } from '../storage.ts';
import type { LeaseName, LeaseRequest } from './lease-changes.ts';

const DAY = '2026-11-15';
const OURS: LeaseName = { keyId: 'one', day: DAY, owner: 'ours.1' };
const THEIRS: LeaseName = { keyId: 'one', day: DAY, owner: 'theirs.1' };

/** A lease that is taken at once and opened whole. */
const whole = (wanted: number, limit = 100): LeaseRequest => ({
  wanted,
  limit,
  spent: 0,
  opened: 0,
  open: wanted,
});

/** A further part of a lease, of which this much is spent and open. */
const part = (spent: number, opened: number, open: number): LeaseRequest => ({
  wanted: 0,
  limit: 100,
  spent,
  opened,
  open,
});

for (const engine of testEngines()) {
  const { name, skip } = engine;
  after(() => engine.close());

  const withStorage = (
    behaviour: string,
    work: (storage: Storage) => Promise<void>,
    options?: StorageOptions,
  ) =>
    test(`leases on ${name}: ${behaviour}`, { skip }, async () => {
      const storage = await openTestStorage(await engine.newLocation(), options);
      try {
        await work(storage);
      } finally {
        await storage.close();
      }
    });

  for (const [behaviour, before, request, want] of [
    ['the first of a day', 0, whole(5), { granted: 5, opened: 5, left: 95, heldElsewhere: 0 }],
    ['a later one', 20, whole(5), { granted: 5, opened: 5, left: 75, heldElsewhere: 20 }],
    ['only what is left', 98, whole(5), { granted: 2, opened: 2, left: 0, heldElsewhere: 98 }],
    [
      'nothing of a day that is used up',
      100,
      whole(5),
      { granted: 0, opened: 0, left: 0, heldElsewhere: 100 },
    ],
    [
      'nothing where the limit was lowered',
      80,
      whole(5, 50),
      { granted: 0, opened: 0, left: 0, heldElsewhere: 80 },
    ],
    [
      'no more than a small limit has',
      0,
      whole(5, 3),
      { granted: 3, opened: 3, left: 0, heldElsewhere: 0 },
    ],
    [
      'and opens a part',
      0,
      { ...whole(50), open: 5 },
      { granted: 50, opened: 5, left: 50, heldElsewhere: 0 },
    ],
  ] as const) {
    withStorage(`one takes ${behaviour}`, async ({ leases }) => {
      if (before > 0) await leases.take(THEIRS, whole(before));
      assert.deepEqual(await leases.take(OURS, request), want);
    });
  }

  withStorage('what was reported as spent is not held', async ({ leases }) => {
    await leases.take(THEIRS, whole(20));
    await leases.take(THEIRS, part(20, 20, 20));
    assert.equal((await leases.take(OURS, whole(5))).heldElsewhere, 0);
  });

  withStorage('numbers of a lease go on from its beginning', async ({ leases }) => {
    await leases.take(OURS, { ...whole(50), open: 5 });
    const rest = { left: 50, heldElsewhere: 0 };
    assert.deepEqual(await leases.take(OURS, part(5, 5, 15)), { granted: 50, opened: 15, ...rest });
    assert.deepEqual(await leases.take(OURS, part(15, 15, 500)), {
      granted: 50,
      opened: 50,
      ...rest,
    });
    const more = await leases.take(OURS, {
      wanted: 10,
      limit: 100,
      spent: 50,
      opened: 50,
      open: 55,
    });
    assert.deepEqual(more, { granted: 60, opened: 55, left: 40, heldElsewhere: 0 });
  });

  withStorage(
    'a statement that was sent twice grants what both ask for, and the owner sees both',
    async ({ leases }) => {
      await leases.take(OURS, whole(5));
      const again = await leases.take(OURS, whole(5));
      assert.deepEqual(again, { granted: 10, opened: 5, left: 90, heldElsewhere: 0 });
      await leases.end([{ ...OURS, spent: 3 }]);
      assert.deepEqual(await leases.takenOn(DAY), new Map([['one', 3]]));
    },
  );

  withStorage('a lease that is ended repeatedly is returned once', async ({ leases }) => {
    await leases.take(OURS, whole(50));
    for (let i = 0; i < 3; i++) await leases.end([{ ...OURS, spent: 8 }]);
    assert.deepEqual(await leases.takenOn(DAY), new Map([['one', 8]]));
  });

  withStorage('many leases of many keys are ended in one call', async ({ leases }) => {
    const all = Array.from({ length: 1_200 }, (_, i) => ({
      keyId: `key ${i % 400}`,
      day: DAY,
      owner: `us.${i}`,
    }));
    for (const lease of all.slice(0, 30)) await leases.take(lease, whole(5));
    await leases.end(all.map((lease) => ({ ...lease, spent: 2 })));
    const taken = await leases.takenOn(DAY);
    assert.deepEqual([...taken.values()], new Array(30).fill(2));
  });

  withStorage('before its deadline a lease is not reclaimed', async ({ leases }) => {
    await leases.take(THEIRS, { ...whole(50), open: 5 });
    assert.equal(await leases.reclaim(), 0);
    assert.equal((await leases.take(OURS, whole(100))).granted, 50);
  });

  const soon = { leaseMs: 50 };
  withStorage(
    'after its deadline the unopened part is returned once, and the opened part stays counted',
    async ({ leases }) => {
      await leases.take(THEIRS, { ...whole(50), open: 5 });
      await leases.take(THEIRS, part(5, 5, 12));
      await periodPasses(2 * soon.leaseMs);
      assert.equal(await leases.reclaim({ keyId: 'another', day: DAY }), 0);
      assert.deepEqual(
        [await leases.reclaim({ keyId: 'one', day: DAY }), await leases.reclaim()],
        [1, 0],
      );
      assert.deepEqual(await leases.takenOn(DAY), new Map([['one', 12]]));
      await leases.end([{ ...THEIRS, spent: 7 }]);
      assert.deepEqual(
        await leases.takenOn(DAY),
        new Map([['one', 12]]),
        'ended after it was reclaimed',
      );
    },
    soon,
  );

  withStorage(
    'an owner whose lease was reclaimed goes on from what was opened',
    async ({ leases }) => {
      await leases.take(THEIRS, { ...whole(50), open: 20 });
      await periodPasses(2 * soon.leaseMs);
      await leases.reclaim();
      const none = await leases.take(THEIRS, part(20, 20, 30));
      assert.deepEqual(none, { granted: 20, opened: 20, left: 80, heldElsewhere: 0 });
      const grant = await leases.take(THEIRS, {
        wanted: 10,
        limit: 100,
        spent: 20,
        opened: 20,
        open: 25,
      });
      assert.deepEqual(grant, { granted: 30, opened: 25, left: 70, heldElsewhere: 0 });
      await leases.end([{ ...THEIRS, spent: 22 }]);
      assert.deepEqual(await leases.takenOn(DAY), new Map([['one', 22]]));
    },
    soon,
  );

  withStorage(
    'a lease that is renewed does not expire',
    async ({ leases }) => {
      const renewed = { ...OURS, owner: 'living.1' };
      const dead = { ...OURS, owner: 'dead.1' };
      for (const lease of [renewed, dead]) await leases.take(lease, { ...whole(40), open: 5 });
      let ended = 0;
      await until('a lease has expired', async () => {
        await leases.renew(['living.1']);
        ended += await leases.reclaim();
        return ended > 0;
      });
      assert.equal(ended, 1);
      assert.equal((await leases.take(renewed, part(0, 5, 5))).granted, 40);
      assert.equal((await leases.take(dead, part(0, 5, 5))).granted, 5);
    },
    { leaseMs: 1_000 },
  );

  withStorage(
    'many leases are taken at once, of many keys and several of one',
    async ({ leases }) => {
      const names = Array.from({ length: 700 }, (_, i) => ({
        keyId: `key ${i % 600}`,
        day: DAY,
        owner: `us.${i}`,
      }));
      const limitOf = (i: number) => 1 + (i % 600) + 9 * (i % 2);
      const grants = await Promise.all(
        names.map((lease, i) => leases.take(lease, whole(7, limitOf(i)))),
      );
      const want = names.map((_, i) => {
        const before = i < 600 ? 0 : Math.min(7, limitOf(i));
        const granted = Math.min(7, limitOf(i) - before);
        return {
          granted,
          opened: granted,
          left: limitOf(i) - before - granted,
          heldElsewhere: before,
        };
      });
      assert.deepEqual(grants, want);
      const taken = await leases.takenOn(DAY);
      assert.equal(taken.size, 600);
      for (const [i, { keyId }] of names.entries())
        if (i < 100) assert.equal(taken.get(keyId), Math.min(14, limitOf(i)), keyId);
    },
  );

  test(`leases on ${name}: concurrent leases over several connections grant exactly the limit`, {
    skip,
  }, async () => {
    const location = await engine.newLocation();
    const all = await Promise.all([1, 2, 3].map(() => openTestStorage(location)));
    const grants = await Promise.all(
      Array.from({ length: 90 }, (_, i) =>
        (all[i % 3] as Storage).leases.take({ ...OURS, owner: `us.${i}` }, whole(7, 500)),
      ),
    );
    assert.equal(
      grants.reduce((sum, { granted }) => sum + granted, 0),
      500,
    );
    await Promise.all(all.map((storage) => storage.close()));
  });

  test(`leases on ${name}: taking, returning and reclaiming at the same time does not deadlock`, {
    skip,
  }, async () => {
    const location = await engine.newLocation();
    const all = await Promise.all([1, 2, 3].map(() => openTestStorage(location, { leaseMs: 1 })));
    await Promise.all(
      all.map(async ({ leases }, process) => {
        for (let i = 0; i < 40; i++) {
          const mine = [0, 1, 2].map((key) => ({
            keyId: `key ${key}`,
            day: DAY,
            owner: `${process}.${i}`,
          }));
          await Promise.all([
            ...mine.map((lease) => leases.take(lease, { ...whole(9, 1_000_000), open: 3 })),
            leases.reclaim(),
          ]);
          await leases.end(mine.reverse().map((lease) => ({ ...lease, spent: 2 })));
        }
      }),
    );
    await periodPasses(20);
    await all[0]?.leases.reclaim();
    // Per lease 2 where its owner was in time, 3 where it was not.
    for (const taken of (await (all[0] as Storage).leases.takenOn(DAY)).values())
      assert.ok(taken >= 240 && taken <= 360, `${taken} taken`);
    await Promise.all(all.map((storage) => storage.close()));
  });
}
