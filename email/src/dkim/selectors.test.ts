import assert from 'node:assert/strict';
import test from 'node:test';
import { defaultSelectors, isSelector, MAX_SELECTORS, tidySelectors } from './selectors.ts';

test('selectors: forty by default, in the order of the report', () => {
  const selectors = defaultSelectors('example.com');
  assert.equal(selectors.length, 40);
  assert.equal(new Set(selectors).size, 40);
  assert.deepEqual(selectors.slice(0, 4), ['google', 'default', 'selector1', 'selector2']);
  assert.equal(selectors.at(-1), 'zoho');
  assert.ok(selectors.every(isSelector));
});

test('selectors: two more for a tenant of Microsoft 365', () => {
  assert.deepEqual(defaultSelectors('example.onmicrosoft.com').slice(40), [
    'selector1-example-onmicrosoft-com',
    'selector2-example-onmicrosoft-com',
  ]);
  assert.equal(defaultSelectors('onmicrosoft.com').length, 40);
  assert.equal(defaultSelectors(`${'x'.repeat(60)}.onmicrosoft.com`).length, 40);
});

for (const [text, want] of [
  ['google', true],
  ['S1', true],
  ['20230601', true],
  ['march._2005.reykjavik', true],
  ['a-b', true],
  ['x'.repeat(63), true],
  ['x'.repeat(64), false],
  ['', false],
  ['.', false],
  ['a.', false],
  ['.a', false],
  ['a..b', false],
  ['-a', false],
  ['a-', false],
  ['a b', false],
  ['a*', false],
  ['é', false],
  ['a\n', false],
] as const) {
  test(`selectors: ${JSON.stringify(text.slice(0, 30))} is ${want ? 'one' : 'none'}`, () =>
    assert.equal(isSelector(text), want));
}

test('selectors: a list is trimmed, emptied of blanks and repetitions, and kept in order', () => {
  assert.deepEqual(tidySelectors([' b ', '', 'A', 'a', 'B', ' ']), ['b', 'A']);
});

test('selectors: how many are too many is for the caller to say, so none is dropped', () => {
  const many = Array.from({ length: MAX_SELECTORS + 1 }, (_, i) => `s${i}`);
  assert.deepEqual(tidySelectors(many), many);
});
