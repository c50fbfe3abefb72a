import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import test, { type TestContext } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { STALLED_MS } from '../http/limits.ts';
import { requesterAs } from '../test/requester.ts';
import { COST_CLASSES, type CostClass, CostQueue, deadlineOf, type Slot } from './cost-classes.ts';
import { SharedWork } from './shared-work.ts';

type Queued = ConstructorParameters<typeof CostQueue>[0];
const queued = (Object.keys(COST_CLASSES) as CostClass[]).filter(
  (cost): cost is Queued => COST_CLASSES[cost] !== undefined,
);

/** Work that is done when the test says so, in the order in which it was started. */
function controlled() {
  const started: string[] = [];
  const finish: (() => void)[] = [];
  return {
    started,
    start: (name: string) => () => {
      started.push(name);
      return new Promise<string>((resolve) => finish.push(() => resolve(name)));
    },
    async finishNext() {
      finish.shift()?.();
      await nextTurn();
    },
    async finishAll() {
      while (finish.length > 0) await this.finishNext();
    },
  };
}

for (const cost of queued) {
  const { slots, slotsPerKey, waitingPerKey } = COST_CLASSES[cost];
  test(`cost class ${cost}: while one client floods it, the request of another one is the next`, async () => {
    const queue = new CostQueue(cost);
    const work = controlled();
    const run = (name: string) =>
      queue.run(requesterAs(name), work.start(name), (reason) => reason);
    const flood = Array.from({ length: slotsPerKey + waitingPerKey + 40 }, () => run('flood'));
    await nextTurn();
    assert.equal(work.started.length, Math.min(slots, slotsPerKey));
    const other = run('other');
    await nextTurn();
    if (slotsPerKey >= slots) await work.finishNext();
    assert.equal(work.started.at(-1), 'other');
    await work.finishAll();
    assert.equal(await other, 'other');
    const outcomes = await Promise.all(flood);
    assert.equal(outcomes.filter((outcome) => outcome === 'full').length, 40);
  });

  test(`cost class ${cost}: a queue that many clients have filled takes one more, in place of the last of the busiest`, async () => {
    const queue = new CostQueue(cost, { slots: 1, slotsPerKey: 1, waitingPerKey: 4, waiting: 8 });
    const work = controlled();
    const run = (name: string) =>
      queue.run(requesterAs(name), work.start(name), (reason) => reason);
    const busy = ['a', 'a', 'a', 'a', 'a', 'b', 'b', 'b', 'b'].map(run);
    const more = run('c');
    await nextTurn();
    await work.finishAll();
    assert.equal(await more, 'c');
    assert.deepEqual(await Promise.all(busy), ['a', 'a', 'a', 'a', 'late', 'b', 'b', 'b', 'b']);
  });
}

/** Timers and the clock, which move together and only when the test says so. */
function mockClock(t: TestContext): (ms: number) => Promise<void> {
  // A whole number, so that sums of it are exact.
  let nowMs = Math.round(performance.now());
  t.mock.timers.enable({ apis: ['setTimeout'] });
  t.mock.method(performance, 'now', () => nowMs);
  return async (ms) => {
    nowMs += ms;
    t.mock.timers.tick(ms);
    // Work that the deadline has found unfinished has some turns left to end.
    for (let turn = 0; turn < 12; turn++) await nextTurn();
  };
}

const never = () => new Promise<never>(() => {});

for (const cost of queued) {
  const { slots, slotsPerKey, waitMs, deadlineMs } = COST_CLASSES[cost];
  test(`cost class ${cost}: its deadline comes before its connection counts as stalled, and leaves time for work after the longest wait`, () => {
    assert.ok(deadlineMs < STALLED_MS);
    assert.ok(waitMs < deadlineMs);
  });

  test(`cost class ${cost}: whatever stands still, a request ends by its deadline, and the next one gets its slot`, async (t) => {
    const pass = mockClock(t);
    const queue = new CostQueue(cost);
    const outcomes: string[] = [];
    const signals: AbortSignal[] = [];
    const run = (name: string) =>
      queue.run(
        { ...requesterAs('a'), deadlineMs: deadlineOf([cost]) },
        ({ signal }) => {
          signals.push(signal);
          return never();
        },
        (reason) => outcomes.push(`${name} ${reason}`),
      );
    const places = Math.min(slots, slotsPerKey);
    for (let i = 0; i < places; i++) void run('worked');
    await nextTurn();
    void run('waited');
    await pass(waitMs - 1);
    assert.deepEqual(outcomes, []);
    await pass(1);
    assert.deepEqual(outcomes, ['waited late']);
    await pass(deadlineMs - waitMs - 1_000);
    void run('next');
    await pass(1_000);
    assert.deepEqual(outcomes.slice(1), Array(places).fill('worked overdue'));
    assert.equal(signals[0]?.aborted, true);
    assert.equal(signals.length, places + 1, 'the next one works');
    assert.equal(queue.held, 1);
    await pass(deadlineMs);
    assert.deepEqual([outcomes.at(-1), queue.held], ['next overdue', 0]);
  });

  test(`cost class ${cost}: what a request has spent in other queues counts`, async (t) => {
    const pass = mockClock(t);
    const queue = new CostQueue(cost);
    const requester = { ...requesterAs('a'), deadlineMs: deadlineOf([cost]) };
    await pass(deadlineMs - 1_000);
    const left = await queue.run(
      requester,
      async ({ leftMs }) => leftMs(),
      (reason) => reason,
    );
    assert.equal(Math.round(left as number), 1_000);
    await pass(1_000);
    assert.equal(await queue.run(requester, never, (reason) => reason), 'late');
  });
}

