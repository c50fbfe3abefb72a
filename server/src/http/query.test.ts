import assert from 'node:assert/strict';
import test from 'node:test';
import { seededRandom } from '@whence/testing/seeded-random';
import {
  allOptional,
  integer,
  list,
  object,
  oneOfTexts,
  string,
  switchParameter,
  type UnknownParameters,
} from './json-schema.ts';
import { queryReader } from './query.ts';

const schema = object(
  allOptional({
    q: string('A text.'),
    limit: integer('A number.'),
    explain: switchParameter('A switch.'),
    include: list(string('A name.')),
    sort: oneOfTexts(['domain', 'worst']),
    ip: string('A short name.'),
  }),
);

const read = (text: string, unknown?: UnknownParameters) => queryReader(schema, unknown).read(text);

for (const [behaviour, text, values] of [
  ['nothing', '', {}],
  ['only separators', '&&&', {}],
  ['a text', 'q=a', { q: 'a' }],
  ['a text without a value', 'q', { q: '' }],
  ['a text with an equals sign', 'q=a=b', { q: 'a=b' }],
  ['blanks and escapes', 'q=a+b%20c%2Bd', { q: 'a b c+d' }],
  ['an escape that encodes nothing', 'q=%zz+%ff', { q: '%zz \ufffd' }],
  ['an escaped name', '%71=a', { q: 'a' }],
  ['a number, which stays text', 'limit=05', { limit: '05' }],
  ['a percent sign as a name', 'q=b&%', undefined],
  ['an empty name', '=a&q=b&=', { q: 'b' }],
  ['a switch', 'explain=true', { explain: true }],
  ['a switch as a number', 'explain=0', { explain: false }],
  ['a switch in another case', 'explain=False', { explain: false }],
  ['one of the allowed texts', 'sort=worst', { sort: 'worst' }],
  ['a list', 'include=a,b', { include: ['a', 'b'] }],
  ['a list with blanks and without names', 'include=+a+,,b,', { include: ['a', 'b'] }],
  ['a repeated list', 'include=a&q=x&include=b,c', { include: ['a', 'b', 'c'], q: 'x' }],
  ['a list of the form of PHP', 'include[]=a', undefined],
] as const)
  test(`query: ${behaviour}`, () => {
    const { values: actual, mistake } = read(text);
    if (values === undefined) assert.equal(mistake?.name, 'UNKNOWN_PARAMETER');
    else assert.deepEqual([actual, mistake], [values, undefined]);
  });

const PARAMETERS = ['q', 'limit', 'explain', 'include', 'sort', 'ip'];

for (const [behaviour, text, name, details] of [
  ['a repeated text', 'q=a&q=a', 'REPEATED_PARAMETER', { parameter: 'q' }],
  ['a repeated switch', 'explain=1&explain=0', 'REPEATED_PARAMETER', { parameter: 'explain' }],
  ['the same name with an escape', 'q=a&%71=b', 'REPEATED_PARAMETER', { parameter: 'q' }],
  [
    'a switch of another language',
    'explain=yes',
    'INVALID_QUERY',
    { parameter: 'explain', allowed: ['true', 'false'] },
  ],
  [
    'a text that is not allowed',
    'sort=Worst',
    'INVALID_QUERY',
    { parameter: 'sort', allowed: ['domain', 'worst'] },
  ],
  ['an empty text that is not allowed', 'sort=', 'INVALID_QUERY', undefined],
  ['a switch without a value', 'explain', 'INVALID_QUERY', undefined],
  [
    'a misspelt name',
    'explan=true',
    'UNKNOWN_PARAMETER',
    { parameter: 'explan', closest: 'explain', parameters: PARAMETERS },
  ],
  [
    'a name in another case',
    'EXPLAIN=true',
    'UNKNOWN_PARAMETER',
    { parameter: 'EXPLAIN', closest: 'explain', parameters: PARAMETERS },
  ],
  [
    'a short name with a letter too many',
    'ipp=1',
    'UNKNOWN_PARAMETER',
    { parameter: 'ipp', closest: 'ip', parameters: PARAMETERS },
  ],
  [
    'a name that resembles none',
    'offset=20',
    'UNKNOWN_PARAMETER',
    { parameter: 'offset', parameters: PARAMETERS },
  ],
  ['a name that every object has', '__proto__=a', 'UNKNOWN_PARAMETER', undefined],
  [
    'a very long name',
    `${'x'.repeat(5_000)}=1`,
    'UNKNOWN_PARAMETER',
    { parameter: 'x'.repeat(64), parameters: PARAMETERS },
  ],
] as const)
  test(`query: ${behaviour} is ${name}`, () => {
    const { mistake } = read(text);
    assert.equal(mistake?.name, name);
    if (details !== undefined) assert.deepEqual(mistake?.details, details);
  });

test('query: a route of the specification names the first ten that it ignores', () => {
  const { values, ignored, mistake } = read('explan=true&q=a&offset=20&explan=false', 'named');
  assert.deepEqual([values, mistake], [{ q: 'a' }, undefined]);
  assert.deepEqual(ignored, ['explan (did you mean explain?)', 'offset']);
  const names = Array.from({ length: 4_000 }, (_, i) => `a${i}`);
  const ten = names.slice(0, 10);
  assert.deepEqual(read([...ten, ...ten].join('&'), 'named').ignored, ten);
  assert.deepEqual(read(names.join('&'), 'named').ignored, [...ten, 'and more']);
});

test('query: names that are ignored are safe in a header', () => {
  const { ignored } = read(`a%0d%0aSet-Cookie:b&${'%F0%9F%98%80'.repeat(64)}x`, 'named');
  assert.equal(ignored[0], 'a%0D%0ASet-Cookie%3Ab');
  assert.equal(ignored[1], `${'%F0%9F%98%80'.repeat(5)}%F0`);
});

test('query: a route for other programs takes the last of repeated values', () =>
  assert.deepEqual(read('q=a&_=1&q=b', 'ignored'), {
    values: { q: 'b' },
    ignored: [],
    mistake: undefined,
  }));

test('query: texts are decoded as URLSearchParams decodes them', () => {
  const seed = 20_261_119;
  const random = seededRandom(seed);
  const parts = ['q=', 'a', '%', '%4', '%41', '%ff', '%C3%A9', '+', '=', '%26', 'é', '%00', '#'];
  for (let i = 0; i < 5_000; i++) {
    const count = Math.floor(random() * 6);
    const value = Array.from({ length: count }, () => parts[Math.floor(random() * parts.length)]);
    const text = `q=${value.join('')}`;
    assert.equal(read(text).values.q, new URLSearchParams(text).get('q'), `seed ${seed}: ${text}`);
  }
});
