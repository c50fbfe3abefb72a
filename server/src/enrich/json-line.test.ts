import assert from 'node:assert/strict';
import test from 'node:test';
import { formatAddress } from '@whence/dataset/address';
import { seededRandom } from '@whence/dataset/test/seeded-random';
import { fieldPaths } from './field-paths.ts';
import { AddressFinder } from './find-address.ts';
import { JsonLine } from './json-line.ts';

const PATHS = ['ip', 'client.ip', 'client.address.ip'];

for (const [behaviour, text, want] of [
  ['a member', '{"ip":"192.0.2.1"}', '192.0.2.1'],
  ['blanks everywhere', ' { "a" : [ 1 , 2 ] , "ip" : "192.0.2.1" } ', '192.0.2.1'],
  ['a member of a member', '{"client":{"port":1,"ip":"192.0.2.1"}}', '192.0.2.1'],
  ['a name with dots in it', '{"client.ip":"192.0.2.1"}', '192.0.2.1'],
  ['dots in a part of the way', '{"client":{"address.ip":"192.0.2.1"}}', '192.0.2.1'],
  ['the same name elsewhere is not it', '{"server":{"ip":"192.0.2.1"}}', undefined],
  ['the most wanted path wins', '{"client":{"ip":"192.0.2.2"},"ip":"192.0.2.1"}', '192.0.2.1'],
  ['a wanted path without an address leaves it to the next', '{"ip":"-","client":{"ip":"192.0.2.2"}}', '192.0.2.2'],
  ['an array of texts', '{"ip":["unknown","192.0.2.1"]}', '192.0.2.1'],
  ['a list in a text', '{"ip":"192.0.2.1, 192.0.2.2"}', '192.0.2.1'],
  ['a port', '{"ip":"192.0.2.1:80"}', '192.0.2.1'],
  ['an escape in the name', '{"\\u0069p":"192.0.2.1"}', '192.0.2.1'],
  ['a number is not an address', '{"ip":3221225985}', undefined],
  ['null', '{"ip":null}', undefined],
  ['nothing in it', '{}', undefined],
] as const)
  test(`json line: ${behaviour}`, () => {
    const { isRead, line } = read(text);
    assert.ok(isRead);
    assert.equal(line.address && formatAddress(line.address), want);
    assert.equal(line.close, Buffer.from(text).lastIndexOf('}'));
  });

for (const [name, text, want] of [
  ['plain', '{"whence":1}', true],
  ['with an escape', '{"\\u0077hence":1}', true],
  ['deeper down it is another', '{"a":{"whence":1}}', false],
  ['longer', '{"whence2":1}', false],
] as const)
  test(`json line: the name that is to be added, ${name}`, () => assert.equal(read(text).line.isAlreadyThere, want));

test('json line: so deep that it could exhaust the stack counts as broken', () => {
  assert.equal(read(`{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`).isRead, false);
});

test('json line: takes and refuses what JSON.parse takes and refuses', () => {
  const seed = 20261115;
  const random = seededRandom(seed);
  const pick = <T>(of: readonly T[]) => of[Math.floor(random() * of.length)] as T;
  const samples = [
    '{"a":1,"b":[true,false,null],"c":{"d":"e\\n\\u00e9\\"","f":-0.5e+10}}',
    '{"ip":"192.0.2.1","n":[1,2,[3,{"x":{}}]],"s":"ü \\\\ \\/"}',
    '{ "k" : 10.25 , "l" : 1E5 , "m" : [ ] , "o" : { } }',
  ];
  const pieces = [
    '"',
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '\\',
    '0',
    '1',
    '-',
    '+',
    '.',
    'e',
    'E',
    't',
    'true',
    'null',
    '\\u12',
    '\t',
    ' ',
    '\x01',
    'é',
  ];
  let valid = 0;
  for (let round = 0; round < 40_000; round++) {
    let text = pick(samples);
    for (let change = Math.floor(random() * 3); change >= 0; change--) {
      const at = Math.floor(random() * text.length);
      text = text.slice(0, at) + (random() < 0.6 ? pick(pieces) : '') + text.slice(at + Math.floor(random() * 3));
    }
    const want = isObject(text);
    if (want) valid++;
    assert.equal(read(text).isRead, want, `${text} (seed ${seed})`);
  }
  assert.ok(valid > 1000, `${valid} of them were valid`);
});

function read(text: string): { isRead: boolean; line: JsonLine } {
  const line = new JsonLine(fieldPaths(PATHS), 'whence', new AddressFinder());
  // Other bytes around it, which are not part of the line.
  const bytes = Buffer.from(`"{${text}}"`);
  const isRead = line.read(bytes, 2, bytes.length - 2);
  line.close -= 2;
  return { isRead, line };
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
