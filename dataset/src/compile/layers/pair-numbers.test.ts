import assert from 'node:assert/strict';
import test from 'node:test';
import { PairNumbers } from './pair-numbers.ts';

test('pair numbers: equal to a map of texts, while the table grows', () => {
  const numbers = new PairNumbers();
  const expected = new Map<string, number>();
  let seed = 20_261_119;
  const random = (limit: number) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return (seed >>> 8) % limit;
  };
  for (let i = 0; i < 100_000; i++) {
    // Few members and many, and the largest number of a network.
    const first = i % 3 === 0 ? 4_294_967_295 - random(50) : random(300);
    const second = random(200) - 1;
    const text = `${first} ${second}`;
    if (!expected.has(text)) expected.set(text, expected.size);
    assert.equal(numbers.of(first, second), expected.get(text), text);
  }
  assert.ok(expected.size > 20_000);
});
