import assert from 'node:assert/strict';
import test from 'node:test';
import { DatasetError } from '../../dataset-error.ts';
import { type Decision, decodeDecisions, encodeDecisions } from './decisions.ts';

for (const [behaviour, decisions] of [
  ['no decision', []],
  ['a value that the record shows', [['prefix', 0]]],
  ['a country of another source', [['country', 7, 'NL']]],
  ['points', [['threat.score', 127, 100]]],
  ['a name', [['crawler', 128, 'Amazonbot']]],
  ['a name that is not ASCII', [['tor_operator', 300, 'Zwiebelfreunde e.\u00a0V. \u4e2d']]],
  ['a name of two letters that are not ASCII', [['vpn_service', 1, '\u00e9\u00e9']]],
  ['an empty name', [['relay', 1, '']]],
  ['a long name', [['cloud_region', 1, 'x'.repeat(1000)]]],
  ['hundreds', new Array(300).fill(['threat.score', 9, 15])],
  [
    'several',
    [
      ['asn', 0],
      ['country', 3, 'DE'],
      ['threat.score', 9, 15],
    ],
  ],
] as const satisfies readonly (readonly [string, readonly Decision[]])[]) {
  test(`decisions: ${behaviour}`, () => {
    assert.deepEqual(decodeDecisions(Buffer.from(encodeDecisions(decisions))), decisions);
  });
}

for (const [behaviour, bytes] of [
  ['nothing', []],
  ['a decision too few', [2, 0, 0]],
  ['millions of decisions', [0xff, 0xff, 0xff, 0x7f]],
  ['an unknown field', [1, 63, 0]],
  ['a source that does not end', [1, 0, 0x80]],
  ['a source that is too long', [1, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1]],
  ['a text that is longer than the list', [1, 12 | (3 << 6), 0, 9, 65]],
] as const) {
  test(`decisions: refused: ${behaviour}`, () => {
    assert.throws(() => decodeDecisions(Buffer.from(bytes)), DatasetError);
  });
}

test('decisions: what the format cannot hold is an error of the compiler', () => {
  assert.throws(() => encodeDecisions([['unheard_of', 0]]), /no field unheard_of/);
  assert.throws(() => encodeDecisions([['threat.score', 0, 1.5]]), /1.5 is no value/);
});
