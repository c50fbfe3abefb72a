import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import test from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { requesterAs } from '../test/requester.ts';
import { COST_CLASSES, type CostClass, CostQueue } from './cost-classes.ts';
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
    const run = (name: string) => queue.run(requesterAs(name), work.start(name), (reason) => reason);
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
    const run = (name: string) => queue.run(requesterAs(name), work.start(name), (reason) => reason);
    const busy = ['a', 'a', 'a', 'a', 'a', 'b', 'b', 'b', 'b'].map(run);
    const more = run('c');
    await nextTurn();
    await work.finishAll();
    assert.equal(await more, 'c');
    assert.deepEqual(await Promise.all(busy), ['a', 'a', 'a', 'a', 'late', 'b', 'b', 'b', 'b']);
  });
}

test('cost class: a route gets no more than it declares', async () => {
  const run = new CostQueue('scan').run({ ...requesterAs('a'), costs: ['lookup'] }, nextTurn, (reason) => reason);
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

test('cost classes: while another client waits, one stream that is read too slowly is ended', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval', 'setTimeout'] });
  const queue = new CostQueue('download', { slots: 3 });
  const read = { fast: 0, slow: 0, 'slow too': 0 };
  const streams = new Map<string, Readable>();
  for (const name of ['fast', 'slow', 'slow too'] as const) {
    const release = await queue.enter(requesterAs(name));
    assert.ok(typeof release === 'function');
    const stream = new Readable({ read() {} }).on('error', () => {});
    queue.hold(stream, () => read[name], release);
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
  const waiting = queue.enter(requesterAs('another'));
  await nextTurn();
  pass();
  assert.equal(typeof (await waiting), 'function');
  assert.deepEqual(ended(), ['slow'], 'as many as wait');
  await nextTurn();
  assert.equal(queue.held, 3, 'released once, although the stream is closed too');
  pass();
  assert.deepEqual(ended(), ['slow']);
  streams.get('fast')?.destroy();
  await nextTurn();
  assert.equal(queue.held, 2);
});
