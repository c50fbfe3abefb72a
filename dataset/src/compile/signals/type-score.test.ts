import assert from 'node:assert/strict';
import test from 'node:test';
import { typePoints } from '../../data-files/data-files.ts';
import { networkSignals } from './network-signals.ts';
import type { RouteShape } from './route-shapes.ts';
import { scoreType } from './type-score.ts';

const shape = (
  country: string,
  blocks: number,
  ipv4Prefixes: number,
  ipv6Prefixes: number,
): RouteShape => ({
  country,
  ipv4Addresses: blocks * 256,
  ipv4Prefixes,
  ipv6Prefixes,
});

for (const [behaviour, name, announced, type, isAssumed] of [
  [
    'a small provider by its name and country',
    'Conexao Silva Comunicacoes',
    shape('BR', 4, 1, 1),
    'residential',
    false,
  ],
  ['a person in Brazil with a /22', 'Jose da Silva', shape('BR', 4, 1, 1), 'residential', false],
  [
    'a company with one /24',
    'Example Steel Industries Inc.',
    shape('US', 1, 1, 0),
    'business',
    false,
  ],
  [
    'many /24s and words of hosting',
    'Example Web Data Edge',
    shape('SC', 14, 14, 20),
    'datacenter',
    false,
  ],
  ['nothing is clear', 'Example', shape('US', 8, 4, 1), 'business', true],
] as const)
  test(`type score: ${behaviour}`, () => {
    const scored = scoreType(networkSignals(268_000, name, announced));
    assert.deepEqual([scored.type, scored.isAssumed], [type, isAssumed], JSON.stringify(scored));
    assert.equal(scored.signal === 'assumed', isAssumed);
  });

test('type score: the signals that say most for the answer are named', () => {
  const none = { name: [], registration: [], announcements: [] };
  assert.equal(
    scoreType({ ...none, name: ['word: industry'], registration: ['country US'] }).signal,
    'name',
  );
  assert.equal(scoreType({ ...none, registration: ['country SC'] }).signal, 'registration');
  assert.deepEqual(
    scoreType({ ...none, name: ['constructor', 'word: nonsense'] }),
    scoreType(none),
  );
});

test('type points: every row says something, and its points add up to about 0', () => {
  for (const { signal, residential, datacenter, business } of typePoints.rows) {
    const points = [residential, datacenter, business];
    assert.ok(
      points.some((value) => value !== 0),
      signal,
    );
    assert.ok(Math.abs(points.reduce((sum, value) => sum + value, 0)) <= 1, signal);
  }
});
