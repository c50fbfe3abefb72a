import assert from 'node:assert/strict';
import test from 'node:test';
import { flatten, Ranges } from './ranges.ts';
import { LayerCursor, sweep } from './sweep.ts';

/** A layer of one range. */
function cursor(start: bigint, end: bigint, value: number): LayerCursor {
  const ranges = new Ranges();
  ranges.add(start, end, value);
  return new LayerCursor(flatten(ranges));
}

test('sweep: stops wherever a layer changes, and skips what no layer covers', () => {
  const cursors = [cursor(0n, 5n, 7), cursor(3n, 9n, 8), cursor(20n, 20n, 9)];
  const seen: string[] = [];
  sweep(cursors, (start, end) => seen.push(`${start}-${end} ${cursors.map(({ value }) => value)}`));
  assert.deepEqual(seen, ['0-2 7,-1,-1', '3-5 7,8,-1', '6-9 -1,8,-1', '20-20 -1,-1,9']);
});

test('sweep: the last address of IPv6 is part of the last run', () => {
  const last = (1n << 128n) - 1n;
  const seen: string[] = [];
  sweep([cursor(last - 1n, last, 1)], (start, end) => seen.push(`${last - start} ${last - end}`));
  assert.deepEqual(seen, ['1 0']);
});
