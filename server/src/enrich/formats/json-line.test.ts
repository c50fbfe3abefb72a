import assert from 'node:assert/strict';
import test from 'node:test';
import { formatAddress } from '@whence/dataset/address';
import { AddressFinder } from '@whence/dataset/find-address';
import { seededRandom } from '@whence/testing/seeded-random';
import { fieldPaths } from './field-paths.ts';
import { JsonLine } from './json-line.ts';

const PATHS = ['ip', 'client.ip', 'client.address.ip'];

for (const [behaviour, text, want] of [
  ['a member', '{"ip":"192.0.2.1"}', '192.0.2.1'],
  ['white space everywhere', ' { "a" : [ 1 , 2 ] , "ip" : "192.0.2.1" } ', '192.0.2.1'],
  ['a member of a member', '{"client":{"port":1,"ip":"192.0.2.1"}}', '192.0.2.1'],
  ['a name with dots in it', '{"client.ip":"192.0.2.1"}', '192.0.2.1'],
  ['a name with a dot inside the path', '{"client":{"address.ip":"192.0.2.1"}}', '192.0.2.1'],
  ['the same name elsewhere does not match', '{"server":{"ip":"192.0.2.1"}}', undefined],
  ['the most preferred path wins', '{"client":{"ip":"192.0.2.2"},"ip":"192.0.2.1"}', '192.0.2.1'],
  ['a path without an address is skipped', '{"ip":"-","client":{"ip":"192.0.2.2"}}', '192.0.2.2'],
  ['an array of strings', '{"ip":["unknown","192.0.2.1"]}', '192.0.2.1'],
  ['a list in a string', '{"ip":"192.0.2.1, 192.0.2.2"}', '192.0.2.1'],
  ['a port', '{"ip":"192.0.2.1:80"}', '192.0.2.1'],
  ['an escape in the name', '{"\\u0069p":"192.0.2.1"}', '192.0.2.1'],
  ['a number is not an address', '{"ip":3221225985}', undefined],
  ['null', '{"ip":null}', undefined],
  ['an empty object', '{}', undefined],
] as const)
  test(`json line: ${behaviour}`, () => {
    const { isValid, line } = read(text);
    assert.ok(isValid);
    assert.equal(line.address && formatAddress(line.address), want);
    assert.equal(line.close, Buffer.from(text).lastIndexOf('}'));
  });

for (const [name, text, want] of [
  ['plain', '{"whence":1}', true],
  ['with an escape', '{"\\u0077hence":1}', true],
  ['not at the top level', '{"a":{"whence":1}}', false],
  ['longer', '{"whence2":1}', false],
] as const)
  test(`json line: the added name is already there: ${name}`, () =>
    assert.equal(read(text).line.hasAddedName, want));

for (const [behaviour, before, text, want] of [
  ['the same names', '{"ip":"192.0.2.1","n":1}', '{"ip":"192.0.2.2","n":1}', '192.0.2.2'],
  ['other white space', '{"n":1,"ip":"192.0.2.1"}', '{"n":1, "ip": "192.0.2.2"}', '192.0.2.2'],
  ['a member more', '{"ip":"192.0.2.1"}', '{"n":1,"ip":"192.0.2.2"}', '192.0.2.2'],
  [
    'the name in another object',
    '{"client":{"ip":"192.0.2.1"}}',
    '{"server":{"ip":"192.0.2.2"}}',
    undefined,
  ],
  [
    'the name at another depth',
    '{"a":{"ip":"192.0.2.1"}}',
    '{"a":1,"ip":"192.0.2.2"}',
    '192.0.2.2',
  ],
  ['a longer name', '{"ip":"192.0.2.1"}', '{"ip2":"192.0.2.2"}', undefined],
  [
    'a name of more than 32 bytes',
    `{"${'n'.repeat(40)}":1}`,
    `{"${'n'.repeat(40)}":1,"ip":"192.0.2.2"}`,
    '192.0.2.2',
  ],
  [
    'more than 64 members',
    `{${'"n":1,'.repeat(70)}"m":1}`,
    `{${'"n":1,'.repeat(70)}"ip":"192.0.2.2"}`,
    '192.0.2.2',
  ],
  ['the added name', '{"whence":1,"ip":"192.0.2.1"}', '{"whence":1,"ip":"192.0.2.2"}', '192.0.2.2'],
] as const)
  test(`json line: after another line: ${behaviour}`, () => {
    const reader = newReader();
    read(before, reader);
    const { isValid, line } = read(text, reader);
    assert.ok(isValid);
    assert.equal(line.address && formatAddress(line.address), want);
    assert.equal(line.hasAddedName, text.includes('whence'));
  });

test('json line: nesting that could exhaust the stack is invalid', () => {
  assert.equal(read(`{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`).isValid, false);
});

test('json line: accepts exactly the objects that JSON.parse accepts', () => {
  const seed = 20261115;
  const random = seededRandom(seed);
  const pick = <T>(of: readonly T[]) => of[Math.floor(random() * of.length)] as T;
  const samples = [
    '{"a":1,"b":[true,false,null],"c":{"d":"e\\n\\u00e9\\"","f":-0.5e+10}}',
    '{"ip":"192.0.2.1","n":[1,2,[3,{"x":{}}]],"s":"ü \\\\ \\/"}',
    '{"a":1,"client":{"ip":"192.0.2.7"},"c":{"ip":"192.0.2.8"},"whence":0}',
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
  const reader = newReader();
  for (let round = 0; round < 10_000; round++) {
    let text = pick(samples);
    for (let change = Math.floor(random() * 3); change >= 0; change--) {
      const at = Math.floor(random() * text.length);
      text =
        text.slice(0, at) +
        (random() < 0.6 ? pick(pieces) : '') +
        text.slice(at + Math.floor(random() * 3));
    }
    const want = isObject(text);
    if (want) valid++;
    const alone = read(text);
    const next = read(text, reader);
    assert.equal(alone.isValid, want, `${text} (seed ${seed})`);
    assert.equal(next.isValid, want, `${text} after other lines (seed ${seed})`);
    if (want)
      assert.deepEqual(
        next.line.address,
        alone.line.address,
        `${text} after other lines (seed ${seed})`,
      );
  }
  assert.ok(valid > 1000, `${valid} valid lines`);
});

test('json line: a character is read alike at every place in a string', () => {
  for (let code = 0; code < 0x100; code++) {
    for (let at = 0; at < 12; at++) {
      for (const rest of ['', 'x'.repeat(9)]) {
        const text = `{"ip":"${'x'.repeat(at)}${String.fromCharCode(code)}${rest}"}`;
        assert.equal(read(text).isValid, isObject(text), JSON.stringify(text));
      }
    }
  }
});

const newReader = () => new JsonLine(fieldPaths(PATHS), 'whence', new AddressFinder());

function read(text: string, line = newReader()): { isValid: boolean; line: JsonLine } {
  // Bytes around it that are not part of the line.
  const bytes = Buffer.from(`"{${text}}"`);
  const isValid = line.read(bytes, 2, bytes.length - 2);
  line.close -= 2;
  return { isValid, line };
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
