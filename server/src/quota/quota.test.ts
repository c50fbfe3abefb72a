import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { seededRandom } from '@whence/testing/seeded-random';
import { until } from '@whence/testing/until';
import type { LeaseStore } from '../storage/leases/lease-store.ts';
import type { Storage } from '../storage/storage.ts';
import { openTestStorage, testEngines } from '../test/storage/engines.ts';
import { MemoryLeases } from '../test/storage/memory-leases.ts';
import { Quota } from './quota.ts';

const NOON = Date.parse('2026-11-15T12:00:00Z');
const MIDNIGHT = Date.parse('2026-11-16T00:00:00Z');

const FREE = { limit: 100, lease: 5 };

for (const engine of testEngines()) {
  const { name, skip } = engine;
  let storage: Storage;
  before(async () => {
    if (skip === false) storage = await openTestStorage(await engine.newLocation());
  });
  after(async () => {
    await storage?.close();
    await engine.close();
  });
  const onEngine = (behaviour: string, work: () => Promise<void>) =>
    test(`quota on ${name}: ${behaviour}`, { skip }, work);

  /** Each stands for a process: they share nothing but storage. */
  const processes = (count: number) =>
    Array.from({ length: count }, () => new Quota(storage.leases));

  async function spendAll(quota: Quota, keyId: string, nowMs = NOON): Promise<number> {
    let allowed = 0;
    while ((await quota.spend(keyId, FREE, nowMs)).isAllowed) allowed++;
    return allowed;
  }

  onEngine(
    'leases of one process are not the other’s, and are returned when the key goes idle',
    async () => {
      const [first, second] = processes(2) as [Quota, Quota];
      const spend = (quota: Quota) => quota.spend('idle', FREE, NOON);
      const spent = { isAllowed: true, resetSeconds: MIDNIGHT / 1000, chargedDay: '2026-11-15' };
      assert.deepEqual(await spend(first), { ...spent, remaining: 99 });
      assert.equal(first.unspent, 4);
      assert.deepEqual(await spend(second), { ...spent, remaining: 94 });
      await first.endIdle(NOON + 1_000);
      assert.equal(first.unspent, 4, 'not idle yet');
      await first.endIdle(NOON + 3_000);
      assert.equal(first.unspent, 0);
      assert.equal(2 + (await spendAll(second, 'idle')), 100);
      assert.equal((await spend(first)).isAllowed, false);
    },
  );

  for (const [behaviour, lower, higher] of [
    ['lowered below what was used', 100, 130],
    ['lowered to what was used', 120, 121],
  ] as const) {
    onEngine(
      `a limit that is ${behaviour} admits nothing more, and one that is raised exactly the rest`,
      async () => {
        const keyId = `changed ${lower}`;
        const all = processes(2) as [Quota, Quota];
        for (const quota of all) {
          await quota.answerRecalls();
          for (let i = 0; i < 60; i++) await quota.spend(keyId, { limit: 1_000, lease: 50 }, NOON);
        }
        assert.ok(
          all.every(({ unspent }) => unspent > 0),
          'both hold a part of the day',
        );
        const answering = setInterval(() => void all.map((quota) => quota.answerRecalls()), 50);
        const admitted = async (limit: number) => {
          let count = 0;
          for (const quota of all)
            while ((await quota.spend(keyId, { limit, lease: 5 }, NOON)).isAllowed) count++;
          return count;
        };
        assert.deepEqual([await admitted(lower), await admitted(higher)], [0, higher - 120]);
        clearInterval(answering);
      },
    );
  }

  onEngine(
    'a limit that is lowered while a lease is being taken applies to that lease',
    async () => {
      let release = () => {};
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      const slow = {
        ...storage.leases,
        take: async (...args: Parameters<typeof storage.leases.take>) => {
          const grant = await storage.leases.take(...args);
          await released;
          return grant;
        },
      };
      const quota = new Quota(slow);
      const before = quota.spend('in flight', { limit: 1_000, lease: 50 }, NOON);
      const after = Array.from({ length: 5 }, () =>
        quota.spend('in flight', { limit: 3, lease: 5 }, NOON),
      );
      release();
      const spent = await Promise.all([before, ...after]);
      assert.equal(spent.filter(({ isAllowed }) => isAllowed).length, 3);
      assert.equal((await storage.leases.takenOn('2026-11-15', ['in flight'])).get('in flight'), 3);
    },
  );

  onEngine(
    'a key is refused only when no process holds a part of its day that it does not use',
    async () => {
      const [first, second] = processes(2) as [Quota, Quota];
      await first.answerRecalls();
      await first.spend('recall', FREE, NOON);
      assert.equal(first.unspent, 4);
      const answering = setInterval(() => void first.answerRecalls(), 50);
      const allowed = 1 + (await spendAll(second, 'recall'));
      clearInterval(answering);
      assert.deepEqual([allowed, first.unspent], [100, 0]);
      assert.equal((await second.spend('recall', FREE, NOON)).isAllowed, false);
    },
  );

  onEngine('a recall that comes while more is asked for ahead is answered after it', async () => {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let takes = 0;
    const slow = {
      ...storage.leases,
      take: async (...args: Parameters<typeof storage.leases.take>) => {
        if (++takes > 1) await released;
        return storage.leases.take(...args);
      },
    };
    const quota = new Quota(slow);
    await quota.answerRecalls();
    for (let i = 0; i < 4; i++) await quota.spend('recalled ahead', FREE, NOON);
    assert.equal(takes, 2, 'the first lease, and more ahead of the fifth request');
    await storage.leases.recall({ keyId: 'recalled ahead', day: '2026-11-15' });
    await quota.answerRecalls();
    release();
    await until('what is unspent is returned', () => quota.unspent === 0);
    await quota.answerRecalls();
    assert.equal((await storage.leases.takenOn('2026-11-15')).get('recalled ahead'), 4);
  });

  onEngine('a process that is alone refuses without asking others', async () => {
    let recalls = 0;
    const recall: typeof storage.leases.recall = (lease) => {
      recalls++;
      return storage.leases.recall(lease);
    };
    const alone = new Quota({ ...storage.leases, recall });
    for (let i = 0; i < 100; i++) await alone.spend('alone', FREE, NOON);
    assert.equal((await alone.spend('alone', FREE, NOON)).isAllowed, false);
    assert.equal(recalls, 0);
  });

  onEngine('requests that come at once share one lease', async () => {
    const [quota] = processes(1) as [Quota];
    const all = await Promise.all(
      Array.from({ length: 130 }, () => quota.spend('at once', FREE, NOON)),
    );
    assert.equal(all.filter(({ isAllowed }) => isAllowed).length, 100);
  });

  onEngine(
    'a key in steady use is leased more before it runs out, so its requests do not wait',
    async () => {
      let taking: Promise<unknown> = Promise.resolve();
      const take: LeaseStore['take'] = (...request) => {
        const granted = storage.leases.take(...request);
        taking = granted;
        return granted;
      };
      const quota = new Quota({ ...storage.leases, take });
      const allowance = { limit: 100_000, lease: 250 };
      let waits = 0;
      for (let i = 0; i < 1_000; i++) {
        if (quota.spendAtOnce('steady', allowance, NOON) === undefined) {
          waits++;
          await quota.spend('steady', allowance, NOON);
        }
        // Storage answers between two requests: leases are taken ahead while others are spent.
        await taking;
        await nextTurn();
      }
      // The first request, and a few while parts are small.
      assert.ok(waits >= 1 && waits <= 8, `${waits} of 1000 requests waited`);
      await quota.close();
      assert.equal((await storage.leases.takenOn('2026-11-15')).get('steady'), 1_000);
    },
  );

  onEngine('a refund after midnight goes to the day of its request', async () => {
    const [quota] = processes(1) as [Quota];
    const days: string[] = [];
    for (let i = 0; i < 60; i++)
      days.push((await quota.spend('midnight', FREE, MIDNIGHT - 1)).chargedDay ?? '');
    await quota.spend('midnight', FREE, MIDNIGHT);
    for (const day of days) quota.refund('midnight', day);
    assert.equal(
      1 + (await spendAll(quota, 'midnight', MIDNIGHT)),
      100,
      'nothing is added to the new day',
    );
    await quota.endIdle(MIDNIGHT);
    const [yesterday] = processes(1) as [Quota];
    assert.equal(
      await spendAll(yesterday, 'midnight', NOON),
      100,
      'all of it is back in the old one',
    );
  });

  onEngine('a lease that is unspent at midnight is returned to its day', async () => {
    const [quota] = processes(1) as [Quota];
    await quota.spend('rest', FREE, MIDNIGHT - 1);
    await quota.endIdle(MIDNIGHT);
    const [other] = processes(1) as [Quota];
    assert.equal(await spendAll(other, 'rest', NOON), 99);
  });

  onEngine('a refund that comes after the key went idle is not lost', async () => {
    const [quota] = processes(1) as [Quota];
    const { chargedDay } = await quota.spend('late refund', FREE, NOON);
    await quota.endIdle(NOON + 3_000);
    quota.refund('late refund', chargedDay ?? '');
    await quota.endIdle(NOON + 4_000);
    assert.equal(await spendAll(quota, 'late refund'), 100);
  });

  onEngine('while storage refuses, what must be returned is kept', async () => {
    let isDown = false;
    const flaky = {
      ...storage.leases,
      end: async (...args: Parameters<typeof storage.leases.end>) => {
        if (isDown) throw new Error('down');
        await storage.leases.end(...args);
      },
    };
    const quota = new Quota(flaky);
    await quota.spend('down', FREE, NOON);
    isDown = true;
    await assert.rejects(quota.endIdle(NOON + 3_000), /down/);
    isDown = false;
    await quota.endIdle(NOON + 3_000);
    const [other] = processes(1) as [Quota];
    assert.equal(await spendAll(other, 'down'), 99);
  });

  onEngine(
    'over random schedules of spending, refunds, idling and crashes no request too many is admitted',
    async () => {
      for (let seed = 1; seed <= 3; seed++) {
        const random = seededRandom(seed);
        const below = (count: number) => Math.floor(random() * count);
        const keyId = `schedule ${seed}`;
        const quotas = processes(3);
        let nowMs = NOON;
        let counted = 0;
        let lost = 0;
        for (let i = 0; i < 250; i++) {
          const at = below(3);
          const quota = quotas[at] as Quota;
          const act = below(100);
          if (act < 80) {
            const results = await Promise.all(
              Array.from({ length: 1 + below(3) }, () =>
                quota.spend(keyId, { limit: 120, lease: 20 }, nowMs),
              ),
            );
            counted += results.filter(({ isAllowed }) => isAllowed).length;
          } else if (act < 85 && counted > 0) {
            quota.refund(keyId, '2026-11-15');
            counted--;
          } else if (act < 93) {
            nowMs += 2_500;
            await quota.endIdle(nowMs);
          } else if (act < 97) await quota.answerRecalls();
          else {
            // A crash: what it held and what it had not reported is lost.
            lost += quota.unspent;
            quotas[at] = new Quota(storage.leases);
          }
          assert.ok(counted <= 120, `seed ${seed}, step ${i}: ${counted} admitted`);
        }
        assert.ok(counted + lost >= 80, `seed ${seed}: only ${counted} admitted, ${lost} lost`);
      }
    },
  );
}

test('quota: what was spent of a lease is counted by the database that has taken the place of its own', async () => {
  const original = new MemoryLeases();
  const copy = new MemoryLeases();
  let current = original;
  const store = new Proxy({} as LeaseStore, {
    get:
      (_, name: keyof LeaseStore) =>
      (...args: never[]) =>
        (current[name] as (...args: never[]) => unknown)(...args),
  });
  const quota = new Quota(store);
  for (let i = 0; i < 7; i++)
    assert.ok((await quota.spend('key', { limit: 10, lease: 5 }, NOON)).isAllowed);
  // An older copy, which knows nothing of the lease.
  current = copy;
  quota.leaveReplacedDatabase();
  await quota.endIdle(NOON);
  assert.deepEqual([...copy.granted.values()], [7]);
  let more = 0;
  while ((await quota.spend('key', { limit: 10, lease: 5 }, NOON)).isAllowed) more++;
  assert.equal(more, 3);
});
