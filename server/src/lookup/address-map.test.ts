import assert from 'node:assert/strict';
import test from 'node:test';
import { cellLengthOf } from './address-map.ts';

for (const [version, length, cell] of [
  [4, 8, 24],
  [4, 16, 24],
  [4, 20, 24],
  [4, 21, 32],
  [4, 32, 32],
  [6, 16, 32],
  [6, 32, 48],
  [6, 36, 48],
  [6, 48, 60],
  [6, 64, 64],
  [6, 128, 128],
] as const)
  test(`address map: a /${length} of IPv${version} has one cell per /${cell}`, () => {
    assert.equal(cellLengthOf(version, length), cell);
    assert.ok(cell - length <= 16, 'at most 65,536 cells');
  });
