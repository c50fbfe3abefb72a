import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cellPath, indexAt, mapSize, pointAt } from './hilbert.ts';

for (const order of [1, 2, 3, 5]) {
  const all = Array.from({ length: 4 ** order }, (_, index) => pointAt(index, order));
  test(`hilbert curve of order ${order}: neighbours are one step apart, and every cell is reached once`, () => {
    assert.equal(new Set(all.map(({ x, y }) => `${x} ${y}`)).size, all.length);
    for (const [index, { x, y }] of all.entries()) {
      const before = all[index - 1] ?? { x: x - 1, y };
      assert.equal(Math.abs(x - before.x) + Math.abs(y - before.y), 1, `step to ${index}`);
      assert.equal(indexAt({ x, y }, order), index);
    }
  });
}

for (const bits of [1, 2, 3, 5, 8, 9, 16]) {
  test(`hilbert map of ${bits} bits: the cells fill it`, () => {
    const { order, width, height } = mapSize(bits);
    assert.equal(width * height, 2 ** bits);
    for (const index of [0, 2 ** bits - 1, Math.floor(2 ** bits / 3)]) {
      const { x, y } = pointAt(index, order);
      assert.ok(x < width && y < height, `${index} is at ${x}, ${y} of ${width}, ${height}`);
    }
  });
}

test('hilbert map: neighbours in a row are one rectangle', () => {
  assert.equal(
    cellPath(() => true, 4),
    'M0 0h4v1h-4zM0 1h4v1h-4zM0 2h4v1h-4zM0 3h4v1h-4z',
  );
  assert.equal(
    cellPath((index) => index === 0, 4),
    'M0 0h1v1h-1z',
  );
});
