/** Watched domains and their events in storage: what holds on every engine. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { openTestStorage, testEngines } from '../test/storage/engines.ts';
import type { Storage } from './storage.ts';
import type { CheckedColumns } from './stores/watch-check-store.ts';
import type { EventChanges, NewEvent } from './stores/watch-event-store.ts';
import { TooManyDomains } from './stores/watched-domain-store.ts';

const START = Date.parse('2026-11-15T12:00:00Z');
const at = (minutes: number) => new Date(START + minutes * 60_000);
const TAGS = { tags: '', by: 'root' };
const NONE: EventChanges = { opened: [], reopened: [], resolved: [], seen: [] };
const ALL = { allowed: undefined, mayReadReports: true, sort: 'domain', limit: 100 } as const;

const event = (more: Partial<NewEvent> = {}): NewEvent => ({
  code: 'no_spf_record',
  subject: '',
  source: 'check',
  severity: 'high',
  sentence: 'There is no SPF record',
  act: 'Publish one',
  firstSeenAt: at(0),
  ...more,
});

const checked = (minutes: number, more: Partial<CheckedColumns> = {}): CheckedColumns => ({
  dueAt: at(minutes + 1_440),
  triedAt: at(minutes),
  answeredAt: at(minutes),
  unansweredSinceAt: undefined,
  state: '{}',
  ...more,
});

for (const engine of testEngines()) {
  const { name, skip } = engine;
  after(() => engine.close());

  const withStorage = (behaviour: string, work: (storage: Storage) => Promise<void>) =>
    test(`watched domains on ${name}: ${behaviour}`, { skip }, async () => {
      const storage = await openTestStorage(await engine.newLocation(), { isSequential: true });
      try {
        await work(storage);
      } finally {
        await storage.close();
      }
    });

  /** Claims every due domain and records the same changes for each. */
  const check = async (
    { watch }: Storage,
    minutes: number,
    changes: EventChanges,
    more: Partial<CheckedColumns> = {},
  ) => {
    const due = await watch.claimDue(at(minutes), 'a', at(minutes + 5).getTime(), 100);
    for (const { domain } of due)
      assert.ok(
        await watch.record(domain, 'a', checked(minutes, more), changes, at(minutes)),
        domain,
      );
    return due.map(({ domain }) => domain);
  };

  withStorage('a text with NUL is stored, and nothing is found by it', async ({ watch }) => {
    const added = await watch.add(['a.example'], { ...TAGS, note: 'a\0b' }, at(0));
    assert.deepEqual(added, ['a.example']);
    const [watched] = (await watch.list(ALL)).domains;
    assert.equal(watched?.note, 'a\ufffdb');
    for (const filter of [{ q: 'a.example\0' }, { tag: '\0' }])
      assert.deepEqual((await watch.list({ ...ALL, ...filter })).domains, []);
    assert.equal(await watch.event('\0'), undefined);
  });

  withStorage('a domain is added once, and its events end with it', async (storage) => {
    const { watch } = storage;
    const added = await watch.add(['b.example', 'a.example'], TAGS, at(0));
    assert.deepEqual([...added].sort(), ['a.example', 'b.example']);
    assert.deepEqual(await watch.add(['a.example', 'c.example'], TAGS, at(1)), ['c.example']);
    await check(storage, 2, { ...NONE, opened: [event()] });
    assert.deepEqual(await watch.remove(['a.example', 'z.example'], 'alice', at(3)), ['a.example']);
    const { domains, total } = await watch.list(ALL);
    assert.deepEqual(
      domains.map(({ domain, openEvents, worst }) => [domain, openEvents, worst]),
      [
        ['b.example', 1, 'high'],
        ['c.example', 1, 'high'],
      ],
    );
    assert.equal(total, 2);
    const open = await watch.events({ ...ALL, state: 'open' });
    assert.deepEqual(open.map(({ domain }) => domain).sort(), ['b.example', 'c.example']);
    const [ended] = await watch.events({ ...ALL, state: 'resolved' });
    assert.deepEqual(
      [ended?.domain, ended?.resolvedAt, ended?.acceptedBy],
      ['a.example', at(3), 'alice'],
    );
    const last = (await watch.changesAfter(0, 100)).at(-1);
    assert.deepEqual([last?.kind, last?.event.domain], ['resolved', 'a.example']);
  });

  withStorage('more than 10,000 are refused, and none of them added', async ({ watch }) => {
    const names = Array.from({ length: 10_001 }, (_, i) => `d${i}.example`);
    await assert.rejects(watch.add(names, TAGS, at(0)), TooManyDomains);
    assert.equal((await watch.list(ALL)).total, 0);
    assert.equal((await watch.add(names.slice(1), TAGS, at(0))).length, 10_000);
    await assert.rejects(watch.add(names, TAGS, at(0)), TooManyDomains);
  });

  withStorage(
    'a due check is claimed once, and again when its claim has expired',
    async (storage) => {
      const { watch } = storage;
      await watch.add(['a.example', 'b.example', 'c.example'], TAGS, at(0));
      const until = at(5).getTime();
      const claims = await Promise.all([
        watch.claimDue(at(0), 'x', until, 2),
        watch.claimDue(at(0), 'y', until, 2),
      ]);
      const names = claims.flat().map(({ domain }) => domain);
      assert.equal(new Set(names).size, names.length);
      const rest = await watch.claimDue(at(1), 'x', until, 3);
      assert.equal(names.length + rest.length, 3);
      // The process was killed.
      assert.equal((await watch.claimDue(at(5), 'z', at(10).getTime(), 3)).length, 3);
      assert.equal(await watch.record('a.example', 'x', checked(5), NONE, at(5)), false);
      assert.equal(await watch.record('a.example', 'z', checked(5), NONE, at(5)), true);
      assert.equal(await watch.record('a.example', 'z', checked(5), NONE, at(5)), false);
      await watch.release('z');
      assert.equal((await watch.claimDue(at(6), 'z', at(10).getTime(), 3)).length, 2);
      assert.deepEqual(await watch.makeDue(['a.example', 'other.example'], at(7)), ['a.example']);
      assert.equal((await watch.claimDue(at(7), 'z', at(10).getTime(), 3)).length, 1);
    },
  );

  withStorage('an event opens once and ends once, also if it comes back', async (storage) => {
    const { watch } = storage;
    await watch.add(['a.example'], TAGS, at(0));
    await check(storage, 0, {
      ...NONE,
      opened: [event({ quiet: 'first_check' }), event({ code: 'loop' })],
    });
    const [loop, missing] = await watch
      .eventsOf('a.example', at(0))
      .then((events) => [...events].sort((a, b) => a.code.localeCompare(b.code)));
    assert.ok(loop && missing);
    assert.deepEqual([loop.quiet, missing.quiet], [undefined, 'first_check']);
    const seen = { id: loop.id, severity: 'low', sentence: 'Another loop', act: 'Cut it' } as const;
    await check(storage, 1_440, { ...NONE, seen: [seen], resolved: [missing.id] });
    await check(storage, 2_880, { ...NONE, reopened: [missing.id], resolved: [loop.id] });
    await check(storage, 4_320, { ...NONE, resolved: [missing.id] });
    const changes = await watch.changesAfter(0, 100);
    const numbers = changes.map(({ seq }) => seq);
    assert.deepEqual(
      numbers,
      [...numbers].sort((a, b) => a - b),
    );
    assert.deepEqual(changes.map(({ kind, event: { code } }) => `${kind} ${code}`).sort(), [
      'opened loop',
      'opened no_spf_record',
      'resolved loop',
      'resolved no_spf_record',
    ]);
    const ended = await watch.event(loop.id);
    assert.deepEqual(
      [ended?.sentence, ended?.severity, ended?.lastSeenAt, ended?.resolvedAt],
      ['Another loop', 'low', at(1_440), at(2_880)],
    );
    assert.equal(await watch.lastChange(), numbers.at(-1));
    assert.equal((await watch.changesAfter(numbers[1] ?? 0, 1))[0]?.seq, numbers[2]);
    assert.equal(await watch.prune(at(4_000), 10), 1);
    assert.deepEqual(
      (await watch.events({ ...ALL, state: 'resolved' })).map(({ code }) => code),
      ['no_spf_record'],
    );
  });

  withStorage('there is one open event of a code and subject', async (storage) => {
    const { watch } = storage;
    await watch.add(['a.example'], TAGS, at(0));
    await check(storage, 0, { ...NONE, opened: [event()] });
    await watch.claimDue(at(1_440), 'b', at(1_500).getTime(), 1);
    const twice = { ...NONE, opened: [event()] };
    await assert.rejects(watch.record('a.example', 'b', checked(1_440), twice, at(1_440)));
    assert.equal((await watch.changesAfter(0, 10)).length, 1);
  });

  withStorage('what was planned by a clock that was wrong is due', async ({ watch }) => {
    await watch.add(['a.example'], TAGS, at(0));
    assert.equal(await watch.isDue(at(0)), true);
    const inAYear = 365 * 1_440;
    await watch.claimDue(at(inAYear), 'a', at(inAYear + 2).getTime(), 1);
    assert.equal((await watch.claimDue(at(0), 'b', at(2).getTime(), 1)).length, 1, 'the claim');
    await watch.record('a.example', 'b', checked(inAYear), NONE, at(inAYear));
    assert.equal(await watch.isDue(at(0)), true);
    assert.equal(
      (await watch.claimDue(at(0), 'c', at(2).getTime(), 1)).length,
      1,
      'the next check',
    );
    await watch.record('a.example', 'c', checked(0), NONE, at(0));
    assert.equal(await watch.isDue(at(1)), false);
    const review = (minutes: number) =>
      watch.reviewDeployment(at(minutes), 60_000, () => NONE, at(minutes));
    assert.deepEqual(
      [await review(inAYear), await review(inAYear), await review(0), await review(0)],
      [true, false, true, false],
    );
  });

  withStorage('accepting an event needs the state that it was shown with', async (storage) => {
    const { watch } = storage;
    await watch.add(['a.example'], TAGS, at(0));
    await check(storage, 0, { ...NONE, opened: [event()] }, { state: '1' });
    const [open] = await watch.events(ALL);
    assert.ok(open);
    const accept = (before: string) => watch.accept(open, { before, after: '2' }, 'alice', at(1));
    assert.equal(await accept('0'), false);
    await watch.claimDue(at(1_440), 'b', at(1_500).getTime(), 1);
    assert.equal(await accept('1'), true);
    // The check that was in progress has not seen it.
    assert.equal(await watch.record('a.example', 'b', checked(1_441), NONE, at(1_441)), false);
    assert.equal((await watch.claimDue(at(1_441), 'c', at(1_500).getTime(), 1)).length, 1);
    assert.equal(await accept('2'), false);
    assert.equal((await watch.find('a.example'))?.state, '2');
    assert.equal((await watch.event(open.id))?.acceptedBy, 'alice');
  });

  withStorage('lists and events are filtered, and read in pages', async (storage) => {
    const { watch } = storage;
    await watch.add(['c.example', 'x.c.example'], { ...TAGS, tags: 'old_x main' }, at(0));
    await check(storage, 0, { ...NONE, opened: [event({ source: 'reports' })] }, { grade: 'F' });
    await watch.add(['a.example', 'b_.example'], { ...TAGS, note: 'new' }, at(1));
    await check(storage, 1, { ...NONE, opened: [event({ severity: 'low' })] }, { grade: 'A' });
    await watch.add(['www.xn--bcher-kva.example'], TAGS, at(1));
    for (const q of ['www.b', 'www.bü', 'www.bücher.example', 'www.xn--b'])
      assert.equal((await watch.list({ ...ALL, q })).total, 1, q);
    await watch.remove(['www.xn--bcher-kva.example'], 'alice', at(1));
    const list = async (more: object) =>
      (await watch.list({ ...ALL, ...more })).domains.map(({ domain }) => domain).join(' ');
    assert.equal(await list({}), 'a.example b_.example c.example x.c.example');
    assert.equal(await list({ tag: 'old_x' }), 'c.example x.c.example');
    assert.equal(await list({ tag: 'old%' }), '');
    assert.equal(await list({ grade: 'F', allowed: ['*.c.example'] }), 'x.c.example');
    assert.equal(await list({ allowed: ['c.example'] }), 'c.example x.c.example');
    assert.equal(await list({ allowed: [] }), '');
    assert.equal(await list({ q: 'b_' }), 'b_.example');
    assert.equal(await list({ open: true, mayReadReports: false }), 'a.example b_.example');
    assert.equal(await list({ open: false, mayReadReports: false }), 'c.example x.c.example');
    const worst = { sort: 'worst', limit: 3 };
    assert.equal(await list(worst), 'c.example x.c.example a.example');
    const after = { worst: 1, domain: 'a.example' };
    assert.equal(await list({ ...worst, after }), 'b_.example');
    assert.equal(await list({ after, limit: 2 }), 'b_.example c.example');
    const events = async (more: object) =>
      (await watch.events({ ...ALL, ...more }))
        .map(({ domain }) => domain)
        .sort()
        .join(' ');
    assert.equal(await events({ mayReadReports: false }), 'a.example b_.example');
    assert.equal(await events({ allowed: ['x.c.example'] }), 'x.c.example');
    assert.equal(await events({ since: at(1) }), '');
    const [latest] = await watch.events({ ...ALL, limit: 1 });
    assert.equal((await watch.events({ ...ALL, before: latest?.id })).length, 3);
    const { domains, late, openEvents } = await watch.counts(at(1_441));
    assert.deepEqual([domains, late, ...openEvents], [4, 2, ['low', 2], ['high', 2]]);
  });
}
