import assert from 'node:assert/strict';
import test from 'node:test';
import {
  type Finding,
  FindingList,
  formatFinding,
  limitFindings,
  MAX_FINDINGS,
} from './finding.ts';

const tags = (count: number): Finding[] =>
  Array.from({ length: count }, (_, i) => ({ code: 'duplicate_tag', detail: { tag: `t${i}` } }));

for (const [behaviour, findings, length, last] of [
  ['none', [], 0, undefined],
  ['as many as are shown', tags(MAX_FINDINGS), 20, 'duplicate_tag: t19= occurs more than once'],
  ['one more', tags(MAX_FINDINGS + 1), 20, 'more_errors: 2 more are not listed'],
  ['thousands', tags(5_000), 20, 'more_errors: 4981 more are not listed'],
  [
    'those that another list has left out are counted',
    [...limitFindings(tags(100)), ...tags(3)],
    20,
    'more_errors: 84 more are not listed',
  ],
] as const)
  test(`finding list: ${behaviour}`, () => {
    const shown = limitFindings(findings);
    const finding = shown.at(-1);
    assert.deepEqual([shown.length, finding && formatFinding(finding)], [length, last]);
  });

test('finding list: findings that need not be made are counted', () => {
  const list = new FindingList(2);
  assert.equal(list.isEmpty, true);
  list.add(...tags(2));
  assert.deepEqual([list.isFull, list.isEmpty], [true, false]);
  list.addLeftOut(7);
  assert.deepEqual(list.toArray().map(formatFinding), [
    'duplicate_tag: t0= occurs more than once',
    'more_errors: 8 more are not listed',
  ]);
});
