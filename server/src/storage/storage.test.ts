/** What holds on every engine. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { AuditLog } from '../audit/audit-log.ts';
import { LimitAlerts } from '../keys/limit-alerts.ts';
import { openTestStorage, testEngines } from '../test/storage/engines.ts';
import { newBatch } from '../test/storage/new-batch.ts';
import { storedKey } from '../test/storage/stored-key.ts';
import { Usage } from '../usage/usage.ts';
import type { KeyState } from '../vocabulary.ts';
import type { Storage } from './storage.ts';

const EVERY_KEY = { tiers: ['pro'], sort: 'created_at', order: 'asc', limit: 10 } as const;

for (const engine of testEngines()) {
  const { name, skip } = engine;
  after(() => engine.close());

  const onEngine = (behaviour: string, work: (location: string) => Promise<void>) =>
    test(`storage on ${name}: ${behaviour}`, { skip }, async () =>
      work(await engine.newLocation()),
    );
  const withStorage = (behaviour: string, work: (storage: Storage) => Promise<void>) =>
    onEngine(behaviour, async (location) => {
      const storage = await openTestStorage(location, { isSequential: true });
      try {
        await work(storage);
      } finally {
        await storage.close();
      }
    });

  withStorage('a key comes back as it was put in', async ({ keys }) => {
    await keys.insert(storedKey('one'));
    assert.deepEqual(await keys.findByHash('hash of one'), storedKey('one'));
    assert.equal(await keys.findByHash('hash of another'), undefined);
  });

  withStorage(
    'attributes of a key come back as they were put in or changed, and can be removed',
    async ({ keys }) => {
      const at = new Date('2026-12-31T18:00:00Z');
      const attributes = {
        note: 'one\ntwo',
        expiresAt: at,
        allowedNetworks: ['192.0.2.0/24', '::/0'],
        requestsPerSecond: 7,
      };
      await keys.insert({ ...storedKey('one'), ...attributes });
      assert.deepEqual(await keys.find('one'), { ...storedKey('one'), ...attributes });
      const scheduledRevocation = { at, by: 'Ada' };
      const changed = {
        name: 'Other',
        tier: 'free',
        permissions: ['ip:read'],
        pausedAt: at,
        scheduledRevocation,
      };
      const outcome = await keys.change('one', () => changed);
      assert.ok(typeof outcome === 'object');
      assert.deepEqual(
        [outcome.before.tier, outcome.after],
        ['pro', { ...storedKey('one'), ...attributes, ...changed }],
      );
      assert.deepEqual(await keys.find('one'), outcome.after);
      await keys.change('one', () => ({
        note: null,
        expiresAt: null,
        pausedAt: null,
        allowedNetworks: null,
        requestsPerSecond: null,
        scheduledRevocation: null,
      }));
      const { name: changedName, tier, permissions } = changed;
      assert.deepEqual(await keys.find('one'), {
        ...storedKey('one'),
        name: changedName,
        tier,
        permissions,
      });
      assert.equal(await keys.change('two', () => ({})), 'unknown');
      await keys.revoke('one', at, 'test');
      assert.equal(await keys.change('one', () => ({ tier: 'pro' })), 'revoked');
    },
  );

  withStorage('a permission is one that a key has which is not revoked', async ({ keys }) => {
    await keys.insert({ ...storedKey('one'), permissions: ['ip:read', 'database:read'] });
    assert.deepEqual(
      await Promise.all(['database:read', 'asn:read'].map((name) => keys.hasPermission(name))),
      [true, false],
    );
    await keys.revoke('one', new Date(), 'test');
    assert.equal(await keys.hasPermission('database:read'), false);
  });

  withStorage(
    'a key is listed by its state, an expired one from that moment on, and found by its new name',
    async ({ keys, keyList }) => {
      const at = new Date('2026-12-31T18:00:00Z');
      for (const id of ['usable', 'paused', 'expiring'])
        await keys.insert({ ...storedKey(id), ownerId: 'ada' });
      await keys.change('paused', () => ({ pausedAt: at }));
      await keys.change('expiring', () => ({ expiresAt: at, name: 'Later' }));
      const listed = async (state: KeyState, now: Date) => {
        const selection = { ...EVERY_KEY, state, ownerId: 'ada' };
        const { keys: page, total } = await keyList.page(selection, now);
        assert.equal(total, page.length);
        return page.map(({ key }) => key.id);
      };
      const before = new Date(at.getTime() - 1);
      assert.deepEqual(await listed('active', before), ['expiring', 'usable']);
      assert.deepEqual(await listed('expired', before), []);
      assert.deepEqual(await listed('active', at), ['usable']);
      assert.deepEqual(await listed('expired', at), ['expiring']);
      assert.deepEqual(await listed('paused', at), ['paused']);
      assert.equal((await keyList.activeByOwner()).get('ada'), 3);
      const { keys: renamed } = await keyList.page({ ...EVERY_KEY, q: 'LAT' }, at);
      assert.deepEqual(
        renamed.map(({ key }) => key.id),
        ['expiring'],
      );
      await keys.change('expiring', () => ({ expiresAt: null }));
      assert.deepEqual(await listed('expired', at), []);
    },
  );

  for (const [behaviour, more, [active, created], wanted] of [
    [
      'an owner has as many active keys as allowed',
      { ownerId: 'someone' },
      [3, 9],
      { inserted: 3, 'too many active': 5 },
    ],
    [
      'an owner creates as many keys as allowed',
      { ownerId: 'someone' },
      [9, 3],
      { inserted: 3, 'too many created': 5 },
    ],
    [
      'a key gets one successor',
      { predecessorId: 'old' },
      [3, 3],
      { inserted: 1, 'has successor': 7 },
    ],
    ['keys without an owner have no limit', {}, [3, 3], { inserted: 8 }],
  ] as const)
    onEngine(`of keys inserted at once by several connections, ${behaviour}`, async (location) => {
      const storages = await Promise.all([openTestStorage(location), openTestStorage(location)]);
      const limits = { active, created, since: new Date(0) };
      const outcomes = await Promise.all(
        Array.from({ length: 8 }, (_, i) =>
          storages[i % 2]?.keys.insert({ ...storedKey(`key ${i}`), ...more }, limits),
        ),
      );
      const counts: Record<string, number> = {};
      for (const outcome of outcomes) counts[String(outcome)] = (counts[String(outcome)] ?? 0) + 1;
      await Promise.all(storages.map((storage) => storage.close()));
      assert.deepEqual(counts, wanted);
    });

  withStorage('revoking is permanent and records by whom', async ({ keys }) => {
    await keys.insert(storedKey('one'));
    const at = new Date('2026-11-16T00:00:00Z');
    assert.equal(await keys.revoke('one', at, 'an operator'), 'revoked');
    assert.equal(await keys.revoke('one', new Date(), 'another'), 'already revoked');
    assert.equal(await keys.revoke('two', at, 'an operator'), 'unknown');
    const [stored] = await keys.list();
    assert.deepEqual([stored?.revokedAt, stored?.revokedBy], [at, 'an operator']);
  });

  onEngine(
    'the revision moves with every change of a key, by any connection, and with nothing else',
    async (location) => {
      const [ours, theirs] = await Promise.all([
        openTestStorage(location),
        openTestStorage(location),
      ]);
      const first = (await ours.keys.changes('')).revision;
      const row = { keyId: 'one', day: '2026-11-15', endpoint: 'ip', statusClass: 2, requests: 1 };
      await theirs.usage.add(newBatch(), [row], new Map());
      assert.equal((await ours.keys.changes('')).revision, first);
      await theirs.keys.insert(storedKey('one'));
      const second = (await ours.keys.changes('')).revision;
      assert.notEqual(second, first);
      await ours.keys.revoke('one', new Date(), 'us');
      assert.notEqual((await ours.keys.changes('')).revision, second);
      await Promise.all([ours.close(), theirs.close()]);
    },
  );

  withStorage('usage adds up, and the last use never moves back', async ({ keys, usage }) => {
    await keys.insert(storedKey('one'));
    const row = { keyId: 'one', day: '2026-11-15', endpoint: 'ip', statusClass: 2, requests: 3 };
    const late = new Date('2026-11-15T12:00:00Z');
    await usage.add(newBatch(), [row], new Map([['one', { lastUsedAt: late }]]));
    await usage.add(
      newBatch(),
      [row],
      new Map([['one', { lastUsedAt: new Date('2026-11-15T11:00:00Z') }]]),
    );
    assert.deepEqual(await usage.ofKey('one'), [{ ...row, requests: 6 }]);
    assert.deepEqual((await keys.list())[0]?.lastUsedAt, late);
  });

  withStorage(
    'statistics of a batch that is repeated are added once',
    async ({ keys, usage, traffic }) => {
      await keys.insert(storedKey('one'));
      const row = { keyId: 'one', day: '2026-11-15', endpoint: 'ip', statusClass: 2, requests: 3 };
      const first = newBatch();
      const other = newBatch();
      const second = { ...first, number: 2 };
      for (const batch of [first, first, second, first, second, other])
        await usage.add(batch, [row], new Map());
      // A repetition may overtake the first attempt, which is still under way.
      const third = { ...first, number: 3 };
      await Promise.all([1, 2, 3].map(() => usage.add(third, [row], new Map())));
      assert.deepEqual(await usage.ofKey('one'), [{ ...row, requests: 4 * 3 }]);
      const counter = { hour: 0, counter: 'cache hit', count: 5 };
      const batch = newBatch();
      for (let i = 0; i < 2; i++) await traffic.add(batch, [counter]);
      assert.deepEqual(await traffic.since(0), [counter]);
    },
  );

  withStorage(
    'the first use of a key is the earliest that was reported, and stays',
    async ({ keys, usage }) => {
      const at = (time: string) => new Date(`2026-11-15T${time}Z`);
      const use = (id: string, time: string, last = time) => {
        const firstUse = { at: at(time), from: `192.0.2.${time.slice(0, 2)}`, status: 200 };
        return usage.add(newBatch(), [], new Map([[id, { lastUsedAt: at(last), firstUse }]]));
      };
      const firstUse = async (id: string) => (await keys.find(id))?.firstUse;
      for (const id of ['one', 'answered late']) await keys.insert(storedKey(id));
      await use('one', '11:00:00');
      await use('one', '10:00:00');
      await use('one', '12:00:00');
      assert.deepEqual(await firstUse('one'), {
        at: at('10:00:00'),
        from: '192.0.2.10',
        status: 200,
      });
      // Another request was counted before the first one had its answer.
      await usage.add(newBatch(), [], new Map([['answered late', { lastUsedAt: at('10:00:05') }]]));
      await use('answered late', '10:00:00');
      assert.equal((await firstUse('answered late'))?.from, '192.0.2.10');
    },
  );

  withStorage('refused requests add up, with the time of the last one', async ({ keys, usage }) => {
    const refused = (requests: number, time: string) =>
      usage.add(
        newBatch(),
        [],
        new Map([['one', { refused: { requests, lastAt: new Date(`2026-11-15T${time}Z`) } }]]),
      );
    await keys.insert(storedKey('one'));
    assert.equal((await keys.find('one'))?.refused, undefined);
    await refused(2, '11:00:00');
    await refused(3, '10:00:00');
    const { refused: sum, lastUsedAt } = (await keys.find('one')) ?? {};
    assert.deepEqual(sum, { requests: 5, lastAt: new Date('2026-11-15T11:00:00Z') });
    assert.equal(lastUsedAt, undefined, 'a refused request is no use');
  });

  withStorage(
    'refusals add up by hour and reason, once for each batch, until they are removed',
    async (storage) => {
      const { keys, usage } = storage;
      const at = (time: string) => new Date(`2026-11-15T${time}Z`);
      const hour = (time: string) => at(time).getTime();
      const refusal = (time: string, requests: number, lastAt: string, detail: string) => ({
        hour: hour(time),
        reason: 'network' as const,
        requests,
        lastAt: at(lastAt),
        detail,
      });
      await keys.insert(storedKey('one'));
      const batch = newBatch();
      const first = new Map([
        ['one', { refusals: [refusal('10:00:00', 2, '10:30:00', '192.0.2.1')] }],
      ]);
      await usage.add(batch, [], first);
      await usage.add(batch, [], first);
      const earlier = refusal('10:00:00', 3, '10:20:00', '192.0.2.2');
      const other = {
        hour: hour('11:00:00'),
        reason: 'rate' as const,
        requests: 1,
        lastAt: at('11:00:01'),
      };
      await usage.add(newBatch(), [], new Map([['one', { refusals: [earlier, other] }]]));
      const all = [refusal('10:00:00', 5, '10:30:00', '192.0.2.1'), other];
      assert.deepEqual(await keys.refusalsOf('one', hour('10:00:00')), all);
      assert.deepEqual(await keys.refusalsOf('one', hour('11:00:00')), [other]);
      assert.deepEqual(await keys.refusalsOf('two', 0), []);
      assert.equal(await keys.pruneHours(hour('11:00:00'), 10), 1);
      assert.deepEqual(await keys.refusalsOf('one', 0), [other]);
    },
  );

  withStorage(
    'a share of a daily limit is reported once, by one of several processes',
    async (storage) => {
      const { keys, leases } = storage;
      const day = '2026-11-15';
      await keys.insert(storedKey('one'));
      await leases.take(
        { keyId: 'one', day, owner: 'us.1' },
        { wanted: 80, limit: 100, spent: 0, opened: 0, open: 5 },
      );
      const audit = new AuditLog(storage.audit);
      const processes = [1, 2, 3].map(() => new LimitAlerts(keys, audit));
      const now = new Date(`${day}T12:00:00Z`);
      const report = async (taken: number) => {
        for (const alerts of processes) alerts.taken('one', day, 100, taken);
        await Promise.all(processes.map((alerts) => alerts.write(now)));
        return (await storage.audit.list({}, 10)).map(({ action }) => action);
      };
      assert.deepEqual(await report(79), []);
      assert.deepEqual(await report(80), ['key.limit_near']);
      assert.deepEqual(await report(95), ['key.limit_near']);
      assert.deepEqual(await report(100), ['key.limit_reached', 'key.limit_near']);
      processes.push(new LimitAlerts(keys, audit));
      assert.equal((await report(100)).length, 2, 'a process that was started since then');
      const [entry] = await storage.audit.list({}, 1);
      assert.deepEqual(
        [entry?.actor, entry?.targetId, entry?.details],
        ['server', 'one', { limit: '100 requests a day', day }],
      );
    },
  );

  withStorage(
    'requests of a key by hour and by day agree, over midnight and several writes',
    async ({ keys, usage }) => {
      const one = new Usage(usage);
      const two = new Usage(usage);
      const midnight = Date.parse('2026-11-16T00:00:00Z');
      const minute = 60_000;
      for (const [counter, fromMidnight, keyId, times] of [
        [one, -61 * minute, 'one', 2],
        [one, -1, 'one', 3],
        [one, 0, 'one', 4],
        [two, -30 * minute, 'one', 5],
        [two, 61 * minute, 'one', 6],
        [two, 0, 'two', 7],
      ] as const) {
        for (let i = 0; i < times; i++)
          counter.count(
            keyId,
            i % 2 === 0 ? 'ip' : 'asn',
            i === 0 ? 404 : 200,
            midnight + fromMidnight,
          );
        await counter.flush();
      }
      const hours = await keys.hoursOf(['one'], midnight - 60 * minute);
      assert.deepEqual(
        hours
          .sort((a, b) => a.hour - b.hour)
          .map(({ hour, requests }) => [(hour - midnight) / (60 * minute), requests]),
        [
          [-1, 8],
          [0, 4],
          [1, 6],
        ],
      );
      const byDay = new Map<string, number>();
      for (const { keyId, hour, requests } of await keys.hoursOf(['one', 'two'], 0)) {
        const id = `${new Date(hour).toISOString().slice(0, 10)} ${keyId}`;
        byDay.set(id, (byDay.get(id) ?? 0) + requests);
      }
      const sums = await usage.sums({ from: '2026-11-15', to: '2026-11-16' }, 'key');
      assert.deepEqual(
        byDay,
        new Map(sums.map(({ day, group, requests }) => [`${day} ${group}`, requests])),
      );
      assert.deepEqual(await keys.refusalsOf('one', 0), [], 'they are no refusals');
    },
  );

  withStorage('usage of thousands of keys is written in one go', async ({ usage }) => {
    const rows = Array.from({ length: 1234 }, (_, i) => ({
      keyId: `key ${i}`,
      day: '2026-11-15',
      endpoint: 'ip',
      statusClass: 2,
      requests: i + 1,
    }));
    await usage.add(newBatch(), rows, new Map());
    assert.equal((await usage.ofKey('key 1233'))[0]?.requests, 1234);
  });

  /** Requests of `keys` keys on `days` days in November, by endpoint and status class. */
  const usageRows = (keys: number, days: number) =>
    Array.from({ length: keys * days }, (_, i) => [
      {
        keyId: `key ${i % keys}`,
        day: dayOf(Math.floor(i / keys)),
        endpoint: 'ip',
        statusClass: 2,
        requests: i + 1,
      },
      {
        keyId: `key ${i % keys}`,
        day: dayOf(Math.floor(i / keys)),
        endpoint: 'ip',
        statusClass: 4,
        requests: 1,
      },
      {
        keyId: `key ${i % keys}`,
        day: dayOf(Math.floor(i / keys)),
        endpoint: 'asn',
        statusClass: 2,
        requests: 2,
      },
    ]).flat();
  const dayOf = (i: number) => `2026-11-${String(i + 1).padStart(2, '0')}`;

  withStorage('usage is read in pages that hold each row once, by day', async ({ usage }) => {
    const rows = usageRows(300, 7);
    await usage.add(newBatch(), rows, new Map());
    const range = { from: dayOf(1), to: dayOf(5) };
    const nameOf = ({ day, keyId, endpoint, statusClass, requests }: (typeof rows)[number]) =>
      [day, keyId, endpoint, statusClass, requests].join(' ');
    const wanted = rows.filter(({ day }) => day >= range.from && day <= range.to);
    const pages: (typeof rows)[] = [];
    for await (const page of usage.rowPages(range)) pages.push(page as typeof rows);
    assert.ok(pages.length > 1 && pages.every(({ length }) => length <= 2_000));
    const read = pages.flat();
    assert.deepEqual(read.map(nameOf).sort(), wanted.map(nameOf).sort());
    assert.ok(read.every(({ day }, i) => i === 0 || (read[i - 1]?.day ?? '') <= day));
    for (const [by, of] of [
      ['key', ({ keyId }: (typeof rows)[number]) => keyId],
      ['endpoint', ({ endpoint }: (typeof rows)[number]) => endpoint],
      ['status', ({ statusClass }: (typeof rows)[number]) => String(statusClass)],
    ] as const) {
      const sums = new Map<string, number>();
      for (const row of wanted)
        sums.set(`${row.day} ${of(row)}`, (sums.get(`${row.day} ${of(row)}`) ?? 0) + row.requests);
      const got = await usage.sums(range, by);
      assert.deepEqual(
        new Map(got.map(({ day, group, requests }) => [`${day} ${group}`, requests])),
        sums,
      );
      assert.equal(got.length, sums.size);
    }
    const some = await usage.rows({ ...range, keyIds: ['key 7', 'key 8'] });
    assert.equal(some.length, 2 * 5 * 3);
  });

  withStorage(
    'keys and leases do not wait for reads of statistics',
    async ({ usage, keys, leases }) => {
      await usage.add(newBatch(), usageRows(600, 10), new Map());
      await keys.insert(storedKey('one'));
      let isRead = false;
      const range = { from: dayOf(0), to: dayOf(9) };
      const reads = Promise.all(
        Array.from({ length: 30 }, () => usage.sums(range, 'endpoint')),
      ).then(() => {
        isRead = true;
      });
      assert.notEqual(await keys.findByHash('hash of one'), undefined);
      const request = { wanted: 10, limit: 100, spent: 0, opened: 0, open: 10 };
      await leases.take({ keyId: 'one', day: dayOf(0), owner: 'this 1' }, request);
      await keys.revoke('one', new Date(), 'an operator');
      assert.equal(isRead, false, 'they were done before the statistics');
      await reads;
    },
  );

  onEngine(
    'several processes that open an empty database at once migrate it once',
    async (location) => {
      const all = await Promise.all([1, 2, 3, 4].map(() => openTestStorage(location)));
      for (const storage of all)
        assert.equal(typeof (await storage.keys.changes('')).revision, 'string');
      await Promise.all(all.map((storage) => storage.close()));
    },
  );
}
