import assert from 'node:assert/strict';
import test from 'node:test';
import { bytesContent } from '../../io/content.ts';
import {
  jsonDocument,
  jsonLine,
  listMember,
  member,
  requiredList,
  textMember,
} from './json-value.ts';

test('json-value: a text that is not JSON is refused with a message that quotes its beginning', () => {
  assert.throws(
    () => jsonDocument(bytesContent('<!doctype html>'), 'a list'),
    /^Error: not a list: not JSON \(.*<!doctype.*\)$/,
  );
  assert.throws(
    () => jsonDocument(bytesContent('{"prefixes":['), 'a list'),
    /^Error: not a list: not JSON \(/,
  );
  assert.throws(() => jsonDocument(bytesContent(''), 'a list'), /^Error: not a list: not JSON \(/);
});

test('json-value: nesting deeper than the stack', () => {
  const depth = 50_000;
  let value = jsonDocument(bytesContent(`${'['.repeat(depth)}${']'.repeat(depth)}`), 'a list');
  let levels = 0;
  for (; Array.isArray(value); value = value[0]) levels++;
  assert.equal(levels, depth);
});

test('json-value: a line that is not JSON is undefined', () =>
  assert.equal(jsonLine('{"cidr":'), undefined));

test('json-value: only own members of objects', () => {
  assert.equal(member({ a: 1 }, 'a'), 1);
  for (const value of [undefined, null, 'text', 5, ['a'], {}]) {
    for (const key of ['a', 'length', 'constructor', '__proto__', 'toString']) {
      assert.equal(member(value, key), undefined);
    }
  }
  assert.deepEqual(member(JSON.parse('{"__proto__":{"a":1}}'), 'a'), undefined);
});

test('json-value: a member of another type is undefined or empty', () => {
  assert.equal(textMember({ a: 5 }, 'a'), '');
  assert.equal(listMember({ a: { length: 1 } }, 'a'), undefined);
  assert.throws(
    () => requiredList({ a: 'x' }, 'a', 'an address list'),
    /^Error: not an address list: no "a" list$/,
  );
});
