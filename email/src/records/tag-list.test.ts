import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { formatFinding } from '../findings/finding.ts';
import { colonList, parseTagList, tagListErrors, tagValue } from './tag-list.ts';

for (const [behaviour, text, want] of [
  ['tags in order', 'b=1; a=2', ['b=1', 'a=2']],
  ['the last semicolon is optional', 'a=1;', ['a=1']],
  ['blanks after the last semicolon are nothing', 'a=1; \t ', ['a=1']],
  ['blanks around names and values', ' \ta \r\n = 1 2 ; b=\t3', ['a=1 2', 'b=3']],
  ['no blanks at all', 'a=1;b=2', ['a=1', 'b=2']],
  ['an empty value is a value', 'p=', ['p=']],
  ['only the first = divides', 'p=AA==', ['p=AA==']],
  ['names keep their case', 'P=1; p=2', ['P=1', 'p=2']],
  ['digits and underscores after the first letter', 'a_1=x', ['a_1=x']],
  ['a no-break space is no blank', 'a=\u00a01', ['a=\u00a01']],
  ['nothing', '', []],
  ['only blanks', '  ', []],
] as const) {
  test(`tag list: ${behaviour}`, () => {
    const { tags, malformed, duplicates } = parseTagList(text);
    assert.deepEqual(
      tags.map(({ name, value }) => `${name}=${value}`),
      want,
    );
    assert.deepEqual([malformed, duplicates], [[], []]);
  });
}

for (const [behaviour, text, malformed, duplicates] of [
  ['a word without =', 'a=1; word; b=2', ['word'], []],
  ['nothing between semicolons', 'a=1;; b=2', [''], []],
  ['a semicolon alone', ';', [''], []],
  ['a name that begins with a digit', '1a=1', ['1a=1'], []],
  ['a name with a blank inside', 'a b=1', ['a b=1'], []],
  ['no name', '=1', ['=1'], []],
  ['a duplicate is named once', 'a=1; b=2; a=3; a=1', [], ['a']],
  ['names that differ by case are not duplicates', 'a=1; A=1', [], []],
] as const) {
  test(`tag list: ${behaviour}`, () => {
    const list = parseTagList(text);
    assert.deepEqual([list.malformed, list.duplicates], [malformed, duplicates]);
    assert.equal(tagListErrors(list).length, malformed.length + duplicates.length);
  });
}

test('tag list: with lowered names, case does not distinguish tags', () => {
  const list = parseTagList('P=Reject; p=none', 'lowered');
  assert.deepEqual(list.duplicates, ['p']);
  assert.equal(tagValue(list, 'p'), 'Reject');
});

test('tag list: raw is the tag as written', () => {
  assert.deepEqual(parseTagList('  a = 1 ; b=2').tags, [
    { name: 'a', value: '1', raw: 'a = 1' },
    { name: 'b', value: '2', raw: 'b=2' },
  ]);
});

test('tag list: errors name the place', () => {
  assert.deepEqual(tagListErrors(parseTagList('a=1; word;; a=2')).map(formatFinding), [
    'malformed_tag: "word" is not name=value',
    'malformed_tag: nothing between two semicolons',
    'duplicate_tag: a= occurs more than once',
  ]);
});

test('tag list: items of a colon list', () =>
  assert.deepEqual(colonList(' sha1 : sha256'), ['sha1', 'sha256']));

test('tag list: any text is read, and every part of it is a tag or malformed', () => {
  const text = fc.string({ unit: fc.constantFrom(...'ab=; \t\n:1é') });
  fc.assert(
    fc.property(text, (record) => {
      const { tags, malformed } = parseTagList(record);
      const parts = record.split(';');
      assert.ok([parts.length, parts.length - 1].includes(tags.length + malformed.length));
    }),
    { numRuns: 500 },
  );
});

test('tag list: a long run of blanks takes linear time', () => {
  assert.equal(parseTagList(`a=x${' '.repeat(2_000_000)}y`).tags.length, 1);
});
