import assert from 'node:assert/strict';
import test from 'node:test';
import { seededRandom } from '@whence/testing/seeded-random';
import {
  ConsecutiveGroups,
  checkGroups,
  encodeGroups,
  orderByGroup,
} from './consecutive-groups.ts';

const SEED = 20261115;

for (const [behaviour, groups] of [
  ['no item', []],
  ['one item', [0]],
  ['one group', new Array(100).fill(0)],
  ['a group per item, over several words', Array.from({ length: 100 }, (_, i) => i)],
  ['groups that begin and end at a word', [...new Array(32).fill(0), ...new Array(32).fill(1), 2]],
] as const) {
  test(`consecutive groups: ${behaviour}`, () => assertRoundTrip(Uint32Array.from(groups)));
}

test('consecutive groups: random groups', () => {
  const random = seededRandom(SEED);
  for (let round = 0; round < 50; round++) {
    let group = 0;
    const share = random();
    const items = Array.from({ length: Math.floor(random() * 300) }, (_, i) => {
      if (i > 0 && random() < share) group++;
      return group;
    });
    assertRoundTrip(Uint32Array.from(items), `seed ${SEED}, round ${round}`);
  }
});

test('consecutive groups: a group without items cannot be encoded', () => {
  assert.throws(() => encodeGroups(Uint32Array.of(0, 2)), /group 1 has no items/);
});

test('consecutive groups: items in the order of their groups keep their order within one', () => {
  assert.deepEqual([...orderByGroup(Uint32Array.of(2, 0, 2, 1, 0), 3)], [1, 4, 3, 0, 2]);
});

function assertRoundTrip(groupOf: Uint32Array, about = ''): void {
  const bytes = encodeGroups(groupOf);
  const groups = (groupOf.at(-1) ?? -1) + 1;
  assert.ok(checkGroups(bytes, groupOf.length, groups), about);
  if (groups > 0) assert.ok(!checkGroups(bytes, groupOf.length, groups - 1), about);
  assert.ok(!checkGroups(bytes, groupOf.length + 32, groups), about);
  const read = new ConsecutiveGroups(bytes);
  assert.deepEqual(
    Array.from(groupOf, (_, item) => read.of(item)),
    [...groupOf],
    about,
  );
}
