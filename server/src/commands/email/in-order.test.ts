import assert from 'node:assert/strict';
import test from 'node:test';
import { inOrder } from './in-order.ts';

/** Work that ends when the test says so. */
class Works {
  readonly started: number[] = [];
  readonly #ends = new Map<number, () => void>();

  readonly run = (input: number): Promise<number> => {
    this.started.push(input);
    return new Promise((resolve) => this.#ends.set(input, () => resolve(input)));
  };

  async end(input: number): Promise<void> {
    this.#ends.get(input)?.();
    await new Promise(setImmediate);
  }
}

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);

test('in order: as many at a time as there are places, and results in the order of the inputs', async () => {
  const works = new Works();
  const results = inOrder(numbers(4), 2, works.run);
  const first = results.next();
  assert.deepEqual(works.started, [0, 1]);
  await works.end(1);
  assert.deepEqual(works.started, [0, 1, 2], 'a slow one does not stop the others');
  await works.end(0);
  assert.deepEqual(await first, { value: 0, done: false });
  assert.deepEqual(await results.next(), { value: 1, done: false });
  await works.end(2);
  await works.end(3);
  assert.deepEqual(
    [await results.next(), await results.next(), await results.next()].map(({ value }) => value),
    [2, 3, undefined],
  );
});

test('in order: results that wait for a slow one are limited', async () => {
  const works = new Works();
  const results = inOrder(numbers(1_000), 2, works.run);
  const first = results.next();
  for (let i = 1; i < 200; i++) await works.end(i);
  assert.equal(works.started.length, 64);
  await works.end(0);
  assert.equal((await first).value, 0);
});

test('in order: an error reaches the reader in its turn', async () => {
  const results = inOrder(numbers(3), 3, async (input) => {
    if (input === 1) throw new Error('broken');
    return input;
  });
  assert.equal((await results.next()).value, 0);
  await assert.rejects(results.next(), /broken/);
});