test('cost class: new work is refused in every queue while the process is overloaded', async () => {
  for (const cost of queued) {
    const requester = { ...requesterAs('a'), isRefused: true };
    assert.equal(await new CostQueue(cost).run(requester, never, (reason) => reason), 'full');
  }
});

test('cost class: work that fails in its slot gives it back', async () => {
  const queue = new CostQueue('scan');
  const failing = queue.run(
    requesterAs('a'),
    () => Promise.reject(new Error('broken')),
    (reason) => reason,
  );
  await assert.rejects(failing, /broken/);
  assert.equal(queue.held, 0);
});

test('cost class: a route gets no more than it declares', async () => {
  const run = new CostQueue('scan').run(
    { ...requesterAs('a'), costs: ['lookup'] },
    nextTurn,
    (reason) => reason,
  );
  await assert.rejects(run, /a route that does not declare scan has asked for it/);
});

test('shared work: a client waits in its own turn for what another one has queued, and both get one result', async () => {
  const shared = new SharedWork<string>(new CostQueue('scan'));
  const work = controlled();
  const run = (client: string, subject: string) =>
    shared.run(subject, requesterAs(client), work.start(subject), (reason) => reason);
  const flood = ['1', '2', '3', '4'].map((subject) => run('flood', subject));
  const other = run('other', '4');
  await nextTurn();
  await work.finishNext();
  assert.deepEqual(work.started, ['1', '4']);
  await work.finishAll();
  assert.deepEqual([await other, ...(await Promise.all(flood))], ['4', '1', '2', '3', '4']);
  assert.deepEqual(work.started, ['1', '4', '2', '3']);
});

test('shared work: all who wait for work that is not done by the deadline are told, and the next request starts it again', async (t) => {
  const pass = mockClock(t);
  const shared = new SharedWork<string>(new CostQueue('scan'));
  const run = (client: string, work: () => Promise<string>) =>
    shared.run('1', requesterAs(client), work, (reason) => reason);
  const first = run('a', never);
  await nextTurn();
  const second = run('b', never);
  await pass(COST_CLASSES.scan.deadlineMs);
  assert.deepEqual(await Promise.all([first, second]), ['overdue', 'overdue']);
  assert.equal(await run('c', async () => 'done'), 'done');
});

test('shared work: a client that leaves does not take the result from one that waits for the same', async () => {
  const shared = new SharedWork<string>(new CostQueue('scan'));
  const work = controlled();
  const leaving = new AbortController();
  const run = (requester: ReturnType<typeof requesterAs>, subject: string) =>
    shared.run(subject, requester, work.start(subject), (reason) => reason);
  const first = run(requesterAs('a'), '1');
  const left = run({ fairnessKey: 'b', signal: leaving.signal }, '2');
  const stays = run(requesterAs('b'), '2');
  leaving.abort();
  assert.equal(await left, 'late');
  await work.finishAll();
  assert.deepEqual([await first, await stays], ['1', '2']);
});

test('shared work: it ends when the last client has left, and not before', async () => {
  const shared = new SharedWork<string>(new CostQueue('scan'));
  let ended = '';
  const work = ({ signal }: { readonly signal: AbortSignal }) =>
    new Promise<string>((resolve) =>
      signal.addEventListener('abort', () => {
        ended = 'ended';
        resolve('nothing');
      }),
    );
  const clients = ['a', 'b', 'c'].map((name) => {
    const left = new AbortController();
    const requester = { fairnessKey: name, signal: left.signal };
    return { left, result: shared.run('1', requester, work, (reason) => reason) };
  });
  await nextTurn();
  for (const [i, { left }] of clients.entries()) {
    assert.equal(ended, '', `${i}`);
    left.abort();
  }
  assert.equal(ended, 'ended');
  await Promise.all(clients.map(({ result }) => result));
  const next = shared.run(
    '1',
    requesterAs('d'),
    async () => 'anew',
    (reason) => reason,
  );
  assert.equal(await next, 'anew');
});

test('cost classes: while another client waits, one stream that is read too slowly is ended', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval', 'setTimeout'] });
  const queue = new CostQueue('download', { slots: 3 });
  const read = { fast: 0, slow: 0, 'slow too': 0 };
  const streams = new Map<string, Readable>();
  for (const name of ['fast', 'slow', 'slow too'] as const) {
    const stream = new Readable({ read() {} }).on('error', () => {});
    const open = async (slot: Slot) => queue.holdWhileRead(stream, () => read[name], slot);
    await queue.run(requesterAs(name), open, (reason) => assert.fail(reason));
    streams.set(name, stream);
  }
  const pass = () => {
    read.fast += 1_000_000;
    read.slow += 10_000;
    t.mock.timers.tick(5_000);
  };
  const ended = () => [...streams].filter(([, { destroyed }]) => destroyed).map(([name]) => name);
  pass();
  assert.deepEqual(ended(), [], 'none waits');
  const another = new Readable({ read() {} });
  const waiting = queue.run(
    requesterAs('another'),
    async (slot) => queue.holdWhileRead(another, () => 0, slot),
    (reason) => reason,
  );
  await nextTurn();
  pass();
  assert.equal(await waiting, undefined, 'has a slot');
  assert.deepEqual(ended(), ['slow'], 'as many as wait');
  await nextTurn();
  assert.equal(queue.held, 3, 'released once, although the stream is closed too');
  pass();
  assert.deepEqual(ended(), ['slow']);
  streams.get('fast')?.destroy();
  await nextTurn();
  assert.equal(queue.held, 2);
});
