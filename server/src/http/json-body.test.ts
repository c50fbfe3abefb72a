import assert from 'node:assert/strict';
import test from 'node:test';
import { seededRandom } from '@whence/testing/seeded-random';
import { placeOfError } from './json-body.ts';

for (const [behaviour, text, want] of [
  ['an object', ' {"ips":["8.8.8.8"],"a":{"b":[1,-2.5e+3,true,null,"\\u00e9\\n"]}}\n', undefined],
  ['empty containers', '[[],{},""]', undefined],
  ['a truncated array', '{"ips":[', [1, 9]],
  ['a trailing comma', '{"ips":["8.8.8.8",]}', [1, 19]],
  ['a trailing comma in an object', '{"a":1,}', [1, 8]],
  ['a missing comma', '{"ips":["8.8.8.8" "9.9.9.9"]}', [1, 19]],
  ['single quotes', "{'ips':[]}", [1, 2]],
  ['a name without quotes', '{ips:[]}', [1, 2]],
  ['a missing colon', '{"ips" []}', [1, 8]],
  ['the third line', '{\n  "ips": [\n    8.8.8.8\n  ]\n}', [3, 8]],
  ['an open string', '["8.8.8.8', [1, 10]],
  ['a line break in a string', '["8.8\n.8.8"]', [1, 6]],
  ['an unknown escape', '["\\x"]', [1, 3]],
  ['a leading zero', '[01]', [1, 3]],
  ['a word', 'ips=8.8.8.8', [1, 1]],
  ['a wrong bracket', '{"a":[1}', [1, 8]],
  ['something after the value', '{} {}', [1, 4]],
  ['only blanks', ' \n ', [2, 2]],
] as const)
  test(`json body: ${behaviour}`, () => {
    const place = placeOfError(text);
    assert.deepEqual(place && [place.line, place.column], want);
  });

test('json body: an error is found exactly where JSON.parse refuses, in mutated texts', () => {
  const random = seededRandom(27);
  const source = '{"ips":["8.8.8.8","2001:db8::1"],"n":[-1.5e3,0,true,null],"s":"a\\n\\u00e9"}';
  for (let i = 0; i < 20_000; i++) {
    const at = Math.floor(random() * source.length);
    const insert = '{}[]",:\\0e-x \n'[Math.floor(random() * 14)] ?? '';
    const text = source.slice(0, at) + insert + source.slice(at + Math.floor(random() * 3));
    assert.equal(placeOfError(text) === undefined, isJson(text), text);
  }
});

test('json body: deep nesting does not exhaust the stack', () => {
  assert.deepEqual(placeOfError('['.repeat(200_000)), { line: 1, column: 200_001 });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
