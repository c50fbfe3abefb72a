import assert from 'node:assert/strict';
import test from 'node:test';
import { feedProblem } from '../commands/dataset/build.ts';

for (const [behaviour, feeds, refused, dns, connection, want] of [
  ['nothing was refused', 51, 0, 0, 0, undefined],
  ['no name could be resolved', 51, 51, 51, 0, '51 of 51 feeds unreachable: no DNS'],
  ['no server could be reached', 51, 51, 0, 51, '51 of 51 feeds unreachable: no connection'],
  ['some for each reason', 51, 9, 4, 5, '9 of 51 feeds unreachable: no DNS or no connection'],
  [
    'some were unreachable, some refused',
    51,
    51,
    49,
    0,
    '49 of 51 feeds unreachable: no DNS; 2 refused',
  ],
  ['a list shrank', 51, 1, 0, 0, '1 of 51 feeds refused'],
  ['the only feed', 1, 1, 1, 0, '1 of 1 feed unreachable: no DNS'],
] as const)
  test(`feed problem: ${behaviour}`, () =>
    assert.equal(feedProblem({ feeds, refused, unreachable: { dns, connection } }), want));
